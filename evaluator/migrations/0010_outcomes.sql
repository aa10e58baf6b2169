-- What the models in use, the first model, and rules without a model said about samples of a window,
-- kept to be compared. Windows of before have none.

CREATE TABLE evaluator.outcomes (
  run_id bigint NOT NULL,
  evaluation integer NOT NULL,
  window_index bigint NOT NULL,
  -- 0 for a rule.
  model_id bigint NOT NULL,
  -- Empty for a model.
  baseline text NOT NULL,
  trigger bigint NOT NULL,
  in_use boolean NOT NULL,
  -- The bits of a KeptOutcomes.key_limit.
  key_limit bigint NOT NULL,
  -- A batch; see KeptOutcomes.
  columns bytea NOT NULL,
  PRIMARY KEY (run_id, evaluation, window_index, model_id, baseline),
  FOREIGN KEY (run_id, evaluation, window_index) REFERENCES evaluator.windows ON DELETE CASCADE
);

-- How much the columns of records matter in the last windows: a serialised
-- tidemill.evaluator.v1.ColumnImportances, in the window with which it was measured.
ALTER TABLE evaluator.windows ADD COLUMN importances bytea;
