-- A job is one evaluation of one run; its windows are measured one by one, each in one transaction.
-- A window without a row here is still to be measured.

CREATE TABLE evaluator.jobs (
  run_id bigint NOT NULL,
  evaluation integer NOT NULL CHECK (evaluation >= 0),
  dataset_name text NOT NULL,
  -- The StartEvaluationRequest, serialised.
  request bytea NOT NULL,
  num_windows bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('unfinished', 'done', 'failed')),
  -- What was lost, and why; empty when nothing was.
  error text NOT NULL DEFAULT '',
  -- Time spent so far.
  seconds double precision NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run_id, evaluation)
);

CREATE TABLE evaluator.windows (
  run_id bigint NOT NULL,
  evaluation integer NOT NULL,
  window_index bigint NOT NULL,
  -- [from, to) by (event time, key); null at an open end.
  from_time timestamptz,
  from_key bigint,
  to_time timestamptz,
  to_key bigint,
  PRIMARY KEY (run_id, evaluation, window_index),
  FOREIGN KEY (run_id, evaluation) REFERENCES evaluator.jobs ON DELETE CASCADE
);

CREATE TABLE evaluator.evaluations (
  run_id bigint NOT NULL,
  evaluation integer NOT NULL,
  model_id bigint NOT NULL,
  window_index bigint NOT NULL,
  -- Place of the measure in the evaluation's spec.
  position integer NOT NULL,
  measure text NOT NULL,
  -- The trigger that made the model.
  trigger bigint NOT NULL,
  -- Null where undefined, as without samples, or not to be had.
  value double precision,
  num_samples bigint NOT NULL,
  num_skipped bigint NOT NULL,
  -- Why there is no value; empty when all is well.
  failure text NOT NULL DEFAULT '',
  -- The order of lists.
  PRIMARY KEY (run_id, evaluation, model_id, window_index, position),
  FOREIGN KEY (run_id, evaluation, window_index) REFERENCES evaluator.windows ON DELETE CASCADE
);

-- Serves the cascade from windows.
CREATE INDEX evaluations_run_id_evaluation_window_index_idx
  ON evaluator.evaluations (run_id, evaluation, window_index);
