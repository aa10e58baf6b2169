-- The figures of a value that have no column: a tidemill.evaluator.v1.Evaluation with its fields 20
-- to 79. Absent in rows of earlier versions.
ALTER TABLE evaluator.evaluations ADD COLUMN figures bytea;
