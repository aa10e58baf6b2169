"""Tests of FILE_NAME.py: `PYTHONPATH=<prefix>/lib/tidemill/python python3 FILE_NAME_test.py`."""
import unittest

import numpy as np
from tidemill import plugin

from FILE_NAME import CLASS_NAME


class CLASS_NAMETest(unittest.TestCase):
    def test_a_missed_1_costs_more(self):
        measure = plugin.create(CLASS_NAME, {"missed": 7})
        block = plugin.Block(4, {"label": np.array([0, 0, 1, 1]), "prediction": np.array([0, 1, 0, 1])})
        self.assertEqual(measure.contributions(block).tolist(), [0, 1, 7, 0])


if __name__ == "__main__":
    unittest.main()
