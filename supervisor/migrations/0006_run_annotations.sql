-- What a user has said of a run.
ALTER TABLE supervisor.runs ADD COLUMN note text NOT NULL DEFAULT '';
CREATE TABLE supervisor.run_tags (
  run_id bigint NOT NULL REFERENCES supervisor.runs ON DELETE CASCADE,
  tag text COLLATE "C" NOT NULL,
  PRIMARY KEY (run_id, tag)
);

-- What the models of a run had reached when its last event was `seq`: computed when a list first
-- needs it, and again when there are more events. `score` is a RunScore (run.proto); `value` repeats
-- the part by which lists are ordered. Both are empty while nothing is measured.
CREATE TABLE supervisor.run_scores (
  run_id bigint PRIMARY KEY REFERENCES supervisor.runs ON DELETE CASCADE,
  seq bigint NOT NULL,
  value double precision,
  score bytea NOT NULL
);

-- A run in the form of run.proto.
CREATE VIEW supervisor.run_summaries AS
SELECT r.run_id, p.namespace, p.name AS pipeline_name, r.state, r.error, r.num_triggers,
       r.num_samples, r.started_at, r.finished_at, r.note,
       ARRAY(SELECT t.tag FROM supervisor.run_tags t WHERE t.run_id = r.run_id ORDER BY t.tag)
         AS tags
FROM supervisor.runs r JOIN supervisor.pipelines p USING (pipeline_id);
