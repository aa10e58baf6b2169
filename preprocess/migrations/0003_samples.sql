-- The samples of jobs that do not take all samples of a sealed training set.

ALTER TABLE preprocess.jobs
  -- A JobSamples, as bytes. Empty: all samples of the set that the spec names.
  ADD COLUMN samples bytea NOT NULL DEFAULT '';
