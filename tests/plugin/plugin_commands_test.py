"""`tidemill plugin`, as people call it. Arguments: the program, the folder of examples."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TIDEMILL, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
DONE, WRONG_INPUT, NOT_FOUND, UNAVAILABLE, CONFLICT = 0, 3, 4, 5, 7


class PluginCommandsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def call(self, *arguments, code=DONE):
        done = subprocess.run([TIDEMILL, "plugin", *arguments], cwd=self.folder.name, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def write(self, name, text):
        (pathlib.Path(self.folder.name) / name).write_text(text)

    def test_list_names_the_plugins_of_a_folder_and_what_cannot_be_read(self):
        self.write("good.py", (EXAMPLES / "holidays.py").read_text())
        self.write("bad.py", "import numpy as\n")
        self.write("lacking.py", "from tidemill import plugin\nclass Half(plugin.Measure):\n    '''Lacks all.'''\n")
        listed = json.loads(self.call("list", "--json"))
        self.assertEqual([plugin["kind"] for plugin in listed["plugins"]], ["trigger", "measure"])
        self.assertEqual(listed["plugins"][0]["plugin"], "good.py:Holidays")
        self.assertIn("it lacks", listed["plugins"][1]["problem"])
        self.assertIn("bad.py", listed["failed"][0]["file"])
        text = self.call("list")
        self.assertIn("good.py:Holidays", text)
        self.assertIn("cannot run: it lacks", text)
        self.assertIn("not read:\nbad.py: ", text)

    def test_show_finds_the_only_plugin_of_a_file(self):
        shown = self.call("show", str(EXAMPLES / "holidays.py"))
        self.assertIn("holidays.py:Holidays: a trigger", shown)
        self.assertIn("setting", shown)
        self.assertIn('trigger: {type: plugin, use: "holidays.py:Holidays"}', shown)
        described = json.loads(self.call("show", str(EXAMPLES / "holidays.py"), "--json"))
        self.assertTrue(all(setting["doc"] for setting in described["settings"]))

    def test_a_name_that_the_file_does_not_have_is_told(self):
        self.write("two.py", "from tidemill import plugin\nclass A(plugin.Measure): pass\nclass B(plugin.Score): pass\n")
        self.assertIn("two.py has no plug-in C; it has A, B", self.call("show", "two.py:C", code=NOT_FOUND))
        self.assertIn("name one of the plug-ins of two.py; it has A, B", self.call("show", "two.py", code=NOT_FOUND))

    def test_new_writes_what_verify_and_its_own_test_accept(self):
        self.call("new", "trigger", "weekly_rise")
        self.assertIn("kept", self.call("verify", "weekly_rise.py", "--samples", "1500"))
        self.assertIn("weekly_rise.py already exists", self.call("new", "trigger", "weekly_rise", code=CONFLICT))

    def test_new_writes_a_test_in_cpp_that_passes(self):
        for kind in ("trigger", "selection", "score", "op", "measure", "format"):
            said = self.call("new", kind, f"my_{kind}", "--language", "c++")
            self.assertIn(f"wrote my_{kind}_test.cpp", said)
            (command,) = [line.removeprefix("test it:").strip() for line in said.splitlines() if line.startswith("test it:")]
            subprocess.run(command, shell=True, cwd=self.folder.name, check=True)

    def test_what_is_printed_is_shown(self):
        self.write("loud.py", (EXAMPLES / "holidays.py").read_text().replace("    def judge(", "    def judge(", 1).replace(
            "    def observe(self, evidence):", "    def observe(self, evidence):\n        print('look here')", 1))
        self.assertIn("it printed:\nlook here", self.call("verify", "loud.py", "--samples", "1500"))

    def test_a_format_is_tried_on_a_file(self):
        self.call("new", "format", "fixed")
        (pathlib.Path(self.folder.name) / "data").write_bytes(bytes(range(160)) * 1000)
        said = self.call("verify", "fixed.py", "--file", "data")
        self.assertIn("10,000 records in 160,000 bytes, with labels", said)
        self.assertIn("kept     reads the same in pieces of 4,097 bytes", said)
        self.assertIn("--file", self.call("verify", "fixed.py", code=WRONG_INPUT))

    def test_plugins_run_as_the_configuration_of_the_stack_says(self):
        self.write("tidemill.yaml", "cluster: {state_folder: /tmp, database: none, token_file: /tmp/none, endpoints: {}, "
                                    "plugins: {python: no-such-python}}")
        self.assertIn("no program no-such-python", self.call("verify", str(EXAMPLES / "holidays.py"), "--config",
                                                             "tidemill.yaml", code=UNAVAILABLE))

    def test_tests_are_no_plugins(self):
        self.call("new", "measure", "rise")
        self.assertEqual(json.loads(self.call("list", "--json"))["failed"], [])

    def test_a_reference_without_a_name_is_a_mistake(self):
        self.assertIn("'holidays.py::' does not name a file and a plug-in in it", self.call("show", "holidays.py::", code=WRONG_INPUT))

    def test_a_plugin_is_tried_with_its_data_files(self):
        self.write("level.py", """
from tidemill import plugin

class Level(plugin.Trigger):
    def __init__(self):
        with open(plugin.files["level.txt"]) as file:
            self.level = float(file.read())
    def points(self):
        return plugin.EverySamples(100)
    def observe(self, evidence):
        return {"level": self.level}
    def judge(self, seen):
        return plugin.Verdict.at_least("the level", seen["level"], 0.2)
""")
        self.write("level.txt", "0.5")
        self.call("verify", "level.py", "--data", "level.txt", "--samples", "1000")
        said = self.call("verify", "level.py", "--samples", "1000", code=WRONG_INPUT)
        self.assertIn("write files: [level.txt] beside use", said)

    def test_new_tells_the_kinds_that_there_are(self):
        self.assertIn("there is no template for a triger in python; there are templates for ",
                      self.call("new", "triger", "rise", code=WRONG_INPUT))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
