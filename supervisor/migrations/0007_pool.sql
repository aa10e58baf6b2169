-- The trainer servers and evaluators that have registered, and the jobs that run or wait there.
CREATE TABLE supervisor.members (
  member_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- A MemberKind, by its number in the proto.
  kind integer NOT NULL,
  name text NOT NULL,
  -- Grows with each registration.
  incarnation bigint NOT NULL,
  -- Of the registration that made the incarnation.
  request_id text NOT NULL,
  endpoint text NOT NULL,
  -- A MemberOffer (pool.proto) as JSON.
  offer jsonb NOT NULL,
  draining boolean NOT NULL DEFAULT false,
  lost boolean NOT NULL DEFAULT false,
  CONSTRAINT members_name_idx UNIQUE (name)
);

-- A job that waits for slots, has them, or had them. All times are microseconds since 1970: the
-- order of the queue is computed from them.
CREATE TABLE supervisor.placements (
  placement_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id bigint NOT NULL REFERENCES supervisor.runs ON DELETE CASCADE,
  stage text NOT NULL,
  number bigint NOT NULL,
  pipeline_id bigint NOT NULL,
  kind integer NOT NULL,
  device text NOT NULL,
  num_slots integer NOT NULL CHECK (num_slots > 0),
  labels jsonb NOT NULL,
  priority integer NOT NULL,
  share double precision NOT NULL CHECK (share > 0),
  asked_at bigint NOT NULL,
  -- NULL while it waits. The devices have a comma between them.
  member_id bigint,
  member_name text NOT NULL DEFAULT '',
  incarnation bigint,
  devices text NOT NULL DEFAULT '',
  given_at bigint,
  -- NULL while it waits or runs.
  ended_at bigint,
  end_reason text NOT NULL DEFAULT ''
);
-- A job has one at a time. Serves the restart of the supervisor.
CREATE UNIQUE INDEX placements_open_idx ON supervisor.placements (run_id, stage, number)
WHERE ended_at IS NULL;
-- Serves the deletion and the history of a run.
CREATE INDEX placements_run_idx ON supervisor.placements (run_id, placement_id);

-- The seconds of slots that the jobs of a pipeline have used, divided by its share
-- (pool/slot_queue.h).
CREATE TABLE supervisor.used_shares (
  pipeline_id bigint PRIMARY KEY REFERENCES supervisor.pipelines ON DELETE CASCADE,
  seconds double precision NOT NULL
);
