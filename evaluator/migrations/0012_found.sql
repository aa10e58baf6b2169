-- How many samples of a window were found prepared. 0 for windows that an earlier version has measured.
ALTER TABLE evaluator.windows ADD COLUMN num_found bigint NOT NULL DEFAULT 0;
