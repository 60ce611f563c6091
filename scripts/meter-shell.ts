// The shell's interpreter counts only some of its own work: arithmetic, patterns and parsers have
// loops that nobody bounded, and two that never end. So every loop and every function of its bundle
// is made to pay, when it is built or served: whichever it is, it can be ended. See
// docs/decisions/0012-a-meter-in-the-shell.md.

import { parseAst, type Plugin } from 'vite'

const BUNDLE = /[\\/]just-bash[\\/]dist[\\/]bundle[\\/]browser\.js(?:\?.*)?$/
/** A bundle with fewer of them was not understood. */
const MIN_PLACES = 3000

type Repair = readonly [from: string, to: string, times?: number]

/** What counting steps does not bound: memory that is gone first, and work of the engine itself. */
const REPAIRS: readonly Repair[] = [
  // `$((a$))`: a dollar that nothing follows is read again and again, into a list.
  [
    'let{expr:a,pos:l}=n7(e,t,s,!0);i.push(a),s=l',
    'let{expr:a,pos:l}=n7(e,t,s,!0);if(l<=s)break;i.push(a),s=l',
  ],
  // `}${x[`: from a subscript without an end it goes on at the start of the text.
  [
    'let u=Hf(e,t,s,"[","]");if(',
    'let u=Hf(e,t,s,"[","]");if(u<0)throw new Ut("unexpected EOF while looking for matching \']\'",0,0);if(',
  ],
  // `ls` holds what no glob matched against all names once more, by expressions that backtrack.
  ['import{minimatch as Ah}from"minimatch"', 'const Ah=(name,glob)=>name===glob'],
  // Each copies the text it is given for many of its characters: the compiler of expressions, the
  // parser of arithmetic and, less, the lexer.
  ['this._re2=Vr.compile(', '$weigh(t,1),this._re2=Vr.compile('],
  ['function Me(e,t){', 'function Me(e,t){$weigh(t,1);'],
  [
    'constructor(t,n){this.input=t,this.maxHeredocSize=',
    'constructor(t,n){$weigh(t,16);this.input=t,this.maxHeredocSize=',
  ],
  // Expressions of its own that take the square of a text, in one step of the engine: `$(…)` that
  // prints half a megabyte of empty lines took minutes. These find the same in one pass.
  [String.raw`/\n+$/`, String.raw`/(?<!\n)\n+$/`, 7],
  [String.raw`/\/+$/`, String.raw`/(?<!\/)\/+$/`, 3],
  [String.raw`/\s+$/`, String.raw`/(?<!\s)\s+$/`],
  [String.raw`/([bdfhMnrV]+)$/`, String.raw`/(?<![bdfhMnrV])([bdfhMnrV]+)$/`, 2],
  [String.raw`/\[.+\]$/`, String.raw`/\]$(?<=\[.+\])/`],
  [String.raw`/\[.*\]/`, String.raw`/(?<!\[.*?)\[.*\]/`, 2],
  [String.raw`|<[^>]+>|`, String.raw`|<[^>$]+>|`],
  [String.raw`|<([^>]+)>)/g`, String.raw`|<([^>$]+)>)/g`],
  [String.raw`/\$\{([^0-9}][^}]*)\}/g`, String.raw`/\$\{([^0-9}$][^}$]*)\}/g`],
  [String.raw`/^(\d+\.?\d*)(s|m|h|d)?$/`, String.raw`/^(\d+(?:\.\d*)?)(s|m|h|d)?$/`],
  [String.raw`/^([+-]?\d*\.?\d+)\s*(`, String.raw`/^([+-]?(?:\d+(?:\.\d+)?|\.\d+))\s*(`],
  [String.raw`/\n\s+at\s.*/g`, String.raw`/\n[^\S\n]+at\s.*/g`],
]

/**
 * `meterShell(refuel, weigh)` of the bundle: refuel is asked when the steps it answered last are
 * used up, and told how many are owed; weigh is shown texts that cost their square. What they throw
 * ends the work.
 */
