// From the text of a command to everything it would start, write and set. The tree is walked as
// plain objects, not node type by node type: a construct that nobody thought of is still searched
// for commands.

import type { CommandNode, WordNode } from 'just-bash'
import type { Stdin } from './call.ts'
import { broad, destroys, risky, type Finding } from './finding.ts'
import { FUNCTIONS, isForkBomb, type Calls } from './fork-bomb.ts'
import { applyBuiltin, hasCode, type ShellState } from './shell-builtins.ts'
import { judgeCall, isListed } from './judge.ts'
import { judgeVariable } from './judge-wrappers.ts'
import type { Places } from './places.ts'
import { judgeSpelling, toLine, toText } from './shell-spelling.ts'
import type { ParseShell } from './shell-parser.ts'
import { note, type Unit } from './shell-unit.ts'
import { printedByCommand, readFrom, toWord, toWords } from './shell-words.ts'
import type { Redirection, Word, WordPart } from './shell-words.ts'

const DEPTH = 400
const NODES = 200_000
const NESTED_DEPTH = 20
const NESTED_TEXTS = 300
const NESTED_CHARS = 1_000_000
const UNITS = 5000
const WORDS = 2000

class TooComplex extends Error {}

type Node = { type: string }
type SimpleCommand = Extract<CommandNode, { type: 'SimpleCommand' }>
type FunctionDef = Extract<CommandNode, { type: 'FunctionDef' }>
type ParameterExpansion = Extract<WordPart, { type: 'ParameterExpansion' }>
type Pipeline = { commands: CommandNode[] }
type Statement = { background: boolean; deferredError?: unknown; pipelines: Pipeline[] }

export function walkCommand(parse: ParseShell, text: string, places: Places): Unit[] {
  return new ShellWalk(parse, places).run(text)
}

class ShellWalk {
  private readonly parse: ParseShell
  private readonly state: ShellState
  private readonly functions = new Map<string, Calls>()
  private units: Unit[] = []
  private stdin: Stdin = { kind: 'terminal' }
  private depth = 0
  private nodes = 0
  private nesting = 0
  private texts = 0
  private chars = 0
  /** The functions around the node, and whether it runs beside others. */
  private inside: Calls[] = []
  private isMultiplied = false

  constructor(parse: ParseShell, places: Places) {
    this.parse = parse
    this.state = { places, variables: new Map(), aliases: new Map(), defined: new Set() }
  }

  run(text: string): Unit[] {
    try {
      this.script(text)
      // A loop or a function comes back to a path after a later `cd`: what was entered is known now.
      if (this.state.places.hasMoved) {
        this.units = []
        this.nodes = this.texts = this.chars = 0
        this.script(text)
      }
      if (isForkBomb(this.functions)) {
        this.push(note(destroys('starts itself again and again until the machine stops'), text))
      }
    } catch (error) {
      // RangeError: the stack.
      if (!(error instanceof TooComplex) && !(error instanceof RangeError)) throw error
      this.units.push(note(risky('is too complex to be understood'), text))
    }
    return this.units
  }

  private push(unit: Unit): void {
    if (this.units.length >= UNITS) throw new TooComplex()
    this.units.push(unit)
  }

  private script(text: string): void {
    this.chars += text.length
    if (++this.texts > NESTED_TEXTS || this.chars > NESTED_CHARS) throw new TooComplex()
    const parsed = this.parse(text)
    if (!parsed.ok) {
      this.push(note(risky(`cannot be understood: ${parsed.why}`), text))
      return
    }
    if (++this.nesting > NESTED_DEPTH) throw new TooComplex()
    this.visit(parsed.script)
    this.nesting--
  }

  /** Text in which only substitutions are run, as in a document. */
  private text(text: string): void {
    const end = `PARLEY_${text.length}`
    if (text.includes(end)) throw new TooComplex()
    this.script(`cat <<${end}\n${text}\n${end}\n`)
  }

  private visit(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    if (++this.nodes > NODES || ++this.depth > DEPTH) throw new TooComplex()
    if (Array.isArray(value)) for (const item of value) this.visit(item)
    else this.node(value as Node)
    this.depth--
  }

