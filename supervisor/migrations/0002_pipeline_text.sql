-- The pipeline as its user wrote it; empty for runs from before this was kept.
ALTER TABLE supervisor.runs ADD COLUMN pipeline_text text NOT NULL DEFAULT '';
