-- The processes that an engine has started, and why it was asked for more or fewer.

ALTER TABLE preprocess.workers
  -- "workers/3" for the third one; empty for those that were started by hand.
  ADD COLUMN started_as text NOT NULL DEFAULT '';

CREATE TABLE preprocess.scaling_decisions (
  decision_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- A ScalingDecision, as bytes.
  decision bytea NOT NULL
);
