-- Where the samples of a window were prepared: by preprocessing workers, or by the job itself. Both are 0 for
-- windows that a version before 0.8 has measured.
ALTER TABLE evaluator.windows ADD COLUMN num_prepared_here bigint NOT NULL DEFAULT 0;
ALTER TABLE evaluator.windows ADD COLUMN num_prepared_at_workers bigint NOT NULL DEFAULT 0;
