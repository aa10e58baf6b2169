-- A measure may be a plug-in, which fails by itself.

ALTER TABLE evaluator.evaluations
  -- Why the measure has no value, or no interval: which plug-in, what and where; empty when all is
  -- well. Unlike a `failure` it is no loss that another attempt could mend.
  ADD COLUMN fault text NOT NULL DEFAULT '',
  -- The plug-in's own, or what it printed.
  ADD COLUMN traceback text NOT NULL DEFAULT '';
