-- Which models of a run are not kept any more: written before the services remove them, so that
-- none of them is put to use meanwhile. All models from `first_model` on are kept, and `kept`.
CREATE TABLE supervisor.retirements (
  run_id bigint PRIMARY KEY REFERENCES supervisor.runs ON DELETE CASCADE,
  first_model bigint NOT NULL,
  kept bigint[] NOT NULL DEFAULT '{}'
);
INSERT INTO supervisor.retirements (run_id, first_model)
SELECT run_id, max(coalesce((payload->'models_retired'->>'first_model')::bigint, 1))
FROM supervisor.run_events WHERE type = 'models_retired' GROUP BY run_id;

-- For the model of an id, and for the models of a run.
CREATE INDEX run_events_model_idx
ON supervisor.run_events (((payload->'model_stored'->>'model_id')::bigint))
WHERE type = 'model_stored';
CREATE INDEX run_events_stored_idx ON supervisor.run_events (run_id, seq)
WHERE type = 'model_stored';

-- The models whose weights exist.
CREATE VIEW supervisor.kept_models AS
SELECT r.pipeline_id, e.run_id, (e.payload->'model_stored'->>'trigger')::bigint AS trigger,
       (e.payload->'model_stored'->>'model_id')::bigint AS model_id, r.is_trial, e.at AS stored_at
FROM supervisor.run_events e
JOIN supervisor.runs r USING (run_id)
LEFT JOIN supervisor.retirements t USING (run_id)
WHERE e.type = 'model_stored'
  AND (t.run_id IS NULL OR (e.payload->'model_stored'->>'trigger')::bigint >= t.first_model
       OR (e.payload->'model_stored'->>'trigger')::bigint = ANY (t.kept));

-- Which model each pipeline has in use: what its newest row says. Rows are only added. A run that a
-- row names may have been deleted since.
CREATE TABLE supervisor.model_changes (
  pipeline_id bigint NOT NULL REFERENCES supervisor.pipelines ON DELETE CASCADE,
  change bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  -- The model in use from then on, and where it was trained; NULL when there is none.
  model_id bigint,
  run_id bigint,
  trigger bigint,
  pinned boolean NOT NULL,
  -- A ModelChangeKind, without its prefix: 'TRAINED'.
  kind text NOT NULL,
  reason text NOT NULL,
  -- A ModelComparison (model_use.proto) as JSON.
  figures jsonb,
  -- NULL when a user caused it.
  caused_run bigint,
  caused_trigger bigint,
  command text NOT NULL DEFAULT '',
  other_model_id bigint,
  -- The change that put the model there: this one, or the one that this one repeats.
  since bigint NOT NULL,
  -- The change to which a rollback goes; NULL when there is none.
  before bigint,
  PRIMARY KEY (pipeline_id, change)
);
-- A training is decided on once. Also serves the changes of a run.
CREATE UNIQUE INDEX model_changes_cause_idx
ON supervisor.model_changes (caused_run, caused_trigger) WHERE caused_run IS NOT NULL;

-- What answered before there were changes: the newest kept model of the newest run with one, trials
-- left out.
INSERT INTO supervisor.model_changes
  (pipeline_id, change, at, model_id, run_id, trigger, pinned, kind, reason, since)
SELECT DISTINCT ON (pipeline_id) pipeline_id, 1, stored_at, model_id, run_id, trigger, false, 'FOUND',
       'the newest model of the newest run, when changes were first recorded', 1
FROM supervisor.kept_models WHERE NOT is_trial
ORDER BY pipeline_id, run_id DESC, trigger DESC;
