// The package's door: everything a page, a terminal or another program uses of the client.

export { Api, createApi, type ApiOptions, type EventsAnswer, type EventsQuery } from './api.ts'
export type {
  AgentChanges,
  ListedSession,
  Me,
  NewAgent,
  SessionPage,
  ToolsAnswer,
  ToolSummary,
} from './api.ts'
export { describeTool, type ToolDescription } from '#protocol/describe-tool'
export type { WebSocketClass } from './dialler.ts'
export { ApiError, CommandError } from './errors.ts'
export { FilesApi, type FileContent, type Precondition } from './files-api.ts'
export {
  createHubClient,
  type HubClientOptions,
  type HubHandle,
  type HubView,
} from './hub-client.ts'
export { MissionsApi, type MissionTarget, type NewMission } from './missions-api.ts'
export type { EventsPage } from './older-pages.ts'
export { randomId } from './random-id.ts'
export type { SessionClientOptions } from './session-client-options.ts'
export { createSessionClient } from './session-client.ts'
export { createSessionModel, SessionModel, type Settled } from './session-model.ts'
export type { ModelView } from './session-view.ts'
export {
  activeNotifications,
  latestToolActivity,
  toolActivity,
  type ToolActivity,
  type ToolNotification,
  type ToolStatistics,
} from './tool-notifications.ts'
export type { ConnectionState, PendingSend, SessionHandle, SessionView } from './types.ts'
