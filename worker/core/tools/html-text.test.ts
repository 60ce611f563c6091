import { describe, expect, test } from 'vitest'
import { htmlToText } from './html-text.ts'

const ADDRESS = new URL('https://example.com/a/b')
const MAX_CHARS = 50_000

const convert = (html: string, options: { maxChars?: number; isXml?: boolean } = {}) =>
  htmlToText(html, ADDRESS, { maxChars: MAX_CHARS, ...options })
const textOf = (html: string) => convert(html).text

describe('[TOOL8] HTML as text', () => {
  test.each([
    ['headings', '<h1>A</h1><h2>B</h2>c<h6>D</h6>', '# A\n\n## B\n\nc\n\n###### D'],
    ['paragraphs and lines', '<p>a</p><p>b<br>c</p><div>d</div><div>e</div>', 'a\n\nb\nc\n\nd\ne'],
    ['white space', '  a \n\t b&nbsp;\u200b<b> c</b>d <i></i> e', 'a b cd e'],
    ['no end tags', '<p>a<p>b<ul><li>c<li>d', 'a\n\nb\n\n- c\n- d'],
    ['a list', '<ul><li>a</li><li>b</li></ul>c', '- a\n- b\n\nc'],
    ['numbers', '<ol><li>a<li>b<li>c</ol><ol><li>d</ol>', '1. a\n2. b\n3. c\n\n1. d'],
    [
      'a list in a list',
      '<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul>',
      '- a\n  1. b\n  2. c\n- d',
    ],
    ['paragraphs in a list', '<ul><li><p>a</p><p>b</p></li><li><p>c</p></li></ul>', '- a\nb\n- c'],
    ['an item without a list', '<li>a<li>b', '- a\n- b'],
    ['a table', '<table><tr><th>A<th>B<tr><td>1<td>2</table>c', 'A | B\n1 | 2\n\nc'],
    ['definitions', '<dl><dt>a<dd>b<dt>c<dd>d</dl>', 'a\nb\nc\nd'],
    ['code', '<p>x</p><pre>\n  a\n    b &lt;\n</pre>y', 'x\n\n  a\n    b <\n\n\ny'],
    ['a picture', '<p>a <img alt="a &amp; b" src=x> <img alt=""><img>c', 'a [image: a & b] c'],
    [
      'entities',
      '&lt;b&gt; &amp;amp; &eacute;&#233;&#xe9; &copy &unheard; &',
      '<b> &amp; ééé © &unheard; &',
    ],
    ['entities that are no character', '&#0;&#xd800;&#x110000;&#99999999999999999999;', '����'],
    ['capitals', '<P>a<BR>b<SCRIPT>c</SCRIPT>', 'a\nb'],
    [
      'comments and declarations',
      '<!doctype html><!-- a -->b<!-- <p>c --><?php d ?><![CDATA[e]]>f',
      'bf',
    ],
    ['a comment without end', 'a<!-- b <p>c', 'a'],
    ['a tag without end', 'a<p class="b', 'a'],
    ['what is no tag', 'a < b <3 </ c', 'a < b <3'],
    ['what is old', '<xmp><b>a</b></xmp><plaintext><i>b', '<b>a</b><i>b'],
  ])('%s', (_, html, text) => {
    expect(textOf(html)).toBe(text)
  })

  test.each([
    ['relative', '<a href="c?d=1&amp;e">x</a>', 'x (https://example.com/a/c?d=1&e)'],
    ['from the root', '<a href=/c>x</a>', 'x (https://example.com/c)'],
    ['another host', "<a href='//example.org'>x</a>", 'x (https://example.org/)'],
    ['mail', '<a href="mailto:a@b.c">x</a>', 'x (mailto:a@b.c)'],
    [
      'around a block',
      '<a href=c><h2>x</h2><p>y</p></a>z',
      '## x\n\ny (https://example.com/a/c)\n\nz',
    ],
    ['around a picture', '<a href=c><img alt=x></a>', '[image: x] (https://example.com/a/c)'],
    [
      'not closed',
      '<a href=c>x<a href=d>y',
      'x (https://example.com/a/c)y (https://example.com/a/d)',
    ],
    ['the first of two', '<a href=c href=d>x</a>', 'x (https://example.com/a/c)'],
    [
      'with a base',
      '<base href="/z/"><base href="/no/"><a href=c>x</a>',
      'x (https://example.com/z/c)',
    ],
    [
      'with a base that is no address',
      '<base href="http://["><a href=c>x</a>',
      'x (https://example.com/a/c)',
    ],
    ['without words', 'x<a href=c></a><a href=c> </a>', 'x'],
    ['within the page', '<a href="#c">x</a><a name=c>y</a>', 'xy'],
    ['scripts', '<a href="javascript:alert(1)">x</a><a href="JAVA\nSCRIPT:1">y</a>', 'xy'],
    ['data', '<a href="data:text/html,a">x</a><a href="file:///etc/passwd">y</a>', 'xy'],
    ['no address', '<a href="http://[">x</a>', 'x'],
    ['too long', `<a href="/${'a'.repeat(3000)}">x</a>`, 'x'],
    ['a new line in it', '<a href="/c\n(d)">x</a>', 'x (https://example.com/c(d))'],
  ])('links: %s', (_, html, text) => {
    expect(textOf(html)).toBe(text)
  })
})

