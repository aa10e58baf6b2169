"""Tests of FILE_NAME.py: `PYTHONPATH=<prefix>/lib/tidemill/python python3 FILE_NAME_test.py`."""
import unittest

import numpy
from tidemill import plugin

from FILE_NAME import CLASS_NAME


class CLASS_NAMETest(unittest.TestCase):
    def test_a_greater_loss_has_a_greater_score(self):
        score = plugin.create(CLASS_NAME, {"power": 2})
        block = plugin.Block(2, {"losses": numpy.array([0.5, 2], numpy.float32)})
        self.assertEqual(score.score(block).tolist(), [0.25, 4])


if __name__ == "__main__":
    unittest.main()
