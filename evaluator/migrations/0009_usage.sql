-- What the job has used so far, in all its attempts: a serialised tidemill.rpc.v1.Usage.
ALTER TABLE evaluator.jobs ADD COLUMN usage bytea NOT NULL DEFAULT '';
