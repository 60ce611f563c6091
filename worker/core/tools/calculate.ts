// Arithmetic without eval: a recursive-descent parser that computes as it reads.

import { z } from 'zod'
import { ToolFailure, type Tool } from './tool.ts'

const EXPRESSION_CHARS = 1000
/** Every level is a few stack frames; nobody writes more by hand. */
const DEPTH = 50

const FUNCTIONS: Readonly<Record<string, (...values: number[]) => number>> = {
  sqrt: Math.sqrt,
  abs: Math.abs,
  round: Math.round,
  floor: Math.floor,
  ceil: Math.ceil,
  ln: Math.log,
  log: Math.log10,
  exp: Math.exp,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  min: Math.min,
  max: Math.max,
}
const TAKES_MANY: ReadonlySet<string> = new Set(['min', 'max'])
const CONSTANTS: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E }

const NAMES = [...Object.keys(FUNCTIONS), ...Object.keys(CONSTANTS)].join(', ')

const input = z.strictObject({
  expression: z
    .string()
    .min(1)
    .max(EXPRESSION_CHARS)
    .describe(`For example (2 + 3) * 4 ^ 2 / sqrt(16). Operators + - * / % ^; names ${NAMES}.`),
})

export const calculate: Tool<z.infer<typeof input>> = {
  name: 'calculate',
  description: 'Evaluate an arithmetic expression. Angles are in radians.',
  input,
  repeatable: true,
  readOnly: true,
  // async, so that a failure is a rejection
  run: async ({ expression }) => formatNumber(evaluate(expression)),
}

function formatNumber(value: number): string {
  if (!Number.isFinite(value)) throw new ToolFailure('the result is not a finite number')
  if (Number.isSafeInteger(value)) return String(value + 0)
  // 15 digits are exact in a double; the 16th is where 0.1 + 0.2 turns into 0.30000000000000004.
  const known = Number(value.toPrecision(15))
  // Written out, a number beyond them would look exact in its last digits.
  return Math.abs(known) >= 1e15 ? known.toExponential() : String(known)
}

type Token = { text: string; kind: 'number' | 'name' | 'symbol' | 'end'; at: number }

const TOKEN = /\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|([a-z]+)|(\S))/iy

function toTokens(expression: string): Token[] {
  const tokens: Token[] = []
  const pattern = new RegExp(TOKEN)
  for (let match = pattern.exec(expression); match !== null; match = pattern.exec(expression)) {
    const [whole, number, name, symbol] = match
    const text = number ?? name ?? symbol ?? ''
    const at = match.index + whole.length - text.length + 1
    const kind = number !== undefined ? 'number' : name !== undefined ? 'name' : 'symbol'
    tokens.push({ text, kind, at })
  }
  tokens.push({ text: 'the end', kind: 'end', at: expression.length + 1 })
  return tokens
}

export function evaluate(expression: string): number {
  return new Parser(toTokens(expression)).parse()
}

class Parser {
  private readonly tokens: readonly Token[]
  private next = 0
  private depth = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  parse(): number {
    const value = this.sum()
    if (this.peek().kind !== 'end') this.unexpected('an operator')
    return value
  }

  private sum(): number {
    let value = this.product()
    for (;;) {
      if (this.take('+')) value += this.product()
      else if (this.take('-')) value -= this.product()
      else return value
    }
  }

  private product(): number {
    let value = this.signed()
    for (;;) {
      if (this.take('*')) value *= this.signed()
      else if (this.take('/')) value /= this.divisor()
      else if (this.take('%')) value %= this.divisor()
      else return value
    }
  }

  private divisor(): number {
    const { at } = this.peek()
    const value = this.signed()
    if (value === 0) throw new ToolFailure(`division by zero at position ${at}`)
    return value
  }

  // A sign binds looser than a power, so that -2 ^ 2 is -4 as in writing.
  private signed(): number {
    this.enter()
    const value = this.take('-') ? -this.signed() : this.take('+') ? this.signed() : this.power()
    this.depth--
    return value
  }

  private power(): number {
    const base = this.primary()
    return this.take('^') ? base ** this.signed() : base
  }

  private primary(): number {
    const token = this.peek()
    if (token.kind === 'number') {
      this.next++
      return Number(token.text)
    }
    if (token.kind === 'name') {
      this.next++
      return this.named(token)
    }
    if (!this.take('(')) this.unexpected('a number')
    const value = this.sum()
    this.expect(')')
    return value
  }

  private named({ text, at }: Token): number {
    const name = text.toLowerCase()
    const constant = Object.hasOwn(CONSTANTS, name) ? CONSTANTS[name] : undefined
    if (constant !== undefined) return constant
    const apply = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined
    if (apply === undefined) {
      throw new ToolFailure(`unknown name "${text}" at position ${at}. Known names: ${NAMES}`)
    }
    this.expect('(')
    const values = [this.sum()]
    while (TAKES_MANY.has(name) && this.take(',')) values.push(this.sum())
    this.expect(')')
    return apply(...values)
  }

  private enter(): void {
    if (++this.depth > DEPTH) {
      throw new ToolFailure(`the expression is nested more than ${DEPTH} levels deep`)
    }
  }

  private peek(): Token {
    return this.tokens[this.next]!
  }

  private take(symbol: string): boolean {
    const token = this.peek()
    if (token.kind !== 'symbol' || token.text !== symbol) return false
    this.next++
    return true
  }

  private expect(symbol: string): void {
    if (!this.take(symbol)) this.unexpected(`"${symbol}"`)
  }

  private unexpected(wanted: string): never {
    const { text, kind, at } = this.peek()
    const found = kind === 'end' ? text : `"${text}"`
    throw new ToolFailure(`expected ${wanted} at position ${at}, found ${found}`)
  }
}
