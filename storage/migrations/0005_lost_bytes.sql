-- The bytes of a file in which no record could be found, and the members of an archive that no
-- sample uses. A row without records, files and lost bytes is a remark on the file. Remarks are made
-- anew whenever something is read of it.
ALTER TABLE storage.left_out ADD COLUMN lost_bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE storage.left_out ADD COLUMN num_members bigint NOT NULL DEFAULT 0;
ALTER TABLE storage.quarantine ADD COLUMN is_remark boolean NOT NULL DEFAULT false;

-- How far the file was read, unpacked. What was read before is known by its size alone.
ALTER TABLE storage.files ADD COLUMN num_bytes bigint NOT NULL DEFAULT 0;
UPDATE storage.files SET num_bytes = greatest(size_bytes, bytes_done) WHERE state <> 'vanished';
