-- The records of a file that do not satisfy `where` of the dataset's spec: they are no samples, and
-- nothing is wrong with them.
ALTER TABLE storage.files ADD COLUMN num_filtered bigint NOT NULL DEFAULT 0;
