"""A format for tests: records of a time, three numbers and a class."""
import numpy as np

from tidemill import plugin

RECORD = np.dtype([("time", "<i8"), ("numbers", "<f4", 3), ("label", "<i4")])


class Readings(plugin.Format):
    """Records of 24 bytes, of which the last 4 are the class, 0 or 1. A sample ends before its class, so that no op reads it."""

    version = "3"

    def read(self, piece):
        count = len(piece.bytes) // RECORD.itemsize
        records = np.frombuffer(piece.bytes, RECORD, count)
        begins = np.arange(count) * RECORD.itemsize
        bad = {int(row): "its class is neither 0 nor 1" for row in np.flatnonzero(records["label"] > 1)}
        return plugin.Records(begins, begins + RECORD.fields["label"][1], consumed=count * RECORD.itemsize,
                              labels=records["label"].copy(), event_times=records["time"].copy(), bad=bad)