  private node(node: Node): void {
    switch (node.type) {
      case 'SimpleCommand':
        return this.simple(node as SimpleCommand)
      case 'Pipeline':
        return this.pipeline(node as unknown as Pipeline)
      case 'Statement':
        return this.statement(node as unknown as Statement)
      case 'FunctionDef':
        return this.define(node as FunctionDef)
      case 'Redirection':
        this.redirect(node as Redirection)
        break
      case 'ParameterExpansion': {
        const { operation, parameter } = node as ParameterExpansion
        if (operation?.type === 'AssignDefault') this.setVariable(parameter, null)
        break
      }
      case 'For':
      case 'ArithAssignment':
        this.setVariable((node as unknown as { variable: string }).variable, null)
        break
      case 'CondBinary':
      case 'CondUnary':
        this.operands(node)
        break
      case 'ArithCommandSubst':
        return this.script((node as unknown as { command: string }).command)
      case 'BadSubstitution':
      case 'ArithSyntaxError':
        this.push(note(risky('cannot be understood: it is not valid shell syntax'), '${…}'))
        break
      case 'Transform':
        this.push(note(risky('runs text that is not known beforehand'), '${…@…}'))
        break
      default:
    }
    this.children(node)
  }

  private children(node: Node): void {
    const isText = ['Literal', 'SingleQuoted', 'Escaped', 'HereDoc'].includes(node.type)
    for (const value of Object.values(node)) {
      // Subscripts and arithmetic keep what they contain as text.
      if (typeof value === 'string') {
        if (!isText && hasCode(value)) this.text(value)
      } else this.visit(value)
    }
  }

  private statement(node: Statement): void {
    if (node.deferredError !== undefined) {
      this.push(note(risky('cannot be understood: it is not valid shell syntax'), '…'))
    }
    const [pipeline, ...pipelines] = node.pipelines
    const [command, ...commands] = pipeline?.commands ?? []
    const isSure = this.depth === TOP_LEVEL && this.nesting === 1 && !node.background
    // A definition that might not run leaves the name to whatever program has it.
    if (isSure && pipelines.length + commands.length === 0 && command?.type === 'FunctionDef') {
      this.state.defined.add(command.name)
    }
    const before = this.isMultiplied
    this.isMultiplied ||= node.background
    this.visit(node.pipelines)
    this.isMultiplied = before
  }

  private pipeline({ commands }: Pipeline): void {
    const [before, isMultiplied] = [this.stdin, this.isMultiplied]
    this.isMultiplied ||= commands.length > 1
    for (const [index, command] of commands.entries()) {
      const feeder = commands[index - 1]
      if (feeder !== undefined) this.stdin = this.printed(feeder)
      this.visit(command)
    }
    this.stdin = before
    this.isMultiplied = isMultiplied
  }

  private printed(feeder: CommandNode): Stdin {
    const text = printedByCommand(feeder, this.state.variables)
    return text === null ? { kind: 'unknown' } : { kind: 'text', text }
  }

  private define(node: FunctionDef): void {
    const calls = this.functions.get(node.name) ?? { all: new Set(), multiplied: new Set() }
    this.functions.set(node.name, calls)
    if (this.functions.size > FUNCTIONS) throw new TooComplex()
    const [stdin, isMultiplied] = [this.stdin, this.isMultiplied]
    this.stdin = { kind: 'unknown' }
    this.isMultiplied = false
    this.inside.push(calls)
    this.children(node)
    this.inside.pop()
    this.stdin = stdin
    this.isMultiplied = isMultiplied
  }

  private operands(node: Node): void {
    for (const value of Object.values(node)) {
      if (typeof value !== 'object' || value === null || !('parts' in value)) continue
      const { text } = toWord((value as WordNode).parts, this.state.variables)
      // Compared as numbers, even a quoted subscript is run.
      if (hasCode(text)) this.text(text)
    }
  }

  private redirect({ operator, target, fdVariable }: Redirection): void {
    if (fdVariable !== undefined) this.setVariable(fdVariable, null)
    if (target.type === 'HereDoc' || ['<<<', '<&'].includes(operator)) return
    const words = toWords(target, this.state.variables)
    for (const word of words) {
      if (operator === '>&' && word.isKnown && /^\d*-?$/.test(word.text)) continue
      const isAdding = operator === '>>' || operator === '&>>' || operator === '<>'
      const { places } = this.state
      const change = isAdding ? 'write' : 'overwrite'
      const finding = operator === '<' ? places.open(word) : places.change(word, change)
      if (finding !== null) this.push(note(finding, `${operator} ${word.text}`))
    }
  }

  private simple(node: SimpleCommand): void {
    for (const { name, value, array } of node.assignments) {
      const word = value === null ? null : toWord(value.parts, this.state.variables)
      this.setVariable(name, word)
      if (array !== null) this.setList(name, array)
    }
    const { variables } = this.state
    const before = this.stdin
    const feeding = node.redirections.filter(
      ({ operator, fd }) => operator.startsWith('<') && (fd === null || fd === 0),
    )
    if (feeding.length > 0) {
      const text = readFrom(feeding, variables)
      this.stdin = text === null ? { kind: 'unknown' } : { kind: 'text', text }
    }
    const nodes = node.name === null ? node.args : [node.name, ...node.args]
    const argv = nodes.flatMap((word) => toWords(word, variables))
    this.children(node)
    if (argv.length > 0) this.invoke(argv)
    this.stdin = before
  }