describe('[TOOL8] what is not text is dropped', () => {
  test.each('script style template noscript iframe noembed noframes'.split(' '))(
    '%s, with headings and all that is in it',
    (tag) => {
      expect(textOf(`a<${tag}><h1>b</h1><main>c</main> </p> d</${tag}>e`)).toBe('ae')
      expect(textOf(`a<${tag.toUpperCase()} x=">">b</${tag}\n>c`)).toBe('ac')
    },
  )

  test.each(
    'svg math object canvas audio video nav footer button select textarea dialog'.split(' '),
  )('%s', (tag) => {
    expect(textOf(`a<${tag}><p>b</p></${tag}>c`)).toBe('ac')
  })

  test('a template in a template ends with the outer one', () => {
    expect(textOf('a<template>b<template>c</template>d</template>e')).toBe('ae')
  })

  test('navigation that is not closed ends where the content begins', () => {
    for (const tag of ['h1', 'main', 'article', 'body']) {
      expect(textOf(`<nav>a<${tag}>b`)).toMatch(/^(?:# )?b$/)
    }
  })

  test('a drawing that closes itself swallows nothing', () => {
    expect(textOf('a<svg class="x"/>b<math/>c')).toBe('abc')
    expect(textOf('a<svg><svg/><path d=""/><style/><title/></svg>b')).toBe('ab')
    expect(textOf('<nav><svg><style/></svg>a</nav>b')).toBe('b')
    expect(textOf('<title>t</title>a<svg><title>u</title></svg>b')).toBe('ab')
    expect(convert('<title>t</title><svg><title>u</title></svg>').title).toBe('t')
  })

  test('markup inside of a script is not the end of it', () => {
    expect(textOf('a<script>"</scrip"; "<p>b</p>"; x</script >c')).toBe('ac')
    expect(textOf('a<script>no end <p>b</p>')).toBe('a')
    expect(textOf('a<script/>b</script>c')).toBe('ac')
    expect(convert('a<script/>b<title/>c', { isXml: true })).toMatchObject({
      title: '',
      text: 'abc',
    })
  })
})

describe('[SAF2] [TOOL8] whatever the page, the work and the text are bounded', () => {
  test('a title is one short line', () => {
    expect(convert('<title> a\n\n b &amp; c </title>').title).toBe('a b & c')
    const { title, text } = convert(`<title>${'😀 \n'.repeat(100_000)}</title>x`)
    expect(title.length).toBeLessThanOrEqual(300)
    expect(title.isWellFormed()).toBe(true)
    expect(title).not.toContain('\n')
    expect(text).toBe('x')
    expect(convert(`<title>${'a</title><title>'.repeat(100_000)}`).title).toHaveLength(300)
    expect(convert(`<title>${'&amp;'.repeat(100_000)}`).title).toHaveLength(300)
  })

  test('a page that has filled its room is not read to its end', () => {
    expect(convert('123456<title>late</title>', { maxChars: 5 }).title).toBe('')
    expect(convert('12345<title>in time</title>', { maxChars: 5 }).title).toBe('in time')
  })

  test('text is cut at the bound, and says so', () => {
    expect(convert('<p>12345<p>678', { maxChars: 8 })).toMatchObject({
      text: '12345\n\n6',
      truncated: true,
    })
    expect(convert('<p>12345<p>6', { maxChars: 8 })).toMatchObject({
      text: '12345\n\n6',
      truncated: false,
    })
    for (const part of [
      'word ',
      '<p>a',
      '<li>a',
      '<td>a',
      '<img alt=a>',
      '<a href=b>c</a>',
      '&lt;',
      '<pre>a\n',
    ]) {
      const { text, truncated } = convert(part.repeat(200_000), { maxChars: 1000 })
      expect({ part, truncated }).toEqual({ part, truncated: true })
      expect(text.length).toBeLessThanOrEqual(1000)
      expect(text.length).toBeGreaterThan(900)
    }
  })

  // A parser that keeps a tree, or a stack that it searches, does not come back from these.
  test.each([
    '<div>',
    '<ul><li>',
    '<table><tr><td>',
    '<a></b>',
    '<b></i>',
    '</p>',
    '<svg>',
    '<svg/>',
    '<nav><h1>',
    '<template>',
    '<a href=x:>',
    '<pre>',
    '<title></title>',
    '<!--',
    '<![CDATA[',
    '<script>',
    '<script></script>',
    '<',
    '</',
    '<a ',
    '<a b=',
    '<a b="',
    '<base href="/éééé">',
  ])('a megabyte of %s comes to its end, with the text behind it or none', (part) => {
    const { text } = convert(`${part.repeat(1_000_000 / part.length)} end`)
    // The text is either shown, with marks around it, or inside of what is never text.
    expect(text.replaceAll(/[\s#|<</-]/g, '')).toMatch(/^(?:end)?$/)
  })

  test('lists a hundred thousand deep are not indented as far', () => {
    const { text } = convert(
      `${'<ul><li>'.repeat(100_000)}deep${'</li></ul>'.repeat(100_000)}<ul><li>flat`,
    )
    expect(text).toBe(`${' '.repeat(14)}- deep\n\n- flat`)
  })

  test('a long base is not read again for every link', () => {
    const base = `<base href="/${'é'.repeat(2000)}/">`
    const { text } = convert(`${base}${'<a href=x:>b</a>'.repeat(60_000)}<a href=c>d</a>`, {
      maxChars: 100_000,
    })
    expect(text.endsWith('bd (https://example.com/a/c)')).toBe(true)
  })

  test('names that an object has from birth are just names', () => {
    expect(
      textOf('<valueof href=x>a</valueof><constructor __proto__=1>b<a constructor=c>d</a>'),
    ).toBe('abd')
  })
})
