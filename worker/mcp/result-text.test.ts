import { describe, expect, test } from 'vitest'
import { CallResult, toResultText } from './result-text.ts'

const textOf = (result: unknown): string => toResultText(CallResult.parse(result))
const text = (words: string) => ({ type: 'text', text: words })

describe('[TOOL8] what a remote tool answered is told as text', () => {
  test('texts are joined', () => {
    expect(textOf({ content: [text('one'), text('two')] })).toBe('one\ntwo')
  })

  test('pictures and sound are named, not shown', () => {
    const content = [
      { type: 'image', data: 'A'.repeat(8192), mimeType: 'image/png' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    ]
    expect(textOf({ content })).toBe(
      '[image: image/png, 6 KiB, not shown]\n[audio: audio/wav, 1 KiB, not shown]',
    )
  })

  test('resources are named, with their text if they have one', () => {
    const content = [
      { type: 'resource_link', uri: 'file:///a', name: 'a' },
      { type: 'resource_link', uri: 'file:///b' },
      { type: 'resource', resource: { uri: 'file:///c', text: 'words' } },
      { type: 'resource', resource: { uri: 'file:///d', blob: 'AAAA' } },
    ]
    expect(textOf({ content })).toBe(
      '[resource: a file:///a]\n[resource: file:///b]\n[resource: file:///c]\nwords\n[resource: file:///d]',
    )
  })

  test('structured content is told once, even if it is there as text too', () => {
    const structuredContent = { degrees: 21, wind: [1, 2] }
    const json = JSON.stringify(structuredContent)
    expect(textOf({ structuredContent })).toBe(json)
    expect(textOf({ content: [text('It is warm.')], structuredContent })).toBe(
      `It is warm.\n${json}`,
    )
    const pretty = JSON.stringify(structuredContent, null, 2)
    expect(textOf({ content: [text(pretty)], structuredContent })).toBe(pretty)
  })

  test('nothing is said to be nothing', () => {
    expect(textOf({})).toBe('(no output)')
    expect(textOf({ content: [text('')] })).toBe('(no output)')
    expect(textOf({ structuredContent: null })).toBe('(no output)')
  })

  test('content that is malformed or unknown has a place', () => {
    const content = [null, 5, 'x', {}, { type: 'text' }, { type: 'hologram' }, text('words')]
    expect(textOf({ content }).split('\n')).toEqual([
      ...Array.from({ length: 6 }, () => '[content of an unknown kind]'),
      'words',
    ])
  })
})
