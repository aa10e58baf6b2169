-- Beside the entries of a set lies the record of the samples that came too late for the set before.
ALTER TABLE selector.training_sets
  ADD COLUMN num_late bigint NOT NULL DEFAULT 0,
  -- Of the record; empty when there is none.
  ADD COLUMN late_digest text NOT NULL DEFAULT '',
  -- Retention has removed the entries; the record of late samples stays.
  ADD COLUMN removed boolean NOT NULL DEFAULT false;
