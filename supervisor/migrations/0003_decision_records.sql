-- Which trigger a decision fired, and why: a Decision (decision.proto) as JSON; empty for decisions
-- from before this was kept.
ALTER TABLE supervisor.decisions
  ADD COLUMN trigger bigint,
  ADD COLUMN record jsonb NOT NULL DEFAULT '{}';
UPDATE supervisor.decisions d
SET trigger = numbered.trigger
FROM (SELECT run_id, decision, row_number() OVER (PARTITION BY run_id ORDER BY decision) AS trigger
      FROM supervisor.decisions WHERE fired) AS numbered
WHERE d.run_id = numbered.run_id AND d.decision = numbered.decision;
-- For the decision of a trigger, and for the trigger before a decision.
CREATE UNIQUE INDEX decisions_trigger_idx ON supervisor.decisions (run_id, trigger)
WHERE trigger IS NOT NULL;
CREATE INDEX decisions_fired_idx ON supervisor.decisions (run_id, decision)
WHERE trigger IS NOT NULL;
-- For the last decision at a time.
CREATE INDEX decisions_event_time_idx ON supervisor.decisions (run_id, event_time, sample_key);

-- The state of a run's policy right after its last recorded decision: with the stream from there on
-- it decides as if it had never stopped.
CREATE TABLE supervisor.policy_states (
  run_id bigint PRIMARY KEY REFERENCES supervisor.runs ON DELETE CASCADE,
  decision bigint NOT NULL,
  state text NOT NULL
);
