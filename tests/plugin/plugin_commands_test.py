"""`tidemill plugin`, as people call it. Arguments: the program, the folder of examples."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TIDEMILL, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
DONE, WRONG_INPUT, NOT_FOUND, CONFLICT = 0, 3, 4, 7


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
        self.assertIn("weekly_rise.py is there already", self.call("new", "trigger", "weekly_rise", code=CONFLICT))

    def test_new_tells_the_kinds_that_there_are(self):
        self.assertIn("there is no template of a triger in python; there are ",
                      self.call("new", "triger", "rise", code=WRONG_INPUT))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
