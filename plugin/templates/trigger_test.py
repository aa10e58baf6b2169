"""Tests of FILE_NAME.py: `PYTHONPATH=<prefix>/lib/tidemill/python python3 FILE_NAME_test.py`."""
import unittest

from tidemill import plugin

from FILE_NAME import CLASS_NAME


class CLASS_NAMETest(unittest.TestCase):
    def test_fires_at_the_threshold(self):
        policy = plugin.create(CLASS_NAME, {"threshold": 0.5})
        self.assertTrue(policy.judge({"mistakes": 0.5}).fired)
        self.assertFalse(policy.judge({"mistakes": 0.25}).fired)


if __name__ == "__main__":
    unittest.main()
