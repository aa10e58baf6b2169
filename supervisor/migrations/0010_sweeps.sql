-- The place of a run in a sweep: many runs of one pipeline with different values (InSweep of run.proto).
-- Two runs never have one place, so that a command that is given again finds its runs.
ALTER TABLE supervisor.runs
  ADD COLUMN sweep text COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN sweep_setting integer NOT NULL DEFAULT 0,
  ADD COLUMN sweep_rung integer NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX runs_sweep_idx ON supervisor.runs (pipeline_id, sweep, sweep_setting, sweep_rung)
  WHERE sweep <> '';

CREATE OR REPLACE VIEW supervisor.run_summaries AS
SELECT r.run_id, p.namespace, p.name AS pipeline_name, r.state, r.error, r.num_triggers,
       r.num_samples, r.started_at, r.finished_at, r.note,
       ARRAY(SELECT t.tag FROM supervisor.run_tags t WHERE t.run_id = r.run_id ORDER BY t.tag)
         AS tags,
       r.is_trial, r.sweep, r.sweep_setting, r.sweep_rung
FROM supervisor.runs r JOIN supervisor.pipelines p USING (pipeline_id);
