-- A value may be that of a rule without a model, and says what it is made of.

ALTER TABLE evaluator.evaluations
  -- What values of several windows are pooled from, as JSON; empty for many measures.
  ADD COLUMN sums text NOT NULL DEFAULT '',
  -- Empty for a model; else `constant` or `last`, and model_id is 0.
  ADD COLUMN baseline text NOT NULL DEFAULT '';

ALTER TABLE evaluator.evaluations DROP CONSTRAINT evaluations_pkey;

-- The order of lists.
ALTER TABLE evaluator.evaluations
  ADD PRIMARY KEY (run_id, evaluation, model_id, window_index, position, slice, baseline);
