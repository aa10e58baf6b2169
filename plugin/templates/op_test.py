"""Tests of FILE_NAME.py: `PYTHONPATH=<prefix>/lib/tidemill/python python3 FILE_NAME_test.py`."""
import unittest

import numpy
from tidemill import plugin

from FILE_NAME import CLASS_NAME


class CLASS_NAMETest(unittest.TestCase):
    def test_numbers_are_in_units_of_their_mean(self):
        op = plugin.create(CLASS_NAME, {"scale": 2})
        op.outputs([plugin.ColumnType("x", "float32")])
        block = plugin.Block(3, {"x": numpy.array([1, 2, 3], numpy.float32)})
        op.fit(block)
        self.assertEqual(op.apply(block)["relative_x"].tolist(), [1, 2, 3])


if __name__ == "__main__":
    unittest.main()
