// Reading an archive that somebody sent. Everything that it says of itself is checked before the
// first byte is inflated, and it is refused as a whole: half an archive is nobody's wish.

import { WORKSPACE_BYTES, WORKSPACE_FILE_BYTES, WORKSPACE_FILES } from '#protocol/limits'
import { Inflate } from 'fflate'
import { parsePath } from './path.ts'
import { describeClash, PathIndex } from './path-index.ts'
import type { WorkspacePath } from './workspace.ts'

/** `read` inflates one file, so that only one is held at a time. It fails where the archive lied. */
export type ZipEntry = {
  path: WorkspacePath
  size: number
  read: () => { ok: true; bytes: Uint8Array } | { ok: false; problem: string }
}

export type OpenedZip = { ok: true; entries: readonly ZipEntry[] } | { ok: false; problem: string }

const END_SIGNATURE = 0x06054b50
const END_BYTES = 22
const CENTRAL_SIGNATURE = 0x02014b50
const CENTRAL_BYTES = 46
const LOCAL_SIGNATURE = 0x04034b50
const LOCAL_BYTES = 30
/** The end record is followed by a comment of at most this. */
const COMMENT_BYTES = 0xffff
/** Folders and what is left out count too: each costs a look. */
const RECORDS = WORKSPACE_FILES * 4

/** Deflate makes at most a thousand bytes of one. */
const PIECE_BYTES = 4096

const STORED = 0
const DEFLATED = 8
const ENCRYPTED_FLAG = 1
const UNIX = 3
const KIND_MASK = 0o170000
const REGULAR = 0o100000

class BadZip extends Error {}

/** Folders and links are left out: folders come with their files, a link could lead anywhere. */
export function openZip(bytes: Uint8Array): OpenedZip {
  try {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return { ok: true, entries: checkRecords(readRecords(bytes, view), bytes, view) }
  } catch (error) {
    if (error instanceof BadZip) return { ok: false, problem: error.message }
    // Every offset in it is the sender's word.
    if (error instanceof RangeError) return { ok: false, problem: BROKEN }
    throw error
  }
}

const BROKEN = 'This is not a zip archive, or it is damaged.'

type Record = {
  name: string
  method: number
  crc: number
  packedSize: number
  size: number
  offset: number
}

function readRecords(bytes: Uint8Array, view: DataView): Record[] {
  const end = findEnd(view)
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  if (count === 0xffff || at === 0xffffffff) throw new BadZip('Zip64 archives are not supported.')
  if (count > RECORDS) throw new BadZip(`The archive has ${count} entries; that is too many.`)
  const records: Record[] = []
  for (let i = 0; i < count; i++) {
    if (view.getUint32(at, true) !== CENTRAL_SIGNATURE) throw new BadZip(BROKEN)
    const nameBytes = view.getUint16(at + 28, true)
    const name = decodeName(bytes.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes))
    if (view.getUint16(at + 8, true) & ENCRYPTED_FLAG) {
      throw new BadZip(`The archive is encrypted: ${JSON.stringify(name)}.`)
    }
    const size = view.getUint32(at + 24, true)
    if (isFile(name, view, at)) {
      records.push({
        name,
        method: view.getUint16(at + 10, true),
        crc: view.getUint32(at + 16, true),
        packedSize: view.getUint32(at + 20, true),
        size,
        offset: view.getUint32(at + 42, true),
      })
    }
    at += CENTRAL_BYTES + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return records
}

function findEnd(view: DataView): number {
  const last = view.byteLength - END_BYTES
  for (let at = last; at >= Math.max(0, last - COMMENT_BYTES); at--) {
    if (view.getUint32(at, true) === END_SIGNATURE) return at
  }
  throw new BadZip(BROKEN)
}

function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    const shown = new TextDecoder().decode(bytes)
    throw new BadZip(`A name in the archive is not UTF-8: ${JSON.stringify(shown)}.`)
  }
}

/** What macOS puts beside the files is no file of anyone. */
function isFile(name: string, view: DataView, at: number): boolean {
  if (name.endsWith('/') || name.startsWith('__MACOSX/')) return false
  if (view.getUint16(at + 4, true) >> 8 !== UNIX) return true
  const kind = (view.getUint32(at + 38, true) >>> 16) & KIND_MASK
  return kind === 0 || kind === REGULAR
}

function checkRecords(records: readonly Record[], bytes: Uint8Array, view: DataView): ZipEntry[] {
  if (records.length > WORKSPACE_FILES) {
    throw new BadZip(`The archive has ${records.length} files; at most ${WORKSPACE_FILES}.`)
  }
  const index = new PathIndex()
  const seen = new Set<string>()
  // Entries that share their data are how a small archive becomes a large one.
  const packed = records.reduce((sum, { packedSize }) => sum + packedSize, 0)
  if (packed > bytes.length) throw new BadZip(BROKEN)
  let total = 0
  return records.map((record) => {
    const parsed = parsePath(record.name)
    if (!parsed.ok) throw new BadZip(parsed.problem)
    const { path } = parsed
    if (seen.has(path)) throw new BadZip(`${path} is in the archive twice.`)
    const clash = index.clash(path)
    if (clash !== null) throw new BadZip(describeClash(path, clash))
    seen.add(path)
    index.add(path)
    total += record.size
    if (record.size > WORKSPACE_FILE_BYTES || total > WORKSPACE_BYTES) {
      throw new BadZip(`The archive is too large when unpacked, at ${path}.`)
    }
    if (record.method !== STORED && record.method !== DEFLATED) {
      throw new BadZip(`${path} is packed in a way that is not supported.`)
    }
    return { path, size: record.size, read: () => readEntry(record, bytes, view) }
  })
}

function readEntry(
  record: Record,
  bytes: Uint8Array,
  view: DataView,
): ReturnType<ZipEntry['read']> {
  const content = unpack(record, bytes, view)
  if (content !== null && crc32(content) === record.crc) return { ok: true, bytes: content }
  return { ok: false, problem: `${JSON.stringify(record.name)} in the archive is damaged.` }
}

/** Null where it is not what was said: another size, or no data. */
function unpack(record: Record, bytes: Uint8Array, view: DataView): Uint8Array | null {
  const { method, packedSize, size, offset } = record
  try {
    if (view.getUint32(offset, true) !== LOCAL_SIGNATURE) return null
    const start =
      offset + LOCAL_BYTES + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true)
    if (start + packedSize > bytes.length) return null
    const packed = bytes.subarray(start, start + packedSize)
    if (method === STORED) return packedSize === size ? packed.slice() : null
    return inflate(packed, size)
  } catch {
    return null
  }
}

/** In small pieces: what goes on behind the size that was said is not inflated to its end. */
function inflate(packed: Uint8Array, size: number): Uint8Array | null {
  const content = new Uint8Array(size)
  let length = 0
  const inflater = new Inflate((piece) => {
    if (length + piece.length <= size) content.set(piece, length)
    length += piece.length
  })
  for (let at = 0; at < packed.length; at += PIECE_BYTES) {
    if (length > size) return null
    inflater.push(packed.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= packed.length)
  }
  return length === size ? content : null
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 0xff]!
  return (crc ^ 0xffffffff) >>> 0
}
