-- A large file is taken in by several transactions: until the last one it is partial, and the next
-- sync goes on behind bytes_done.
ALTER TABLE storage.files DROP CONSTRAINT files_state_check;
ALTER TABLE storage.files ADD CONSTRAINT files_state_check
  CHECK (state IN ('ingested', 'partial', 'quarantined', 'vanished'));
