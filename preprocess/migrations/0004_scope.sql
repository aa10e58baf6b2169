-- What the processes that make jobs may reach.

ALTER TABLE preprocess.jobs
  -- A JobClaims, as bytes. Empty: a service made the job.
  ADD COLUMN scope bytea NOT NULL DEFAULT '';
