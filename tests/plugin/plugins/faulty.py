"""Plug-ins that do what plug-ins may not do."""
import ctypes
import os
import socket
import sys

import numpy
from tidemill import plugin


class Faulty(plugin.Trigger):
    """Does wrong at its third decision."""

    how = plugin.Text("throw", doc="What it does wrong.")
    file = plugin.Text("", doc="A file that it may not read.")

    def __init__(self):
        self.decisions = 0

    def points(self):
        return plugin.EverySamples(100)

    def looks_at(self):
        return {"labels": plugin.Labels(since="decision")}

    def observe(self, evidence):
        self.decisions += 1
        wrong = getattr(self, self.how)(evidence) if self.decisions == 3 else None
        return {"decisions": self.decisions} if wrong is None else wrong

    def judge(self, seen):
        return plugin.Verdict(False, "it never fires")

    def throw(self, evidence):
        raise ValueError("thrown on purpose")

    def exit(self, evidence):
        os._exit(3)

    def crash(self, evidence):
        ctypes.string_at(8)

    def loop(self, evidence):
        while True:
            pass

    def memory(self, evidence):
        return {"sum": numpy.ones(1 << 30).sum()}

    def wrong_type(self, evidence):
        return {"decisions": "three"}

    def not_finite(self, evidence):
        return {"decisions": float("nan")}

    def write_input(self, evidence):
        evidence["labels"][0] = 7

    def poke_input(self, evidence):
        ctypes.memset(evidence["labels"].ctypes.data, 1, 8)

    def fork(self, evidence):
        os.fork()

    def print_much(self, evidence):
        line = "x" * 1023
        for _ in range(1 << 20):
            print(line)

    def read_file(self, evidence):
        with open(self.file) as file:
            return {"bytes": len(file.read())}

    def write_file(self, evidence):
        with open("/tmp/of_a_plugin", "w") as file:
            file.write("x")

    def connect(self, evidence):
        socket.create_connection(("127.0.0.1", 22), 1)

    def kill_parent(self, evidence):
        os.kill(os.getppid(), 9)

    def leave(self, evidence):
        sys.exit()

    def zero_byte(self, evidence):
        raise ValueError("before\0behind")

    # What follows speaks to the owner in the host's place.

    def answer(self, text):
        os.write(3, len(text).to_bytes(4, "little") + text)
        return {"decisions": self.decisions}

    def nonsense(self, evidence):
        return self.answer(b'{"ok": "yes", "fault": 7}')

    def nested(self, evidence):
        return self.answer(b'{"ok": true, "observed": ' + b"[" * (1 << 20) + b"]" * (1 << 20) + b"}")

    def cut_off(self, evidence):
        os.write(3, b"\xff\xff\xff\xff")


NUM_ASKED = [0]


class Forgetful(plugin.Trigger):
    """Counts where nothing is remembered, and ends its process at the second decision that this one makes."""

    def points(self):
        return plugin.EverySamples(300)

    def observe(self, evidence):
        NUM_ASKED[0] += 1
        if NUM_ASKED[0] == 2:
            os._exit(3)
        return {"asked": NUM_ASKED[0]}

    def judge(self, seen):
        return plugin.Verdict(True, "it always fires")
