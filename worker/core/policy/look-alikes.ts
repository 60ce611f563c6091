// Text that does not say what it seems to say.

/** Letters of other scripts that are drawn like the Latin one. Full-width forms fold by NFKC. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'аαɑ',
    b: 'Ьƅ',
    c: 'сϲ',
    d: 'ԁɗ',
    e: 'еєҽ',
    f: 'ғƒ',
    g: 'ɡց',
    h: 'һհ',
    i: 'іιɩı',
    j: 'јϳ',
    k: 'κк',
    l: 'ӏⅼł',
    m: 'мⅿɱ',
    n: 'ոпη',
    o: 'оοօ',
    p: 'рρ',
    q: 'ԛզ',
    r: 'гᴦꭇꮁ',
    s: 'ѕꜱ',
    t: 'тτ',
    u: 'υսᴜ',
    v: 'ѵνᴠ',
    w: 'ԝաᴡ',
    x: 'хχ',
    y: 'уүγ',
    z: 'ᴢʐ',
    '-': '‐‑‒–—―−﹘﹣－',
  }).flatMap(([latin, others]) => Array.from(others).map((other) => [other, latin] as const)),
)

/**
 * Invisible, or turning the direction of what follows, or steering a terminal. Tab and newline are
 * part of the shell's syntax; the variation selector of an emoji changes no letter.
 */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|\p{Cs}/u

/** The first character that cannot be seen, as U+XXXX. */
export function findHidden(text: string): string | null {
  const found = HIDDEN.exec(text)
  return found === null ? null : toCodePoint(found[0])
}

/** What the word looks like when it is not plain ASCII; null when it is. */
export function findLookAlike(name: string): { char: string; seems: string } | null {
  // oxlint-disable-next-line no-control-regex
  const odd = /[^\u0000-\u007f]/u.exec(name)
  if (odd === null) return null
  const folded = Array.from(name.normalize('NFKC'))
    .map((char) => LOOK_ALIKES.get(char) ?? char)
    .join('')
  return { char: toCodePoint(odd[0]), seems: folded }
}

/** An option whose dash is another dash is an operand, and reads like an option. */
export function hasOddDash(text: string): boolean {
  const [first] = text
  return first !== undefined && first !== '-' && LOOK_ALIKES.get(first) === '-'
}

/** One line for a card: hidden characters are spelled out, and it has an end. */
export function toShown(text: string, chars: number): string {
  const line = text
    .slice(0, chars * 2)
    .replaceAll(/\s+/g, ' ')
    .trim()
  const visible = line.replaceAll(new RegExp(HIDDEN, 'gu'), (char) => `<${toCodePoint(char)}>`)
  const letters = Array.from(visible)
  return letters.length > chars ? `${letters.slice(0, chars - 1).join('')}…` : visible
}

function toCodePoint(char: string): string {
  return `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}
