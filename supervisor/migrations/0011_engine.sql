-- The processes that an engine has started.

ALTER TABLE supervisor.members
  -- "trainers/3" for the third one; empty for those that were started by hand.
  ADD COLUMN started_as text NOT NULL DEFAULT '';
