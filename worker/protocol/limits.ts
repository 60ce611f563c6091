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
/** Sockets of one owner's hub: one for each tab. */
export const SOCKETS_PER_HUB = 200
/** Sessions that a hub begins with; older ones are pages of `GET /api/sessions`. */
export const HUB_SESSIONS = 200
/** Changes a hub keeps: a client further behind is told everything again, which is cheaper. */
export const HUB_CHANGES = 1000
/** Provider calls in one run, so that a confused model cannot spend without end. */
export const STEPS_PER_RUN = 50
/**
 * Text, thinking and arguments of one provider call. The longest answers of today's models are half of
 * it; a local model that repeats itself never ends.
 */
export const STEP_OUTPUT_CHARS = 1 * MIB
/** Tool calls in one run. */
export const TOOL_CALLS_PER_RUN = 200
/** One tool call's time. */
export const TOOL_TIME_MS = 120_000
/** What the model is given back of one tool's output. */
export const TOOL_OUTPUT_BYTES = 64 * KIB
/** Files in one workspace, the bytes of one, and of all: what an object's database can carry. */
export const WORKSPACE_FILES = 2000
export const WORKSPACE_FILE_BYTES = 8 * MIB
export const WORKSPACE_BYTES = 256 * MIB
/**
 * Contents of all versions together. None is ever forgotten, so that every undo can be undone; an
 * object's database ends at 10 GB, and the log has to fit beside them.
 */
export const WORKSPACE_STORED_BYTES = 1024 * MIB
/** An archive as it is sent: it is held four times on its way into an object, in 128 MB in all. */
export const ARCHIVE_BYTES = 16 * MIB
/** A path: longer ones do not fit into an address or a line of text. */
export const PATH_BYTES = 512
/** A glob: the time it takes grows with it. */
export const PATTERN_CHARS = 200
/** What a person changes of a call, as JSON: it is escaped again in events, which must stay events. */
export const EDIT_BYTES = 128 * KIB
/** All answers to one call's questions, as JSON: the model is given them as a tool's output. */
export const ANSWERS_BYTES = 64 * KIB
/** Steps of a plan: more is a document, not a plan. */
export const PLAN_STEPS = 100
/** An agent's instructions are sent with every step: a page or two, not a book. */
export const INSTRUCTIONS_BYTES = 32 * KIB
/** Agents that one session changes for itself: all of it lies in its hot row. */
export const OVERRIDES_PER_SESSION = 8
/** A mission is sent with every step, too: a goal, not a document. */
export const MISSION_TEXT_BYTES = 8 * KIB
/** Time between prompts of a mission where nobody says, and at most: a month. */
export const MISSION_MINUTES = 60
export const MISSION_MINUTES_MAX = 43_200
/** Prompts that a mission may make before a person looks again. */
export const MISSION_PROMPTS = 10
export const MISSION_PROMPTS_MAX = 1000
/** Missions on one page of a history. */
export const MISSIONS_LISTED = 100
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

/** A call that failed is tried again this often before the next model takes over. */
export const RETRIES_PER_MODEL = 2
/** …and in a whole run, whatever the step: a provider that fails now and then must not go on for ever. */
export const RETRIES_PER_RUN = 12
/** A provider that asks to wait longer than this has given the run to the next model. */
export const RETRY_WAIT_MS = 20_000
/** …unless there is none: a wait that people can see and stop is better than no answer. Most limits are per minute. */
export const LAST_RETRY_WAIT_MS = 120_000
/** How long a provider that failed for good is left alone. */
export const CIRCUIT_MS = 60_000
/** A stream without a byte for this long is dead. Providers send keep-alives far more often. */
export const STALL_MS = 90_000
/** …but its first byte may take longer: some models think before they send any, or have to be loaded. */
export const FIRST_BYTE_MS = 300_000
/** Share of the window at which the history is compacted, and what is kept of it as it was. */
export const COMPACT_AT = 0.85
export const COMPACT_KEEP = 0.25

/** A run in flight when its object dies is continued by itself this often, then it stops visibly. */
export const AUTOMATIC_CONTINUATIONS = 2
/** While a run is active an alarm fires at least this often, so that a dead object wakes. */
export const WATCHDOG_MS = 30_000
/** How long a deleted session can be restored. */
export const RESTORE_MS = 10_000

/** Exchanges and children that may follow from one message of a person, in the whole tree of runs. */
export const CONTACTS_PER_ROOT = 1024
/**
 * A run hands a part of what it has left on with each, so the whole is bounded, and nobody has to
 * count for all: one of so many parts with the first, of one more with each that is still out. A
 * message often leads to the next: the last of HOPS has some left. A child is one of many: three at each of
 * SPAWN_DEPTH levels can all still ask somebody, and one run can have CONTACTS_PER_RUN of them.
 */
export const MESSAGE_PARTS = 2
export const SPAWN_PARTS = 4
/** …and that one run may start: what it waits for is written with every change of its session. */
export const CONTACTS_PER_RUN = 64
/** Exchanges of a session that have no answer yet, of all its runs: they are written just as often. */
export const OPEN_EXCHANGES = 64
/** Agents between a person's message and the last that hears of it. */
export const HOPS = 8
/** Levels of children below a person's session. */
export const SPAWN_DEPTH = 3
/** Waits that are followed to see whether somebody waits for themselves: no object may ask without end. */
export const WAITS_FOLLOWED = 500
/** How long an answer is waited for, unless the agent says otherwise, and at most. */
export const EXCHANGE_SECONDS = 3_600
export const CALLBACK_SECONDS = 86_400
export const EXCHANGE_SECONDS_MAX = 7 * 86_400
/** A child that has not ended by then never will: people may be asked in it, and be away for days. */
export const CHILD_SECONDS = 7 * 86_400
/**
 * A letter to another session is tried this often, over 20 to 40 minutes, before people are told and,
 * where it asks for something, it is given up.
 */
export const LETTER_ATTEMPTS = 16
/** What was asked for is owed for as long as somebody may wait for it: seldom enough to cost nothing. */
export const LETTER_LATE_MS = 3_600_000
/** What is told of a child while it works: often enough to follow it, seldom enough to pay for. */
export const PROGRESS_MS = 2_000
/** What stands in a database or in another object: a run must not hang on either. */
export const LOOK_UP_MS = 20_000
