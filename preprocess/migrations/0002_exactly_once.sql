-- Every batch reaches its consumer exactly once: whatever was lost is issued again. A split that no
-- worker holds waits for that.
ALTER TABLE preprocess.splits DROP COLUMN state;
ALTER TABLE preprocess.lanes DROP COLUMN num_lost;
ALTER TABLE preprocess.jobs DROP COLUMN guarantee;
