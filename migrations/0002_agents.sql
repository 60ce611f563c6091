-- Agents that people made. The built-in ones are code and have no row.
CREATE TABLE agents (
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  instructions TEXT NOT NULL,
  models TEXT NOT NULL, -- JSON: an array of model ids
  tools TEXT,           -- JSON: an array of tool names; NULL: every tool
  mode TEXT NOT NULL,
  colour TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (owner, name)
) WITHOUT ROWID;
