"""The files in the guide "write your own policy" run as they stand."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy
from host_case import HostCase

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs/guides/write-your-own-policy.md").read_text()
FILES = {name: text for text, name in re.findall(r"```python\n(# (\w+\.py)\n.*?)```", GUIDE, re.DOTALL)}


class GuideTest(HostCase):
    def test_the_trigger_decides(self):
        self.load(FILES["surprise.py"], "Surprise")
        self.create({"threshold": 0.2})
        fired = []
        for errors in ([], [0., 1, 0], [1., 1, 1]):
            observed = self.observe(errors={"values": numpy.array(errors)}, has_model=bool(errors))["observed"]
            fired.append(self.ask("judge", observed=observed)["fired"])
        self.assertEqual(fired, [False, False, True])

    def test_the_selection_chooses(self):
        self.load(FILES["unsure.py"], "Unsure", kind="selection")
        self.assertEqual(self.create({"samples": 2})["looks_at"], ["predictions"])
        predictions = numpy.array([[.9, .1], [.5, .5], [.2, .8], [.4, .6]], numpy.float32)
        for rows in (slice(0, 1), slice(1, 4)):
            block = {"key": numpy.arange(4)[rows], "predictions": predictions[rows]}
            self.ask("add", **self.host.columns(block)[0])
        answer = self.ask("choose", num_candidates=4, most_rows=10)
        self.assertEqual(self.host.values(answer)["row"].tolist(), [1, 3])

    def test_the_test_passes(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                pathlib.Path(folder, name).write_text(text)
            subprocess.run([sys.executable, "-B", "surprise_test.py"], cwd=folder, check=True,
                           env={**os.environ, "PYTHONPATH": str(ROOT / "plugin/python")})
