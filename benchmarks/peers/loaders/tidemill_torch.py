"""Tidemill from Python: the training set of a run by tidemill.torch, made in this process."""
import os
import tempfile

import tidemill
from tidemill.torch import TrainingSet

TITLE = "Tidemill in Python, tidemill.torch"
REQUIREMENTS = "tidemill"
PACKAGES = ("torch",)
GUIDE = "guides/python-batches.md"
SETTINGS = {"criteo": [{"threads": 2}]}
HOW = "TrainingSet(run, 1) of a run that selects all records, its loader in the process of Python"
# Which hash of data.py makes the buckets.
HASH = "xxh3"

PIPELINE = """
version: 1
name: records
datasets:
  records:
    path: {folder}
    files: "*.bin"
    format: {{type: binary, record_bytes: 160}}
    event_time: {{row: {{start: "2024-01-01T00:00:00Z", step: 1s}}}}
    label: {{kind: class, record: {{offset: 0, width: 4}}}}
    settle: 1ms
preprocess:
  dataset: records
  graph:
    - parse_record:
        fields:
          - {{name: numbers, offset: 0, dtype: float32, shape: [13]}}
          - {{name: categories, offset: 52, dtype: int32, shape: [26]}}
    - log1p: {{columns: [numbers]}}
    - stack: {{columns: [numbers], into: input}}
    - hash_buckets: {{column: categories, buckets: 262144, into: input_categories}}
    - label: {{into: target}}
model: {{type: factorization_machine, categories: [{categories}], factors: 1, sparse: true, outputs: 2}}
trigger: {{type: amount, samples: {count}}}
selection: {{type: all_data}}
training: {{epochs: 1, max_samples: 8192, batch_size: 8192, optimizer: {{type: sgd, lr: 0.1}}, loss: cross_entropy}}
"""


def prepare(workload, folder, setting):
    scratch = tempfile.TemporaryDirectory(prefix="tidemill-peer-")
    stack = tidemill.Stack(state=os.path.join(scratch.name, "state")).start()
    count = os.path.getsize(folder / "records.bin") // 160
    run = stack.run(PIPELINE.format(folder=folder, count=count, categories=", ".join(["262144"] * 26)))
    samples = TrainingSet(run, 1, num_threads=setting["threads"])

    def epoch(seed):
        for batch in samples:
            yield batch.targets, batch.inputs["input"], batch.inputs["input_categories"]

    def close():
        samples.close()
        stack.close()
        scratch.cleanup()

    epoch.close = close
    return epoch
