"""The files in the guide "write your own policy" run unchanged."""
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
SIGNATURES = re.search(r"```cpp\n(// signatures\.cpp\n.*?)```", GUIDE, re.DOTALL).group(1)
HEADERS = ROOT / "plugin/include/tidemill/plugin"
KINDS = ("instance", "trigger", "selection", "score", "op", "measure", "format")


def overridable(header):
    """The functions that a class derived from those of a header may define, as it declares them."""
    text = re.sub(r"/\*(\w+)\*/", r"\1", (HEADERS / header).read_text())
    for declared in re.findall(r"virtual ([^;{}]*?\)(?: const)?)\s*(?:=|\{)", text):
        if "~" not in declared and "Functions()" not in declared:
            yield " ".join(declared.split())


class GuideTest(HostCase):
    def test_the_trigger_decides(self):
        self.load(FILES["surprise.py"], "Surprise")
        self.create({"threshold": 0.2})
        fired = []
        for errors in ([], [0., 1, 0], [1., 1, 1]):
            observed = self.observe(errors={"values": numpy.array(errors)}, has_model=bool(errors))["observed"]
            fired.append(self.ask("judge", observed=observed)["fired"])
        self.assertEqual(fired, [False, False, True])

    def test_the_trigger_reads_its_file(self):
        self.load(FILES["closed.py"], "Closed", data=("holidays.csv", b"0\n-5\n"))
        self.create()
        observed = self.observe()["observed"]
        self.assertEqual(observed, {"days_since": 5})
        self.assertFalse(self.ask("judge", observed=observed)["fired"])

    def test_the_op_makes_columns(self):
        self.load(FILES["relative.py"], "Relative", kind="op")
        inputs = [{"name": "price", "type": "float32", "shape": []}, {"name": "text", "type": "binary", "shape": []}]
        self.create({"word": "Easter"}, inputs=inputs)
        block = self.host.columns({"price": numpy.array([1, 2, 3], numpy.float32), "text": [b"at Easter", b"", b"later"]})[0]
        self.ask("fit", **block)
        self.ask("fitted")
        answer = self.ask("apply", **block)
        values = self.host.values(answer)
        self.assertEqual(values["relative"].tolist(), [0.5, 1, 1.5])
        self.assertEqual(values["is_holiday"].tolist(), [1, 0, 0])
        self.assertEqual(answer["bad"], [{"row": 1, "why": "there is no text"}])

    def test_the_score_scores(self):
        self.load(FILES["hard_and_old.py"], "HardAndOld", "score")
        self.create({"days": 1})
        block = self.host.columns({"key": numpy.arange(2), "losses": numpy.array([1, 2], numpy.float32),
                                   "ages": numpy.array([0., 86_400])})[0]
        self.assertEqual(self.host.values(self.ask("score", **block))["score"].tolist(), [1, 4])

    def test_the_selection_chooses(self):
        self.load(FILES["unsure.py"], "Unsure", kind="selection")
        self.assertEqual(self.create({"samples": 2})["looks_at"], ["predictions"])
        predictions = numpy.array([[.9, .1], [.5, .5], [.2, .8], [.4, .6]], numpy.float32)
        for rows in (slice(0, 1), slice(1, 4)):
            block = {"key": numpy.arange(4)[rows], "predictions": predictions[rows]}
            self.ask("add", **self.host.columns(block)[0])
        answer = self.ask("choose", num_candidates=4, most_rows=10)
        self.assertEqual(self.host.values(answer)["row"].tolist(), [1, 3])

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

    def test_the_format_reads(self):
        self.load(FILES["svmlight.py"], "SvmLight", "format")
        self.create()
        columns = self.host.columns({"bytes": [b"1 3:0.5\n\nx 2:1\n0\n2 4"], "head": [b""]})[0]
        for is_last, ends, consumed in ((False, [7, 14, 16], 17), (True, [7, 14, 16, 20], 20)):
            answer = self.ask("read", offset=0, is_last=is_last, **columns)
            self.assertEqual((self.host.values(answer)["end"].tolist(), answer["consumed"]), (ends, consumed))
            self.assertEqual(answer["bad"], [{"row": 1, "why": "'x' is not the number of a class"}])
            labels, has_label = self.host.values(answer)["label"]
            self.assertEqual(labels[has_label].tolist(), [1, 0, 2][:len(ends) - 1])

    def test_every_function_of_the_header_is_there_with_its_signature(self):
        shown = " ".join(SIGNATURES.split())
        names = [(kind, function) for kind in KINDS for function in overridable(kind + ".hpp")]
        self.assertGreater(len(names), 20)
        for kind, function in names:
            self.assertIn(function + " override", shown, f"{kind}.hpp declares it")

    def test_what_shows_the_signatures_compiles(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "signatures.cpp").write_text(SIGNATURES)
            subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                            "-I", str(ROOT / "plugin/include"), "signatures.cpp"], cwd=folder, check=True)

    def test_other_guides_lead_to_it(self):
        for name in ("when-to-retrain", "what-to-train-on", "prepare-samples", "measure-models", "bring-your-data", "deploy"):
            self.assertIn("](write-your-own-policy.md", (ROOT / f"docs/guides/{name}.md").read_text(), name)

    def test_the_test_passes(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                pathlib.Path(folder, name).write_text(text)
            subprocess.run([sys.executable, "-B", "surprise_test.py"], cwd=folder, check=True,
                           env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
