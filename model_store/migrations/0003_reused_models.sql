-- Two models with the same digest have the same weights. NULL for a model that may not be reused.
ALTER TABLE model_store.models ADD COLUMN training_digest text;
ALTER TABLE model_store.models ADD COLUMN fit_seconds double precision NOT NULL DEFAULT 0;
ALTER TABLE model_store.models ADD COLUMN train_seconds double precision NOT NULL DEFAULT 0;
-- A TrainingResult; empty without a digest.
ALTER TABLE model_store.models ADD COLUMN training_result bytea NOT NULL DEFAULT '';
-- The training that made a model which its trigger has not trained. No references: the model
-- outlives the first one.
ALTER TABLE model_store.models ADD COLUMN first_run_id bigint;
ALTER TABLE model_store.models ADD COLUMN first_trigger bigint;
ALTER TABLE model_store.models ADD COLUMN first_model_id bigint;

-- Serves the search for a model to reuse.
CREATE INDEX models_training_digest_idx ON model_store.models (training_digest)
  WHERE training_digest IS NOT NULL AND removed_at IS NULL;
