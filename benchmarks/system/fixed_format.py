"""The built-in format `binary` with a label in each record, as a plug-in, for the figure plugin_format_vs_builtin_numpy."""
import numpy as np

from tidemill import plugin


class Fixed(plugin.Format):
    """Records of a fixed size that begin with a label."""

    record_bytes = plugin.Integer(64, min=4, doc="Bytes of a record.")

    def read(self, piece):
        count = len(piece.bytes) // self.record_bytes
        begins = np.arange(count) * self.record_bytes
        whole = np.frombuffer(piece.bytes, np.uint8, count * self.record_bytes).reshape(count, self.record_bytes)
        labels = np.ascontiguousarray(whole[:, :4]).view("<i4").reshape(count)
        return plugin.Records(begins, begins + self.record_bytes, labels=labels)
