-- What of a file did not become samples: a few rows a file, whose counts hold every record, whereas
-- storage.quarantine lists the first 10,000.
CREATE TABLE storage.left_out (
  file_id bigint NOT NULL,
  -- What the reasons of these records have in common, '...' for what they quote; at most 200 bytes.
  reason text NOT NULL,
  -- The dataset's spec wants them left out.
  wanted boolean NOT NULL,
  dataset_id bigint NOT NULL REFERENCES storage.datasets,
  num_records bigint NOT NULL,
  -- 1 where nothing was taken of the file and its records are not known.
  num_files bigint NOT NULL,
  -- Zero-based; null where the whole file is meant.
  first_record bigint,
  first_reason text NOT NULL,
  PRIMARY KEY (file_id, reason, wanted)
);
CREATE INDEX left_out_dataset_id_idx ON storage.left_out (dataset_id);

-- What was quarantined before this was counted, as far as it was listed.
INSERT INTO storage.left_out
SELECT files.file_id, left(regexp_replace(entries.reason, '''[^'']*''', '''...''', 'g'), 50), false,
       files.dataset_id, count(entries.position), count(*) - count(entries.position),
       min(entries.position), (array_agg(entries.reason ORDER BY entries.position))[1]
FROM storage.quarantine AS entries
JOIN storage.files ON files.dataset_id = entries.dataset_id AND files.path = entries.path
WHERE entries.sample_key IS NULL
GROUP BY files.file_id, 2, files.dataset_id;

-- Samples of the segment that have no label, those that have vanished from their file left out.
ALTER TABLE storage.segments ADD COLUMN num_unlabelled bigint NOT NULL DEFAULT 0;
