-- The last run's number. A sequence would leave out up to 32 numbers when PostgreSQL is killed, and
-- the highest run's number would be given a second time once that run is deleted.
CREATE TABLE supervisor.last_run (
  is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
  run_id bigint NOT NULL
);
INSERT INTO supervisor.last_run (run_id)
SELECT greatest((SELECT coalesce(max(run_id), 0) FROM supervisor.runs),
                (SELECT CASE WHEN is_called THEN last_value ELSE 0 END
                 FROM supervisor.runs_run_id_seq));
