// One stroke set, drawn on a 24-unit grid. Anything that is not in it is shown as text, so a tool
// may bring its own sign.

const PATHS: Record<string, string> = {
  menu: 'M4 7h16M4 12h16M4 17h16',
  sidebar: 'M4 5h16v14H4zM9.5 5v14',
  plus: 'M12 5v14M5 12h14',
  pencil: 'M4 20l1-4L16.5 4.5a2.1 2.1 0 0 1 3 3L8 19zM14.5 6.5l3 3',
  pin: 'M9 4h6l-.7 6 3.2 3.5H6.5L9.7 10zM12 13.5V20',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.3 10.5v6M13.7 10.5v6',
  send: 'M12 19V5M6 11l6-6 6 6',
  chevron: 'M9 6l6 6-6 6',
  back: 'M15 6l-6 6 6 6',
  up: 'M6 14.5l6-6 6 6',
  down: 'M6 9.5l6 6 6-6',
  upload: 'M12 15.5V4.5M7 9.5l5-5 5 5M5 19.5h14',
  download: 'M12 4.5v11M7 10.5l5 5 5-5M5 19.5h14',
  copy: 'M9 9h10v10H9zM15 9V5H5v10h4',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1 1M17.4 17.4l1 1M18.4 5.6l-1 1M6.6 17.4l-1 1',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z',
  contrast: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 4v16M12 8h6.5M12 12h8M12 16h6.5',
  keyboard: 'M3 7h18v10H3zM7 10.5h.01M10.5 10.5h.01M14 10.5h.01M17 10.5h.01M8 14h8',
  close: 'M6 6l12 12M18 6L6 18',
  grip: 'M9 7h.01M15 7h.01M9 12h.01M15 12h.01M9 17h.01M15 17h.01',
  bolt: 'M13 3L6 13.5h5L10.5 21 18 10.5h-5.5z',
  warning: 'M12 4.5L21 19.5H3zM12 10v4.5M12 17v.01',
  alert: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v5M12 16v.01',
  info: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 11v5M12 8v.01',
  denied: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM6.5 6.5l11 11',
  pause: 'M9 6v12M15 6v12',
  tool: 'M14.5 6.5a4 4 0 0 1 5-1L17 8l-1 3 3-1 1.5-1.5a4 4 0 0 1-5.5 4L8.5 19a2 2 0 0 1-3-3L12 9.5a4 4 0 0 1 2.5-3z',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4.5l3 2',
  file: 'M7 4h7l4 4v12H7zM14 4v4h4',
  folder: 'M4 6h6l2 2h8v11H4z',
  terminal: 'M4 5h16v14H4zM7.5 9.5l3 2.5-3 2.5M12.5 15h4',
  globe:
    'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM4 12h16M12 4c4.5 5 4.5 11 0 16M12 4c-4.5 5-4.5 11 0 16',
  users:
    'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3.5 19a5.5 5.5 0 0 1 11 0M16 5.2a3 3 0 0 1 0 5.6M17.5 14a5.5 5.5 0 0 1 3 5',
  thought: 'M12 4a6 6 0 0 0-3.5 10.9V17h7v-2.1A6 6 0 0 0 12 4zM9.5 20h5',
  search: 'M10.5 5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM15 15l4.5 4.5',
  calculator: 'M6 4h12v16H6zM9 8h6M9 12h.01M12 12h.01M15 12h.01M9 16h.01M12 16h.01M15 16h.01',
  timer: 'M12 6.5a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM12 10v4M9.5 3.5h5',
  text: 'M5 7V5h14v2M12 5v14M9.5 19h5',
  leave: 'M13 4H6v16h7M10.5 12H20M16.5 8.5L20 12l-3.5 3.5',
  inbox: 'M4 13l3-8h10l3 8v6H4zM4 13h4.5l1 2.5h5l1-2.5H20',
  bell: 'M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 20.5h4',
  list: 'M9 7h11M9 12h11M9 17h11M5 7h.01M5 12h.01M5 17h.01',
}

export function Icon({ name }: { name: string }) {
  const path = PATHS[name]
  if (path === undefined) {
    return (
      <span class="icon icon-text" aria-hidden="true">
        {name}
      </span>
    )
  }
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  )
}