const METER = [
  'var $fuel=0,$refuel=()=>1e9,$weigh=()=>{};',
  'function $tank(){const owed=-$fuel;$fuel=0;$fuel=$refuel(owed)}',
  // A step for two characters, of which one may look like the part. Never a step back or no number.
  'function $find(text,part,from){const at=text.indexOf(part,from),',
  'steps=(at<0?text.length:at)-from>>1;if(steps>0)$fuel-=steps;return at}',
  'export function meterShell(refuel,weigh){$fuel=0;$refuel=refuel;$weigh=weigh}',
].join('')
const STEP = '--$fuel<0&&$tank()'
const NAMES = /\$(?:fuel|refuel|weigh|tank|find)\b/

export function meterShell(): Plugin {
  const meter: Plugin = {
    name: 'meter-shell',
    transform: {
      filter: { id: BUNDLE },
      handler: (code) => ({ code: addMeter(code), map: null }),
    },
  }
  return {
    ...meter,
    // A development server bundles packages before it serves them, with plugins of its own.
    configEnvironment: () => ({ optimizeDeps: { rolldownOptions: { plugins: [meter] } } }),
  }
}

/** Throws where the bundle is not the one it knows: nothing is built without its meter. */
export function addMeter(code: string): string {
  if (NAMES.test(code)) throw new Error('just-bash: the names of the meter are taken')
  const source = REPAIRS.reduce(repair, code)
  const inserts = placesOf(source)
  if (inserts.length < MIN_PLACES) throw new Error('just-bash: its loops were not found')
  let metered = METER
  let from = 0
  for (const { at, text, until = at } of inserts) {
    metered += source.slice(from, at) + text
    from = until
  }
  return metered + source.slice(from)
}

function repair(code: string, [from, to, times = 1]: Repair): string {
  const parts = code.split(from)
  if (parts.length !== times + 1) throw new Error(`just-bash: not found ${times} times: ${from}`)
  return parts.join(to)
}

type Insert = { at: number; text: string; until?: number }
type Node = Record<string, unknown>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

const LOOPS: ReadonlySet<unknown> = new Set([
  'ForStatement',
  'ForOfStatement',
  'ForInStatement',
  'WhileStatement',
  'DoWhileStatement',
])
const FUNCTIONS: ReadonlySet<unknown> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
])

function placesOf(source: string): Insert[] {
  const places: Insert[] = []
  const open: unknown[] = [parseAst(source)]
  while (open.length > 0) {
    const node = open.pop()
    if (!isNode(node)) continue
    for (const child of Object.values(node)) open.push(child)
    const isLoop = LOOPS.has(node.type)
    if (node.type === 'CallExpression') places.push(...searchOf(node, source))
    if (isLoop || FUNCTIONS.has(node.type)) places.push(...insertsInto(node.body, isLoop))
  }
  // At the same place the inner one ends first.
  return places.reverse().sort((a, b) => a.at - b.at)
}

function insertsInto(body: unknown, isLoop: boolean): Insert[] {
  if (!isNode(body) || typeof body.start !== 'number' || typeof body.end !== 'number') return []
  const { type, start, end } = body
  if (type === 'BlockStatement') return [{ at: start + 1, text: `${STEP};` }]
  return isLoop
    ? [
        { at: start, text: `{${STEP};` },
        { at: end, text: '}' },
      ]
    : [
        { at: start, text: `(${STEP},` },
        { at: end, text: ')' },
      ]
}

/** `text.indexOf(part, from)` in a loop is a second loop, inside the engine. */
function searchOf({ callee, arguments: args }: Node, source: string): Insert[] {
  if (!isNode(callee) || !isNode(callee.object) || !Array.isArray(args)) return []
  const { start, end, type } = callee.object
  const [part, ...rest]: unknown[] = args
  if (!isNode(part) || rest.length !== 1 || type === 'ThisExpression') return []
  if (typeof start !== 'number' || typeof end !== 'number' || typeof part.start !== 'number')
    return []
  if (source.slice(end, part.start) !== '.indexOf(') return []
  return [
    { at: start, text: '$find(' },
    { at: end, text: ',', until: part.start },
  ]
}
