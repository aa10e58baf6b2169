-- The samples that the model's graph filters. They are a part of num_known.
ALTER TABLE evaluator.evaluations ADD COLUMN num_filtered bigint NOT NULL DEFAULT 0;
