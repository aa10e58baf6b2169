-- A value may be of a part of a window's samples, and has an interval.

ALTER TABLE evaluator.evaluations
  -- Such as `class=UP`; empty for all samples of the window.
  ADD COLUMN slice text NOT NULL DEFAULT '',
  -- The bounds of a 95 % interval around `value`; null where there is none.
  ADD COLUMN low double precision,
  ADD COLUMN high double precision,
  -- What one number cannot say, as JSON; empty for most measures.
  ADD COLUMN detail text NOT NULL DEFAULT '';

ALTER TABLE evaluator.evaluations DROP CONSTRAINT evaluations_pkey;

-- The order of lists.
ALTER TABLE evaluator.evaluations
  ADD PRIMARY KEY (run_id, evaluation, model_id, window_index, position, slice);
