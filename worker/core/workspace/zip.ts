// A workspace as an archive: streamed out one file at a time, since all of them may not fit into
// memory, and in a stream whoever reads decides how fast.

import { Zip, ZipDeflate } from 'fflate'
import { isInFolder } from './path.ts'
import type { FileEntry, WorkspacePath } from './workspace.ts'

/** An archive has no time before 1980 or after 2099. */
const FIRST_TIME = Date.UTC(1980, 0, 2)
const LAST_TIME = Date.UTC(2099, 11, 30)
/** Compressed in pieces, so that one large file is not one large step. */
const PIECE_BYTES = 256 * 1024

/** `folder`: only what is in it, named from there on. Contents are those at the time of the call. */
export function createZip(
  files: readonly FileEntry[],
  read: (hash: string) => Uint8Array | null,
  folder: WorkspacePath | null = null,
): ReadableStream<Uint8Array> {
  const entries = files.filter(({ path }) => isInFolder(path, folder))
  const prefix = folder === null ? 0 : folder.length + 1
  let zip: Zip
  let next = 0
  return new ReadableStream<Uint8Array>({
    start(controller) {
      zip = new Zip((error, piece, isLast) => {
        if (error !== null) return controller.error(error)
        // An empty piece is none.
        if (piece.length > 0) controller.enqueue(piece)
        if (isLast) controller.close()
      })
    },
    pull() {
      const entry = entries[next++]
      if (entry === undefined) {
        zip.end()
        return
      }
      const bytes = read(entry.hash)
      if (bytes === null) throw new Error(`the content of ${entry.path} is missing`)
      addFile(zip, entry.path.slice(prefix), entry.modifiedAt, bytes)
    },
    cancel() {
      zip.terminate()
    },
  })
}

function addFile(zip: Zip, name: string, modifiedAt: number, bytes: Uint8Array): void {
  const file = new ZipDeflate(name, { level: 6 })
  file.mtime = Math.min(LAST_TIME, Math.max(FIRST_TIME, modifiedAt))
  zip.add(file)
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    file.push(bytes.subarray(at, at + PIECE_BYTES), false)
  }
  file.push(new Uint8Array(0), true)
}
