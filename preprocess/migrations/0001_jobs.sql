-- What must survive the dispatcher: which jobs there are, how far each lane is issued and done, and
-- the splits in between. A split that is issued and done has no row, so that a restart reads what
-- is in flight and not what was.

-- One row. A dispatcher that starts raises the term, and what it writes it writes in its term: one
-- that was replaced and does not know it cannot write behind the back of its successor.
CREATE TABLE preprocess.terms (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  term bigint NOT NULL
);
INSERT INTO preprocess.terms (term) VALUES (0);

CREATE TABLE preprocess.workers (
  worker_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  -- Grows with each registration.
  incarnation bigint NOT NULL,
  -- Of the registration that made the incarnation.
  request_id text NOT NULL,
  endpoint text NOT NULL,
  boot_id text NOT NULL,
  ring_socket text NOT NULL,
  num_threads integer NOT NULL,
  draining boolean NOT NULL DEFAULT false,
  lost boolean NOT NULL DEFAULT false,
  -- Serves registrations.
  CONSTRAINT workers_name_idx UNIQUE (name)
);

CREATE TABLE preprocess.jobs (
  job_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  spec text NOT NULL,
  fitted bytea NOT NULL,
  split_batches bigint NOT NULL CHECK (split_batches > 0),
  -- A Guarantee, by its number in the proto.
  guarantee integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Serves creation by name.
  CONSTRAINT jobs_name_idx UNIQUE (name)
);

CREATE TABLE preprocess.lanes (
  job_id bigint NOT NULL REFERENCES preprocess.jobs ON DELETE CASCADE,
  lane integer NOT NULL,
  first_batch bigint NOT NULL,
  end_batch bigint NOT NULL CHECK (end_batch >= first_batch),
  shard integer NOT NULL,
  -- Every batch before it is done or part of a split.
  issued_before bigint NOT NULL,
  -- May lag behind what the consumer has reported.
  done_before bigint NOT NULL,
  -- The worker that makes the lane's shard; NULL: none yet, or a lane without shard.
  shard_worker_id bigint,
  -- Who reported it last; empty: nobody yet.
  consumer text NOT NULL DEFAULT '',
  num_reissued bigint NOT NULL DEFAULT 0,
  num_lost bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (job_id, lane)
) WITH (fillfactor = 50);  -- Updated in place, again and again.

CREATE TABLE preprocess.splits (
  job_id bigint NOT NULL,
  lane integer NOT NULL,
  from_batch bigint NOT NULL,
  to_batch bigint NOT NULL CHECK (to_batch > from_batch),
  -- How often it was issued.
  attempt integer NOT NULL,
  state text NOT NULL CHECK (state IN ('leased', 'waiting', 'lost')),
  -- Who holds it and by which request; NULL and empty unless leased.
  worker_id bigint,
  incarnation bigint,
  request_id text NOT NULL,
  PRIMARY KEY (job_id, lane, from_batch),
  FOREIGN KEY (job_id, lane) REFERENCES preprocess.lanes ON DELETE CASCADE
);
