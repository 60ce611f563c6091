// Every number the outside can run into, with the reason it has that value.

const KIB = 1024
const MIB = 1024 * KIB

/** One client frame or HTTP command body. Far below the platform's 32 MiB, so that parsing stays quick. */
export const CLIENT_FRAME_BYTES = 1 * MIB
/** Text of one message: a long paste fits, and the event that carries it stays under EVENT_BYTES. */
export const MESSAGE_TEXT_BYTES = 256 * KIB
/** One event as JSON. SQLite rows are capped at 2 MB; JSON escapes again inside frames. */
export const EVENT_BYTES = 512 * KIB
/** A text part closes here and the next opens, so that `text_done` with the full text stays an event. */
export const TEXT_PART_BYTES = 256 * KIB
/** Items waiting in one session's queue. */
export const QUEUE_ITEMS = 100
/** All queued items as JSON: `queue_updated` carries the whole queue and must stay an event. */
export const QUEUE_BYTES = EVENT_BYTES - 16 * KIB
/** Sockets on one session: each one costs a send per frame. */
export const SOCKETS_PER_SESSION = 200
/** Provider calls in one run, so that a confused model cannot spend without end. */
export const STEPS_PER_RUN = 50
/** Tool calls in one run. */
export const TOOL_CALLS_PER_RUN = 200
/** One tool call's time. */
export const TOOL_TIME_MS = 120_000
/** What the model is given back of one tool's output. */
export const TOOL_OUTPUT_BYTES = 64 * KIB
/** Title of a session. */
export const TITLE_CHARS = 200
/** A client's own id of a command. */
export const COMMAND_ID_CHARS = 128

/** Commands per minute and session, and how many may come at once. */
export const COMMAND_RATE = { perMinute: 120, burst: 30 } as const
/** Requests per minute and owner, and how many may come at once. */
export const REQUEST_RATE = { perMinute: 1200, burst: 200 } as const

/** A delta row is written this long after the first unwritten text: what a crash may lose. */
export const DELTA_FLUSH_MS = 400
/** …or as soon as this much text waits: a fast model must not widen the window in characters. */
export const DELTA_FLUSH_CHARS = 4096
/** Time between fragment frames: about 28 a second. Quicker is not seen, and each frame is billed. */
export const FRAGMENT_TICK_MS = 35
/** Word characters before a text part is shown, so that half-open markdown never flashes. */
export const GATE_WORD_CHARS = 8

/** Default and largest `tail` of a hello with `after:null`. */
export const TAIL_EVENTS = 200
export const TAIL_EVENTS_MAX = 1000
/** How far a tail may be moved back to reach the start of a turn. */
export const TAIL_ALIGN_EVENTS = 200
/** A client further behind starts again at the end instead of replaying all of it. */
export const RESUME_EVENTS = 5000
/** Events on one page of `GET …/events`. */
export const PAGE_EVENTS = 200
export const PAGE_EVENTS_MAX = 1000
/** Events in one replay frame are cut at this size, below what any WebSocket client accepts. */
export const REPLAY_FRAME_CHARS = 256 * KIB
/** Sent but not reported as seen: past this a client is slow, and told to resync. */
export const SLOW_CLIENT_CHARS = 2 * MIB
/** Bad frames in a row before the socket is closed. */
export const BAD_FRAMES = 10

/** A run in flight when its object dies is continued by itself this often, then it stops visibly. */
export const AUTOMATIC_CONTINUATIONS = 2
/** While a run is active an alarm fires at least this often, so that a dead object wakes. */
export const WATCHDOG_MS = 30_000
/** How long a deleted session can be restored. */
export const RESTORE_MS = 10_000
