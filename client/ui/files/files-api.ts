import { FilesApi } from '../../sdk/files-api.ts'

/** The files of one session, as this page reaches them. */
export const filesOf = (sessionId: string): FilesApi =>
  new FilesApi(sessionId, { origin: location.origin })
