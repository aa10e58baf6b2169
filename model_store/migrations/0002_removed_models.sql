-- When retention removed the model's parts; what is known of it stays.
ALTER TABLE model_store.models ADD COLUMN removed_at timestamptz;
