-- What a policy observed is in the verdict of the record alone. A record from before verdicts were
-- kept gets a verdict that says nothing else: it has no policy.
UPDATE supervisor.decisions d
SET record = record || jsonb_build_object('verdict', jsonb_build_object('observed', (
  SELECT coalesce(jsonb_object_agg(name, value), '{}')
  FROM jsonb_each(d.observed) AS number(name, value)
  WHERE jsonb_typeof(value) = 'number')))
WHERE NOT record ? 'verdict';
ALTER TABLE supervisor.decisions DROP COLUMN observed;
