import { describe, expect, test } from 'vitest'
import { checkAddress, isPublicHost } from './web-address.ts'

const problemOf = (text: string, base?: URL) => {
  const checked = checkAddress(text, base)
  return checked.ok ? `allowed: ${checked.url.href}` : checked.problem
}

const isAllowed = (text: string) => checkAddress(text, undefined, true).ok

const PRIVATE = 'its host is not on the public internet'
const NO_URL = 'it is not an absolute URL such as https://example.com/page'
const SCHEME = 'only http and https can be fetched'
const CREDENTIALS = 'a name or password in the address is not allowed'

describe('[TOOL8] [SAF2] addresses of IPv4 that are not on the internet', () => {
  test.each([
    ['this network', '0.0.0.0 0.0.0.1 0.255.255.255'],
    ['loopback', '127.0.0.1 127.0.0.0 127.255.255.254'],
    ['RFC 1918', '10.0.0.0 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.255.255'],
    ['carrier NAT', '100.64.0.0 100.127.255.255'],
    ['link-local', '169.254.0.1 169.254.255.255'],
    ['protocol assignments', '192.0.0.1 192.0.0.170'],
    ['documentation', '192.0.2.1 198.51.100.1 203.0.113.255'],
    ['6to4 relays and AS112', '192.88.99.1 192.31.196.1 192.52.193.1 192.175.48.1'],
    ['benchmarks', '198.18.0.0 198.19.255.255'],
    ['multicast', '224.0.0.1 239.255.255.255'],
    ['reserved and broadcast', '240.0.0.1 255.255.255.254 255.255.255.255'],
    [
      'metadata of clouds',
      '169.254.169.254 169.254.170.2 100.100.100.200 192.0.0.192 168.63.129.16',
    ],
  ])('%s: %s', (_, addresses) => {
    for (const address of addresses.split(' ')) {
      expect(problemOf(`http://${address}/`), address).toBe(PRIVATE)
    }
  })

  test.each([
    ['just outside', '1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255'],
    ['just outside', '128.0.0.0 168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0'],
    ['just outside', '172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0'],
    ['just outside', '198.17.255.255 198.20.0.0 203.0.112.255 203.0.114.0 223.255.255.255'],
    ['well known', '1.1.1.1 8.8.8.8 93.184.216.34'],
  ])('%s of these, public ones pass: %s', (_, addresses) => {
    for (const address of addresses.split(' ')) {
      expect(problemOf(`http://${address}`)).toBe(`allowed: http://${address}/`)
    }
  })
})

describe('[TOOL8] [SAF2] addresses of IPv6 that are not on the internet', () => {
  test.each([
    ['unspecified and loopback', '[::] [::1] [0:0:0:0:0:0:0:1] [0000::0001]'],
    ['IPv4-mapped', '[::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] [::ffff:8.8.8.8]'],
    ['IPv4-compatible', '[::127.0.0.1] [::a00:1] [::8.8.8.8]'],
    ['IPv4-translated', '[::ffff:0:127.0.0.1]'],
    ['NAT64', '[64:ff9b::127.0.0.1] [64:ff9b::a00:1] [64:ff9b::8.8.8.8] [64:ff9b:1::1]'],
    ['discard', '[100::1] [100:0:0:1::1]'],
    ['6to4', '[2002:7f00:1::] [2002:a00:1::1] [2002:c0a8:1::1] [2002:808:808::1]'],
    ['Teredo, ORCHID, benchmarks', '[2001::1] [2001:20::1] [2001:10::1] [2001:2::1] [2001:1ff::1]'],
    ['documentation', '[2001:db8::1] [2001:db8:ffff:ffff::] [3fff::1] [3fff:fff::1]'],
    ['AS112', '[2620:4f:8000::1]'],
    ['segment routing', '[5f00::1]'],
    ['unique local', '[fc00::1] [fd00::1] [fdff:ffff::1] [fd00:ec2::254] [fd20:ce::254]'],
    ['link-local and site-local', '[fe80::1] [febf::1] [fec0::1] [FE80::1]'],
    ['multicast', '[ff02::1] [ff0e::1]'],
    ['never given out', '[4000::1] [1fff::1] [8000::1] [e000::1]'],
  ])('%s: %s', (_, addresses) => {
    for (const address of addresses.split(' ')) {
      expect(problemOf(`https://${address}/`), address).toBe(PRIVATE)
    }
  })

  test.each([
    '[2606:4700:4700::1111]',
    '[2a00:1450:4001:80b::200e]',
    '[2001:4860:4860::8888]',
    '[2001:200::1]',
    '[2003::1]',
    '[2620:4f:8001::1]',
    '[3ffe::1]',
    '[3fff:1000::1]',
  ])('public ones pass: %s', (address) => {
    expect(problemOf(`http://${address}/`)).toBe(`allowed: http://${address}/`)
  })

  test.each(['[fe80::1%25eth0]', '[fe80::1%eth0]', '[::1', '::1', '[::1]x', '[1::2::3]', '[]'])(
    'zone ids and broken brackets are no address: %s',
    (address) => {
      expect(problemOf(`http://${address}/`)).toBe(NO_URL)
    },
  )
})

