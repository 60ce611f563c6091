// Enough colour to read code by: comments, strings, numbers, keywords. A real grammar per language
// would cost more than the rest of the page. Pure, so that the same code looks the same every time.

export type Kind = 'plain' | 'comment' | 'string' | 'number' | 'keyword' | 'tag'
export type Piece = { kind: Kind; text: string }

/** Past this, colour costs more than it helps, and streaming code would stutter. */
export const HIGHLIGHT_CHARS = 20_000

type Family = 'slash' | 'hash' | 'dash' | 'markup'

const FAMILIES: Record<Family, string> = {
  slash:
    'js jsx mjs cjs ts tsx javascript typescript json jsonc json5 java c h cpp cc hpp cs csharp go rust rs ' +
    'php swift kotlin kt scala dart zig css scss less proto graphql solidity wgsl glsl',
  hash: 'py python rb ruby sh bash zsh shell console yaml yml toml ini make makefile dockerfile r perl pl elixir ex nix tf conf',
  dash: 'sql lua haskell hs elm ada',
  markup: 'html xml svg vue svelte xhtml',
}

const FAMILY_OF = new Map<string, Family>(
  Object.entries(FAMILIES).flatMap(([family, names]) =>
    names.split(' ').map((name) => [name, family as Family] as const),
  ),
)

const KEYWORDS = new Set(
  (
    'abstract and as async await begin bool boolean break case catch char class const continue def ' +
    'default defer del delete do done double elif else elseif elsif end enum esac except export ' +
    'extends false fi final finally float fn for from func function global go if impl implements ' +
    'import in instanceof int interface is lambda let local long loop match mod module mut namespace ' +
    'new nil none None not null nullptr or override package pass private protected pub public raise ' +
    'readonly rescue return self Self short static string String struct super switch template then ' +
    'this throw throws trait true True False try type typedef typeof undefined union unless unsafe ' +
    'unsigned until use using val var void when where while with yield ' +
    'select insert update delete create drop alter table from join left right inner outer on group ' +
    'order by having limit values into set primary key'
  ).split(' '),
)

const STRINGS = /"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|`(?:\\.|[^`\\])*`?/.source
const NUMBERS = /\b(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)\b/.source
const WORDS = /[A-Za-z_$][\w$]*/.source

const COMMENTS: Record<Exclude<Family, 'markup'>, string> = {
  slash: /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/.source,
  hash: /(?<![\w$&{])#[^\n]*/.source,
  dash: /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/.source,
}

const toPattern = (comments: string): RegExp =>
  new RegExp(
    `(?<comment>${comments})|(?<string>${STRINGS})|(?<number>${NUMBERS})|(?<word>${WORDS})`,
    'gi',
  )

const PATTERNS: Record<Family, RegExp> = {
  slash: toPattern(COMMENTS.slash),
  hash: toPattern(COMMENTS.hash),
  dash: toPattern(COMMENTS.dash),
  markup: new RegExp(
    `(?<comment><!--[\\s\\S]*?(?:-->|$))|(?<tag></?[a-z][\\w:.-]*|/?>)|(?<string>"[^"\\n]*"?|'[^'\\n]*')`,
    'gi',
  ),
}

export function highlight(code: string, language: string): Piece[] {
  const family = FAMILY_OF.get(language.toLowerCase())
  if (family === undefined || code.length > HIGHLIGHT_CHARS) return [{ kind: 'plain', text: code }]
  const pieces: Piece[] = []
  let from = 0
  for (const match of code.matchAll(PATTERNS[family])) {
    const kind = kindOf(match, family)
    if (kind === 'plain') continue
    if (match.index > from) pieces.push({ kind: 'plain', text: code.slice(from, match.index) })
    pieces.push({ kind, text: match[0] })
    from = match.index + match[0].length
  }
  if (from < code.length) pieces.push({ kind: 'plain', text: code.slice(from) })
  return pieces
}

function kindOf(match: RegExpExecArray, family: Family): Kind {
  const groups = match.groups ?? {}
  if (groups['comment'] !== undefined) return 'comment'
  if (groups['string'] !== undefined) return 'string'
  if (groups['tag'] !== undefined) return 'tag'
  if (groups['number'] !== undefined) return 'number'
  const word = match[0]
  // SQL is written in capitals as often as not.
  const isKeyword = KEYWORDS.has(word) || (family === 'dash' && KEYWORDS.has(word.toLowerCase()))
  return isKeyword ? 'keyword' : 'plain'
}
