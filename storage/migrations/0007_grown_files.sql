-- The inode of the file, or the hash of the ETag of the object; null where it is not known. A file
-- with another inode that is not smaller has not just grown.
ALTER TABLE storage.files ADD COLUMN inode bigint;
-- The key of the last sample that was compared with the file when it grew: a part is compared each
-- time, and the next part the next time.
ALTER TABLE storage.files ADD COLUMN checked_key bigint NOT NULL DEFAULT 0;
-- A header among the records says that the columns stand in another order from there on, so that
-- nothing is taken of what follows.
ALTER TABLE storage.files ADD COLUMN columns_moved boolean NOT NULL DEFAULT false;