describe('[TOOL8] [SAF2] a private host stays private however it is spelled', () => {
  test.each([
    ['decimal', 'http://2130706433/'],
    ['decimal', 'http://3232235777/'],
    ['hex', 'http://0x7f000001/'],
    ['hex', 'http://0x7f.1/'],
    ['hex', 'http://0X7F.0x0.0x0.0x1/'],
    ['octal', 'http://0177.0.0.1/'],
    ['octal', 'http://017700000001/'],
    ['octal and padded', 'http://000000177.0.0.01/'],
    ['short', 'http://127.1/'],
    ['short', 'http://127.0.1/'],
    ['short', 'http://10.1/'],
    ['zero', 'http://0/'],
    ['zero', 'http://0x/'],
    ['trailing dot', 'http://127.0.0.1./'],
    ['trailing dots', 'http://127.0.0.1../'],
    ['trailing dot', 'http://localhost./'],
    ['trailing dots', 'http://localhost../'],
    ['full-width digits', 'http://１２７.０.０.１/'],
    ['circled digits', 'http://①②⑦.⓪.⓪.①/'],
    ['ideographic dots', 'http://127。0。0。1/'],
    ['full-width dots', 'http://127．0．0．1/'],
    ['soft hyphen', 'http://127.0.0\u00ad.1/'],
    ['zero-width', 'http://local\u200bhost/'],
    ['full-width letters', 'http://ｌｏｃａｌｈｏｓｔ/'],
    ['circled letters', 'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/'],
    ['percent-encoded', 'http://%31%32%37.0.0.1/'],
    ['percent-encoded', 'http://127%2e0%2e0%2e1/'],
    ['percent-encoded', 'http://%6cocalhost/'],
    ['percent-encoded full-width', 'http://%EF%BC%91%EF%BC%92%EF%BC%97.1/'],
    ['capitals', 'HTTP://LOCALHOST/'],
    ['one slash', 'http:/127.0.0.1/'],
    ['no slash', 'http:127.0.0.1/'],
    ['three slashes', 'http:///127.0.0.1/'],
    ['backslashes', 'http:\\\\127.0.0.1\\'],
    ['white space around', ' \n http://127.0.0.1/ \t'],
    ['a newline inside', 'http://127.0.\n0.1/'],
    ['a tab inside', 'ht\ttp://local\thost/'],
    ['a carriage return inside', 'http:\r//127.0.0.1\r/'],
    ['a question mark for a path', 'http://127.0.0.1?example.com'],
    ['a fragment for a path', 'http://127.0.0.1#@example.com'],
    ['a backslash before the name', 'http://127.0.0.1\\@example.com/'],
  ])('%s: %j', (_, address) => {
    expect(problemOf(address)).toBe(PRIVATE)
  })

  test.each([
    'http://127.0.0.1%00.example.com/',
    'http://127.0.0.1%20/',
    'http://127.0.0.1 .example.com/',
    'http://256.256.256.256/',
    'http://1.2.3.4.5/',
    'http://0x100000000/',
    'http://example.0x7f/',
    'http://exa%mple.com/',
    'http://example.com:99999/',
    'http://example.com:80a/',
  ])('and what could be read in two ways is no URL: %j', (address) => {
    expect(problemOf(address)).toBe(NO_URL)
  })
})

test('[SAF2] a number that the URL parser did not read is not taken for a name either', () => {
  for (const host of [
    '127.1',
    '0x7f.1',
    'a.0x7f',
    'a.0x',
    '1.2.3.4.5',
    '999.1.1.1',
    '[::1',
    '[1:2]',
  ]) {
    expect(isPublicHost(host), host).toBe(false)
  }
})