  private setVariable(name: string, word: Word | null): void {
    const finding = judgeVariable(name)
    if (finding !== null) this.push(note(finding, `${name}=${word?.text ?? ''}`))
    if (word === null) return
    if (word.isKnown || word.isGuessed) this.state.variables.set(name, word.text)
    // Prompts, arithmetic and `@P` run what a variable holds, quoted or not.
    if (word.isKnown && hasCode(word.text)) this.text(word.text)
  }

  private setList(name: string, nodes: readonly WordNode[]): void {
    const words = nodes.flatMap((node) => toWords(node, this.state.variables))
    const text = toText('', words)
    for (const all of ['@', '*']) this.state.variables.set(`${name}[${all}]`, text)
  }

  private invoke(argv: readonly Word[], outer?: { unit: Unit; offset: number }): void {
    const [name, ...args] = argv
    if (name === undefined) return
    if (++this.nodes > NODES || ++this.depth > DEPTH) throw new TooComplex()
    if (argv.length > WORDS) throw new TooComplex()
    const unit: Unit = {
      argv,
      findings: judgeSpelling(argv),
      shown: toLine(argv),
      ...(outer && { outer }),
    }
    this.push(unit)
    for (const calls of this.inside) {
      calls.all.add(name.text)
      if (this.isMultiplied) calls.multiplied.add(name.text)
    }
    const alias = this.state.aliases.get(name.text)
    if (!name.isKnown || name.isGlob) {
      unit.findings.push(risky('runs a program whose name is not known beforehand'))
      if (name.isGuessed) this.script(toText(name.text, args))
    } else {
      if (alias !== undefined) this.alias(name.text, alias, args)
      this.judge(unit, name.text, args)
    }
    this.depth--
  }

  private alias(name: string, body: string, args: readonly Word[]): void {
    // As in a shell, the alias does not apply within itself.
    this.state.aliases.delete(name)
    this.script(toText(body, args))
    this.state.aliases.set(name, body)
  }

  private judge(unit: Unit, name: string, args: readonly Word[]): void {
    const { places, defined } = this.state
    const call = { name, args, places, stdin: this.stdin }
    const judgement = judgeCall(call, defined.has(name))
    const effect = applyBuiltin(this.state, call)
    unit.findings.push(...judgement.findings, ...effect.findings)
    for (const { words, offset } of judgement.inner ?? []) this.invoke(words, { unit, offset })
    if (unit.findings.some(isStrange)) this.search(unit, args)
    for (const text of effect.texts) this.text(text)
    for (const script of effect.scripts) this.script(script)
    for (const word of judgement.scripts ?? []) {
      if (!word.isKnown) unit.findings.push(word.isOutput ? RUNS_OUTPUT : RUNS_UNKNOWN)
      this.script(word.text)
    }
  }

  /** What stands in the words of a strange program could be what it runs: `strange rm -rf ~`. */
  private search(unit: Unit, args: readonly Word[]): void {
    const { places } = this.state
    if (places.isElsewhere) unit.findings.push(risky('runs a program outside the workspace'))
    if (args.some(({ isKnown }) => !isKnown)) {
      unit.findings.push(broad('is given words that are not known beforehand'))
    }
    if (args.length > SEARCHED_WORDS) unit.findings.push(risky('is given too many words'))
    for (const [index, word] of args.slice(0, SEARCHED_WORDS).entries()) {
      const value = { ...word, text: word.text.replace(/^-[^=]*=/, '') }
      if (places.isGuarded(value)) unit.findings.push(risky('is given a sensitive file'))
      if (isListed(word.text)) this.invoke(args.slice(index), { unit, offset: index + 1 })
      if (/[\s;|&]/.test(value.text) || hasCode(value.text)) this.script(value.text)
    }
  }
}

/** A program that is not known could do anything with its words. */
const isStrange = ({ severity, consent }: Finding): boolean =>
  severity === 'high' && consent === 'setting'
/** Whoever hides a command behind more words than this is asked for the first of them. */
const SEARCHED_WORDS = 32

/** Script, statements, statement. */
const TOP_LEVEL = 3

const RUNS_OUTPUT = destroys('runs as commands what another program prints')
const RUNS_UNKNOWN = risky('runs text that is not known beforehand')
