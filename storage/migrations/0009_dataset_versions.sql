-- A dataset whose spec changes gets a new version. It has the name and the slot of the one before it,
-- which is then named NAME@NUMBER and ingests nothing any more. Records that both have keep their keys.
ALTER TABLE storage.datasets DROP CONSTRAINT datasets_slot_key;
ALTER TABLE storage.datasets
  ADD COLUMN superseded boolean NOT NULL DEFAULT false,
  -- The version whose keys this one is taking over; null when it has taken them over, or had none to.
  ADD COLUMN predecessor_id bigint,
  -- Whether the predecessor is deleted then.
  ADD COLUMN replaces_predecessor boolean NOT NULL DEFAULT false;

-- The last key that was given. While a version takes over keys it is greater than committed_key:
-- the samples of such a version have keys of any age, so they become visible together.
ALTER TABLE storage.watermarks ADD COLUMN allocated_key bigint;
UPDATE storage.watermarks SET allocated_key = committed_key;
ALTER TABLE storage.watermarks ALTER COLUMN allocated_key SET NOT NULL;

-- Keys of a segment that have no record in this version and never had one. They count as no sample.
ALTER TABLE storage.tombstones ADD COLUMN is_gap boolean NOT NULL DEFAULT false;

-- The sums (LookupRow::hash) of records whose samples were deleted on request from earlier versions.
-- Another spec may give such a record another label; it stays out all the same.
CREATE TABLE storage.deleted_records (
  dataset_id bigint NOT NULL REFERENCES storage.datasets,
  record_hash bigint NOT NULL,
  PRIMARY KEY (dataset_id, record_hash)
);
