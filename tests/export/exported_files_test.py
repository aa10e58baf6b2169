"""Exported models, run by plain torch and by onnxruntime as their READMEs say.

Arguments: the program model_export_test, which makes the exports, and interpreters with torch and with onnxruntime. A
library that cannot be imported leaves its files out: the test is skipped, with the reason.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM, PYTHONS = sys.argv[1], {"torch": sys.argv[2], "onnxruntime": sys.argv[3]}
# Runs the README's own lines up to the print, and prints what the model answers beside what it should.
RUN = r"""
import json, re
block = re.search(r"```python\n(.*?)```", open("README.md").read(), re.S).group(1)
assert block.count("\n") <= 7, block
lines = block.replace("print(", "found, wanted = (")
exec(lines)
print(json.dumps([getattr(found, "tolist")(), wanted]))
"""


def why_not(interpreter, library):
    """The reason why an interpreter cannot import a library; empty if it can."""
    if not pathlib.Path(interpreter).exists():
        return "no such interpreter"
    done = subprocess.run([interpreter, "-c", f"import {library}"], capture_output=True, text=True, check=False)
    return done.stderr.strip().splitlines()[-1] if done.returncode else ""


def flat(values):
    if not isinstance(values, list):
        return [values]
    return [number for value in values for number in flat(value)]


class ExportedFilesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        environment = os.environ | {"TIDEMILL_KEPT_EXPORTS": cls.folder.name, "OMP_NUM_THREADS": "1"}
        subprocess.run([PROGRAM, "--gtest_filter=GraphExport.*"], check=True, capture_output=True, env=environment)
        cls.exports = sorted(pathlib.Path(cls.folder.name).iterdir())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_all(self, library, file):
        why = why_not(PYTHONS[library], library)
        if why:
            self.skipTest(f"{PYTHONS[library]} cannot import {library}: {why} (tools/setup.sh --exports installs it)")
        folders = [folder for folder in self.exports if (folder / file).exists()]
        # Files of ONNX that need a column more have no row to try.
        tried = [folder for folder in folders if "rows = json.load" in (folder / "README.md").read_text()]
        self.assertGreaterEqual(len(tried), 10)
        for folder in tried:
            with self.subTest(folder.name):
                done = subprocess.run([PYTHONS[library], "-c", RUN], cwd=folder, capture_output=True, text=True,
                                      check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                found, wanted = (flat(values) for values in json.loads(done.stdout.splitlines()[-1]))
                self.assertEqual(len(found), len(wanted))
                self.assertGreater(len(found), 0)
                for number, right in zip(found, wanted):
                    self.assertAlmostEqual(number, right, delta=1e-5 * max(1, abs(right)))

    def test_plain_torch_answers_as_the_platform_does(self):
        self.run_all("torch", "model.pt")

    def test_onnxruntime_answers_as_the_platform_does(self):
        self.run_all("onnxruntime", "model.onnx")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
