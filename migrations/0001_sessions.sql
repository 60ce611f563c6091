-- The directory of sessions: a projection that the session objects write and that can be rebuilt.
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  title TEXT NOT NULL,
  status TEXT NOT NULL,
  agent TEXT NOT NULL,
  model TEXT NOT NULL,
  mode TEXT NOT NULL,
  seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  pinned INTEGER NOT NULL,
  parent_id TEXT,
  forked_from TEXT,
  is_empty INTEGER NOT NULL,
  deleted_at INTEGER
) WITHOUT ROWID;

-- Listing: one owner, newest first, id as the tie-break that paging needs.
CREATE INDEX sessions_by_owner ON sessions (owner, updated_at DESC, id DESC)
  WHERE deleted_at IS NULL;

-- Reusing an empty session: holds only those, so that it costs nothing once a session is used.
CREATE INDEX sessions_empty ON sessions (owner)
  WHERE is_empty = 1 AND deleted_at IS NULL;