describe('[TOOL8] [SAF2] names that are not on the internet', () => {
  test.each([
    ['localhost', 'localhost www.localhost a.b.localhost LocalHost'],
    ['mDNS', 'printer.local local a.LOCAL.'],
    [
      'metadata of clouds',
      'metadata.google.internal metadata metadata.azure.internal instance-data',
    ],
    [
      'clusters',
      'kubernetes kubernetes.default kubernetes.default.svc a.b.svc.cluster.local db.consul',
    ],
    ['containers', 'host.docker.internal gateway.docker.internal redis'],
    [
      'home and office',
      'nas.lan router.home fritz.box wiki.intranet git.corp a.home.arpa srv.private',
    ],
    ['reverse look-ups', '1.0.0.127.in-addr.arpa ipv4only.arpa'],
    ['reserved', 'a.test a.invalid a.onion host.localdomain'],
    ['single labels', 'intranet com a xn--nxasmq6b'],
    ['empty labels', '.example.com example..com example.com.. .'],
    [
      'a record for any address',
      '127.0.0.1.nip.io 10-0-0-1.sslip.io 7f000001.nip.io app.localtest.me',
    ],
    ['too long to look up', `${'a'.repeat(60)}.`.repeat(5) + 'com'],
  ])('%s: %s', (_, hosts) => {
    for (const host of hosts.split(' ')) expect(problemOf(`http://${host}/`), host).toBe(PRIVATE)
  })

  test.each([
    ['https://example.com', 'https://example.com/'],
    ['http://www.example.co.uk/a?b=c#d', 'http://www.example.co.uk/a?b=c'],
    ['https://example.com./', 'https://example.com./'],
    ['https://localhost.example.com/', 'https://localhost.example.com/'],
    ['https://mylocal.net/', 'https://mylocal.net/'],
    ['https://internal.example.org/', 'https://internal.example.org/'],
    ['https://notlocalhost.dev/', 'https://notlocalhost.dev/'],
    ['https://snip.io/', 'https://snip.io/'],
    ['https://127.0.0.1.example.com/', 'https://127.0.0.1.example.com/'],
    ['https://example.com/http://127.0.0.1/', 'https://example.com/http://127.0.0.1/'],
    ['https://example.com\\@127.0.0.1/', 'https://example.com/@127.0.0.1/'],
    ['HTTPS://EXAMPLE.COM/Path', 'https://example.com/Path'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    // Look-alikes are on the internet; written in ASCII they do not look alike any more.
    ['https://аpple.com/', 'https://xn--pple-43d.com/'],
    ['https://exa\nmple.com/\ta', 'https://example.com/a'],
    ['https://example.com/a\u0007 b', 'https://example.com/a%07%20b'],
  ])('others pass, as they will be asked for: %j', (address, href) => {
    expect(problemOf(address)).toBe(`allowed: ${href}`)
  })
})

describe('[TOOL8] [SAF2] the rest of an address', () => {
  test.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:text/html,hi',
    'javascript:alert(1)',
    'blob:https://example.com/1',
    'ws://example.com/',
    'gopher://example.com/',
    'about:blank',
    'view-source:http://example.com',
    'mailto:a@example.com',
    'example.com:80/',
    'httpx://example.com',
  ])('only http and https: %s', (address) => {
    expect(problemOf(address)).toBe(SCHEME)
  })

  test.each([
    '',
    ' ',
    'example.com',
    '/etc/passwd',
    '//example.com/',
    'http://',
    'http:',
    'https:///',
    '?',
  ])('no host, no address: %j', (address) => {
    expect(problemOf(address)).toBe(NO_URL)
  })

  test.each([
    'http://user@example.com/',
    'http://user:secret@example.com/',
    'http://:secret@example.com/',
    'http://example.com@127.0.0.1/',
    'http://example.com%40@127.0.0.1/',
    'http://127.0.0.1:80@x@1.1.1.1/',
  ])('no name and no password: %s', (address) => {
    expect(problemOf(address)).toBe(CREDENTIALS)
  })

  test.each(['80', '443', '8080', '8443', ''])('port %j serves pages', (port) => {
    expect(problemOf(`http://example.com:${port}/`)).toContain('allowed: ')
    expect(problemOf(`https://example.com:${port}/`)).toContain('allowed: ')
  })

  test.each([
    0, 1, 21, 22, 23, 25, 53, 81, 110, 2375, 3306, 5432, 6379, 8787, 9200, 11_211, 65_535,
  ])('port %s does not', (port) => {
    const problem = `port ${port} is not one that serves web pages`
    expect(problemOf(`http://example.com:${port}/`)).toBe(problem)
    expect(problemOf(`https://1.1.1.1:0${port}/`)).toBe(problem)
  })

  test('a relative address is read from the page that named it, and checked like any other', () => {
    const base = new URL('https://example.com/a/b')
    expect(problemOf('../c?d#e', base)).toBe('allowed: https://example.com/c?d')
    expect(problemOf('', base)).toBe('allowed: https://example.com/a/b')
    expect(problemOf('//127.0.0.1/', base)).toBe(PRIVATE)
    expect(problemOf('\\\\localhost\\', base)).toBe(PRIVATE)
    expect(problemOf('https:127.0.0.1', base)).toContain('allowed: https://example.com/a/127.0.0.1')
    expect(problemOf('http:127.0.0.1', base)).toBe(PRIVATE)
    expect(problemOf('file:///etc/passwd', base)).toBe(SCHEME)
    expect(problemOf('//u:p@example.com', base)).toBe(CREDENTIALS)
  })

  test('where private addresses are allowed, schemes and credentials still are not', () => {
    expect(isAllowed('http://127.0.0.1:3000/')).toBe(true)
    expect(isAllowed('http://printer.local/')).toBe(true)
    expect(isAllowed('file:///etc/passwd')).toBe(false)
    expect(isAllowed('http://a:b@127.0.0.1/')).toBe(false)
  })
})
