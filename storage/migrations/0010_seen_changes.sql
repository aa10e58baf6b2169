-- A hash of the times at which the system last changed the file and those that belong to it (ctime);
-- null where they are not known. Unlike the time of modification, no program can set them.
ALTER TABLE storage.files ADD COLUMN change_stamp bigint;
-- The sum of the first and the last bytes that were taken of a growing file, samples or not.
ALTER TABLE storage.files ADD COLUMN edge_sum bigint;
