"""Formats for tests: lines, and records whose size is at the beginning of their file."""
import os
import time

import numpy as np

from tidemill import plugin


class Lines(plugin.Format):
    """Lines such as `1 1700000000000000 text`: a label, `?` for none, the event time and anything."""

    how = plugin.Text("", choices=["", "throw", "crash", "hang", "print"], doc="What a line with !!! makes it do.")

    def read(self, piece):
        data = bytes(piece.bytes)
        if b"!!!" in data:
            self.fail()
        begins, ends, labels, times, bad = [], [], [], [], {}
        at = 0
        while at < len(data):
            end = data.find(b"\n", at)
            if end < 0 and not piece.is_last:
                break
            end = len(data) if end < 0 else end
            if end > at:
                label, when, *_ = [*data[at:end].split(b" "), b"", b""]
                if not when.isdigit() or not (label.isdigit() or label == b"?"):
                    bad[len(begins)] = f"'{data[at:end].decode()}' is not a line with a label and a time"
                begins.append(at)
                ends.append(end)
                labels.append(int(label) if label.isdigit() else None)
                times.append(int(when) if when.isdigit() else None)
            at = end + 1
        return plugin.Records(begins, ends, min(at, len(data)), labels, times, bad)

    def fail(self):
        print("about to fail", flush=True)
        if self.how == "throw":
            raise ValueError("thrown on purpose")
        if self.how == "crash":
            os.abort()
        while self.how == "hang":
            time.sleep(0.01)


class Sized(plugin.Format):
    """Records of equal size: the first two bytes of the file say which. The first byte of each is its label."""

    head_bytes = 2

    def read(self, piece):
        size = int.from_bytes(piece.head, "little")
        first = 2 if piece.offset == 0 else 0
        begins = np.arange(first, len(piece.bytes) - size + 1, size)
        labels = np.frombuffer(piece.bytes, np.uint8)[begins]
        return plugin.Records(begins, begins + size, labels=labels)


class Wrong(plugin.Format):
    """Returns answers that are not valid."""

    how = plugin.Text("overlap", choices=["overlap", "empty", "beyond", "consumed", "nothing", "no_labels"], doc="How.")

    def read(self, piece):
        size = len(piece.bytes)
        return {"overlap": plugin.Records([0, 1], [2, 3]), "empty": plugin.Records([1], [1]),
                "beyond": plugin.Records([0], [size + 1]), "consumed": plugin.Records([0], [2], 1), "nothing": None,
                "no_labels": plugin.Records([0], [size])}[self.how]
