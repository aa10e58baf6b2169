-- A trial is a run with values that were set for it alone (`run --set`): its models do not answer for
-- the pipeline. Runs of before stay what they were, so what answered yesterday answers today.
ALTER TABLE supervisor.runs ADD COLUMN is_trial boolean NOT NULL DEFAULT false;

CREATE OR REPLACE VIEW supervisor.run_summaries AS
SELECT r.run_id, p.namespace, p.name AS pipeline_name, r.state, r.error, r.num_triggers,
       r.num_samples, r.started_at, r.finished_at, r.note,
       ARRAY(SELECT t.tag FROM supervisor.run_tags t WHERE t.run_id = r.run_id ORDER BY t.tag)
         AS tags,
       r.is_trial
FROM supervisor.runs r JOIN supervisor.pipelines p USING (pipeline_id);
