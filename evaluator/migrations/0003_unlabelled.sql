-- Samples of the window without a label, which nothing was measured on.
ALTER TABLE evaluator.evaluations ADD COLUMN num_unlabelled bigint NOT NULL DEFAULT 0;
