-- One row for each sealed training set; the file holds the keys.
CREATE TABLE selector.training_sets (
  run_id bigint NOT NULL,
  trigger bigint NOT NULL,
  dataset_id bigint NOT NULL,
  num_samples bigint NOT NULL,
  num_candidates bigint NOT NULL,
  weighted boolean NOT NULL,
  digest text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run_id, trigger)
);
