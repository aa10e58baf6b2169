-- A pipeline is a spec with a name.
CREATE TABLE supervisor.pipelines (
  pipeline_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace text NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  spec text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (namespace, name)
);

-- A run is one execution of the spec as it was then. The columns from `state` on repeat what the
-- fold of its events says, for lists; each event updates them in its own transaction.
CREATE TABLE supervisor.runs (
  run_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pipeline_id bigint NOT NULL REFERENCES supervisor.pipelines ON DELETE CASCADE,
  spec text NOT NULL,
  run_epoch bigint NOT NULL DEFAULT 1,
  started_at timestamptz NOT NULL DEFAULT now(),
  state text NOT NULL,
  error text NOT NULL DEFAULT '',
  num_triggers bigint NOT NULL DEFAULT 0,
  num_samples bigint NOT NULL DEFAULT 0,
  finished_at timestamptz
);
CREATE INDEX runs_pipeline_id_idx ON supervisor.runs (pipeline_id, run_id);

-- What happened, in order; payload is a RunEvent (run_event.proto) as JSON.
CREATE TABLE supervisor.run_events (
  run_id bigint NOT NULL REFERENCES supervisor.runs ON DELETE CASCADE,
  seq bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  type text NOT NULL,
  payload jsonb NOT NULL,
  PRIMARY KEY (run_id, seq)
);

-- Every evaluation of a trigger policy, fired or not.
CREATE TABLE supervisor.decisions (
  run_id bigint NOT NULL REFERENCES supervisor.runs ON DELETE CASCADE,
  decision bigint NOT NULL,
  event_time bigint NOT NULL,
  sample_key bigint NOT NULL,
  fired boolean NOT NULL,
  num_samples bigint NOT NULL,
  observed jsonb NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run_id, decision)
);
