-- What a session says of its mission: JSON, NULL where it has none.
ALTER TABLE sessions ADD COLUMN mission TEXT;

-- Listing what stands: holds only sessions that have a mission.
CREATE INDEX sessions_with_missions ON sessions (owner)
  WHERE mission IS NOT NULL AND deleted_at IS NULL;

-- Missions of agents: the one that stands and all before it. One with a schedule is carried out in
-- a session of its own, which knows how far it is; this table does not repeat it.
CREATE TABLE agent_missions (
  owner TEXT NOT NULL,
  agent TEXT NOT NULL,
  id TEXT NOT NULL,
  text TEXT NOT NULL,
  every_minutes INTEGER, -- NULL: it is only told, never prompted
  max_prompts INTEGER,
  session_id TEXT,
  status TEXT NOT NULL,  -- how it ended; 'active' until then
  prompts INTEGER NOT NULL,
  summary TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  PRIMARY KEY (owner, agent, id)
) WITHOUT ROWID;

-- At most one stands, whoever sets two at once; a run finds it in one row.
CREATE UNIQUE INDEX agent_missions_standing ON agent_missions (owner, agent)
  WHERE ended_at IS NULL;
