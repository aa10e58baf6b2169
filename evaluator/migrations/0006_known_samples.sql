-- Where the samples of a window are: num_known is the sum of num_samples, num_bad, num_unlabelled and
-- num_deleted. Null for baselines.
ALTER TABLE evaluator.evaluations RENAME COLUMN num_skipped TO num_bad;
ALTER TABLE evaluator.evaluations ADD COLUMN num_known bigint;
ALTER TABLE evaluator.evaluations ADD COLUMN num_deleted bigint NOT NULL DEFAULT 0;
UPDATE evaluator.evaluations SET num_known = num_samples + num_bad + num_unlabelled
WHERE baseline = '' AND slice = '' AND failure = '';
