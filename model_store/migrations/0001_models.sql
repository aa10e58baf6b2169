-- A model is a row here and one file per part under `<state>/model_store/models/<run_id>/`, named
-- by its digest. The row is written last: a file without a row is the leftover of a crash.

CREATE TABLE model_store.models (
  model_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id bigint NOT NULL,
  trigger bigint NOT NULL CHECK (trigger > 0),
  parent_model_id bigint REFERENCES model_store.models ON DELETE SET NULL,
  training_set_digest text NOT NULL,
  num_samples bigint NOT NULL,
  model_spec text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Serves lookups by (run, trigger), lists of a run and its deletion.
  CONSTRAINT models_run_id_trigger_idx UNIQUE (run_id, trigger)
);

-- Serves ON DELETE SET NULL.
CREATE INDEX models_parent_model_id_idx ON model_store.models (parent_model_id);

CREATE TABLE model_store.parts (
  model_id bigint NOT NULL REFERENCES model_store.models ON DELETE CASCADE,
  position integer NOT NULL,
  name text NOT NULL,
  size_bytes bigint NOT NULL CHECK (size_bytes >= 0),
  digest text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
  PRIMARY KEY (model_id, position),
  UNIQUE (model_id, name)
);

CREATE TABLE model_store.classes (
  model_id bigint NOT NULL REFERENCES model_store.models ON DELETE CASCADE,
  position integer NOT NULL,
  name text NOT NULL,
  PRIMARY KEY (model_id, position)
);
