-- What an owner allowed or refused once and for all ("always"), by the decision that said so.
CREATE TABLE rules (
  owner TEXT NOT NULL,
  id TEXT NOT NULL,
  verdict TEXT NOT NULL,
  kind TEXT NOT NULL,
  pattern TEXT NOT NULL,
  description TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (owner, id)
) WITHOUT ROWID;
