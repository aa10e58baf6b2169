-- Some tombstones are of samples that somebody has deleted, the others of records that are gone.
ALTER TABLE storage.tombstones
  ADD COLUMN on_request boolean NOT NULL DEFAULT false,
  -- The sum of the record and its label (record_identity.h): an equal record stays out of the
  -- dataset. Null where nobody has deleted the sample, and for those deleted before this.
  ADD COLUMN record_identity bigint;

-- A deleted sample whose record is in its file was deleted on request.
UPDATE storage.tombstones SET on_request = true
FROM storage.samples
WHERE samples.dataset_id = tombstones.dataset_id AND samples.sample_key = tombstones.sample_key
  AND samples.position IS NOT NULL;
