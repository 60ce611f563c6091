export function BrandMark() {
  return (
    <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
      <path
        class="brand-front"
        d="M15 12h10a5 5 0 0 1 5 5v4a5 5 0 0 1-3 4.6V30l-5.5-4H15a5 5 0 0 1-5-5v-4a5 5 0 0 1 5-5z"
      />
      <path
        class="brand-back"
        d="M7 3h11a5 5 0 0 1 5 5v4a5 5 0 0 1-5 5h-7.5L5 21v-4.6A5 5 0 0 1 2 12V8a5 5 0 0 1 5-5z"
      />
    </svg>
  )
}
