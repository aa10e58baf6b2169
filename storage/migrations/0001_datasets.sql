-- Datasets, their files, samples, and what became of them. All tables are logged.

-- A dataset's slot is the upper part of its samples' keys (key = slot << 44 | counter, the counter
-- starts at 1) and is never reused, not even after the dataset was deleted.
CREATE SEQUENCE storage.dataset_slots AS bigint MINVALUE 1 MAXVALUE 524287 NO CYCLE;

CREATE TABLE storage.datasets (
  dataset_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  namespace text NOT NULL,
  name text NOT NULL,
  slot bigint NOT NULL UNIQUE DEFAULT nextval('storage.dataset_slots'),
  -- As registered, canonical YAML with an absolute path: what a second registration must equal.
  registered_spec text NOT NULL,
  -- The same, completed by what the first file told (format.columns).
  spec text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT datasets_namespace_name_idx UNIQUE (namespace, name)
);

-- One row per path; `version` grows when its content is replaced.
CREATE SEQUENCE storage.file_ids AS bigint;
CREATE TABLE storage.files (
  file_id bigint PRIMARY KEY,
  dataset_id bigint NOT NULL REFERENCES storage.datasets,
  -- Absolute.
  path text NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  size_bytes bigint NOT NULL,
  modified_at timestamptz NOT NULL,
  -- Of inode, size and nanosecond mtime of the file and of its second file: equal means unchanged.
  fingerprint bigint NOT NULL,
  -- How much was taken: the end of the last record, and how many records, bad ones included.
  bytes_done bigint NOT NULL,
  records_done bigint NOT NULL,
  -- The sample that the file is, where the format is one file a sample.
  sample_key bigint,
  state text NOT NULL CHECK (state IN ('ingested', 'quarantined', 'vanished')),
  CONSTRAINT files_dataset_id_path_idx UNIQUE (dataset_id, path)
);

-- The keys [first_key, first_key + num_samples) lie in one file, or in as many files where the format
-- is one file a sample. A replaced file's segments get a new segment_id, and so new column files;
-- their keys stay.
CREATE SEQUENCE storage.segment_ids AS bigint;
CREATE TABLE storage.segments (
  segment_id bigint PRIMARY KEY,
  dataset_id bigint NOT NULL REFERENCES storage.datasets,
  -- Null where the format is one file a sample; each sample's file is then in its column file.
  file_id bigint REFERENCES storage.files,
  first_key bigint NOT NULL,
  num_samples bigint NOT NULL CHECK (num_samples > 0),
  -- The least record position, and the bytes of the (unpacked) file that the records span.
  first_position bigint NOT NULL,
  byte_from bigint NOT NULL,
  byte_to bigint NOT NULL,
  first_event_time timestamptz NOT NULL,
  last_event_time timestamptz NOT NULL,
  CONSTRAINT segments_dataset_id_first_key_idx UNIQUE (dataset_id, first_key)
);
CREATE INDEX segments_file_id_idx ON storage.segments (file_id);

-- One partition a dataset, storage.samples_<dataset_id>. BRIN suffices because one writer a dataset
-- appends keys in order. No foreign key: it would halve the ingest rate, and rows come and go only
-- with their segments.
CREATE TABLE storage.samples (
  dataset_id bigint NOT NULL,
  sample_key bigint NOT NULL,
  file_id bigint NOT NULL,
  -- Zero-based record in the file's current version; null once the record has vanished from it.
  position bigint,
  class_label bigint,
  real_label double precision,
  event_time timestamptz NOT NULL
) PARTITION BY LIST (dataset_id);
CREATE INDEX samples_sample_key_idx ON storage.samples USING brin (sample_key);
CREATE INDEX samples_event_time_idx ON storage.samples USING brin (event_time);

-- What could not be ingested. `position` is the zero-based record, null for the whole file.
CREATE TABLE storage.quarantine (
  quarantine_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  dataset_id bigint NOT NULL REFERENCES storage.datasets,
  path text NOT NULL,
  position bigint,
  reason text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX quarantine_dataset_id_path_idx ON storage.quarantine (dataset_id, path);

-- Deleted samples. Whoever inserts holds the dataset's row in watermarks FOR UPDATE, so sequences
-- of one dataset become visible in order and a snapshot can be named by the greatest.
CREATE TABLE storage.tombstones (
  sequence bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  dataset_id bigint NOT NULL REFERENCES storage.datasets,
  sample_key bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT tombstones_dataset_id_sample_key_idx UNIQUE (dataset_id, sample_key)
);
CREATE INDEX tombstones_dataset_id_sequence_idx ON storage.tombstones (dataset_id, sequence);

-- Every key up to committed_key is in storage.samples or was never used. An empty dataset's is
-- slot << 44.
CREATE TABLE storage.watermarks (
  dataset_id bigint PRIMARY KEY REFERENCES storage.datasets,
  committed_key bigint NOT NULL
);
