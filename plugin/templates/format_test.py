"""Tests of FILE_NAME.py: `PYTHONPATH=<prefix>/lib/tidemill/python python3 FILE_NAME_test.py`."""
import unittest

from tidemill import plugin

from FILE_NAME import CLASS_NAME


class CLASS_NAMETest(unittest.TestCase):
    def test_whole_records_are_found_and_the_rest_comes_again(self):
        four = plugin.create(CLASS_NAME, {"record_bytes": 4})
        records = four.read(plugin.Piece(memoryview(b"\x01abc\x02def\x03g")))
        self.assertEqual(records.begins.tolist(), [0, 4])
        self.assertEqual(records.ends.tolist(), [4, 8])
        self.assertEqual(records.labels.tolist(), [1, 2])


if __name__ == "__main__":
    unittest.main()
