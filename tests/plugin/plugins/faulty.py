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

    def keep_silent(self, evidence):
        sys.exit()
