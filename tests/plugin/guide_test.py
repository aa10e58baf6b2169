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

    def test_the_measures_measure(self):
        block = {"label": numpy.array([0, 0, 1, 1]), "prediction": numpy.array([0, 1, 0, 1])}
        self.load(FILES["cost.py"], "Cost", "measure")
        self.create({"missed": 7})
        answer = self.ask("measure", **self.host.columns(block)[0])
        self.assertEqual(self.host.values(answer)["contributions"].tolist(), [0, 1, 7, 0])
        self.load(FILES["cost.py"], "Precision", "measure")
        self.create()
        sums = self.host.values(self.ask("measure", **self.host.columns(block)[0]))["contributions"].sum(axis=0)
        answer = self.ask("combine", **self.host.columns({"sums": numpy.array([sums, [0, 0]])})[0])
        numpy.testing.assert_array_equal(self.host.values(answer)["value"], [0.5, numpy.nan])

    def test_the_test_passes(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                pathlib.Path(folder, name).write_text(text)
            subprocess.run([sys.executable, "-B", "surprise_test.py"], cwd=folder, check=True,
                           env={**os.environ, "PYTHONPATH": str(ROOT / "plugin/python")})
