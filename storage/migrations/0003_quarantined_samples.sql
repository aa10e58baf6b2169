-- Samples that were ingested and turned out to be of no use later: unreadable, or refused by a graph.
ALTER TABLE storage.quarantine ADD COLUMN sample_key bigint;
CREATE UNIQUE INDEX quarantine_dataset_id_sample_key_idx
  ON storage.quarantine (dataset_id, sample_key) WHERE sample_key IS NOT NULL;
