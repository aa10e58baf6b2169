-- The files with which a job of a run can be continued by any server. They are in the folder of the
-- run, by their digests, beside the parts of its models, and may be the same files.
CREATE TABLE model_store.kept_jobs (
  run_id bigint NOT NULL,
  trigger bigint NOT NULL CHECK (trigger > 0),
  -- A JobKind.
  kind smallint NOT NULL,
  -- Which server has kept them, and how far the job was: compared in this order.
  run_epoch bigint NOT NULL,
  attempt bigint NOT NULL,
  position bigint NOT NULL,
  kept_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run_id, trigger, kind)
);

CREATE TABLE model_store.job_files (
  run_id bigint NOT NULL,
  trigger bigint NOT NULL,
  kind smallint NOT NULL,
  name text NOT NULL,
  size_bytes bigint NOT NULL CHECK (size_bytes >= 0),
  digest text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
  PRIMARY KEY (run_id, trigger, kind, name),
  FOREIGN KEY (run_id, trigger, kind) REFERENCES model_store.kept_jobs ON DELETE CASCADE
);
