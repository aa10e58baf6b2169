"""A format of files: `format: {type: plugin, use: "FILE_NAME.py:CLASS_NAME", with: {record_bytes: 16}}`."""
import numpy as np

from tidemill import plugin


class CLASS_NAME(plugin.Format):
    """Records of a fixed size. The first byte of each is its label."""

    version = "0.1"

    record_bytes = plugin.Integer(16, min=1, doc="Bytes of a record.")

    def read(self, piece):
        """The whole records in a piece of a file. Bytes after the last one are given again, with those that follow."""
        begins = np.arange(0, len(piece.bytes) - self.record_bytes + 1, self.record_bytes)
        labels = np.frombuffer(piece.bytes, np.uint8)[begins]
        return plugin.Records(begins, begins + self.record_bytes, labels=labels)
