"""Tests of FILE_NAME.py: `PYTHONPATH=<prefix>/lib/tidemill/python python3 FILE_NAME_test.py`."""
import unittest

import numpy

from tidemill import plugin

from FILE_NAME import CLASS_NAME


def chosen(piece):
    """What it chooses from a hundred candidates that come in pieces."""
    policy = plugin.create(CLASS_NAME, {"samples": 10})
    keys = numpy.arange(100)
    for first in range(0, len(keys), piece):
        some = keys[first:first + piece]
        policy.add(plugin.Block(len(some), {"key": some}))
    return list(policy.choose(len(keys)))


class CLASS_NAMETest(unittest.TestCase):
    def test_chooses_so_many_in_the_order_of_the_stream(self):
        self.assertEqual(len(chosen(100)), 10)
        self.assertEqual(chosen(100), sorted(set(chosen(100))))

    def test_chooses_the_same_in_pieces(self):
        self.assertEqual(chosen(7), chosen(100))


if __name__ == "__main__":
    unittest.main()
