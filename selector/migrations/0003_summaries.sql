-- What a selection did, and which samples the run has chosen so far.
ALTER TABLE selector.training_sets
  -- A SelectionSummary; empty in rows that are older.
  ADD COLUMN summary bytea NOT NULL DEFAULT '',
  -- Of the file with the keys chosen up to this set; empty when they are not known.
  ADD COLUMN chosen_digest text NOT NULL DEFAULT '';
