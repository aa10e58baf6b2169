"""A host of Python plug-ins as a process, spoken to as its owner does: docs/formats/plugin_protocol.md."""
import fcntl
import json
import mmap
import os
import pathlib
import signal
import socket
import struct
import sys

import numpy

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "python/tidemill/plugin_host.py"
MEMORY = 1 << 24
SEAL_FUTURE_WRITE = 0x10


class HostProcess:
    """A host that runs. `ask` sends a request and returns the answer."""

    def __init__(self, memory=MEMORY, interpreter=sys.executable, environment=None):
        self.requests = os.memfd_create("requests", os.MFD_ALLOW_SEALING)
        self.answers = os.memfd_create("answers")
        self.file = os.memfd_create("file")
        self.data = os.memfd_create("data")
        for descriptor in (self.requests, self.answers):
            os.truncate(descriptor, memory)
        self.request_memory = mmap.mmap(self.requests, memory)
        self.answer_memory = mmap.mmap(self.answers, memory, prot=mmap.PROT_READ)
        fcntl.fcntl(self.requests, fcntl.F_ADD_SEALS, SEAL_FUTURE_WRITE)
        self.socket, theirs = socket.socketpair()
        theirs.setblocking(False)
        self.printed, pipe = os.pipe()
        os.set_blocking(self.printed, False)
        # Above those that they become in the host.
        ours = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 20)
                for descriptor in (pipe, theirs.fileno(), self.requests, self.answers, self.file, self.data)]
        places = list(zip([ours[0], *ours], range(1, 8)))
        self.process = os.posix_spawn(
            interpreter, [interpreter, "-I", "-B", str(PROGRAM)], {"PATH": "/usr/bin:/bin", **(environment or {})},
            file_actions=[(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDWR, 0),
                          *((os.POSIX_SPAWN_DUP2, descriptor, place) for descriptor, place in places)])
        for descriptor in [*ours, pipe]:
            os.close(descriptor)
        theirs.close()
        self.socket.settimeout(30)
        self.hello = self.receive()

    def send(self, message):
        data = json.dumps(message).encode()
        self.socket.sendall(struct.pack("<I", len(data)) + data)

    def receive(self):
        (length,) = struct.unpack("<I", self._read(4))
        return json.loads(self._read(length), parse_constant=lambda text: 1 / 0)

    def ask(self, call, **request):
        self.send({"call": call, **request})
        return self.receive()

    def load(self, source, name, kind, file="surprise.py", data=None):
        """Makes the source the host's file and loads a plug-in of it. `data`: the name of a data file, and what is in it."""
        files = []
        if data is not None:
            files.append(data[0])
            os.truncate(self.data, 0)
            os.pwrite(self.data, data[1], 0)
        os.truncate(self.file, 0)
        os.pwrite(self.file, source if isinstance(source, bytes) else source.encode(), 0)
        return self.ask("load", file=file, name=name, kind=kind, files=files)

    def columns(self, *blocks):
        """Writes blocks of columns into the memory, and describes each. A list is a column of byte strings."""
        at = 0
        described = []

        def put(values):
            nonlocal at
            place = at
            self.request_memory[place:place + values.nbytes] = values.tobytes()
            at = -(-(place + values.nbytes) // 64) * 64
            return place

        for block in blocks:
            columns = []
            for name, column in block.items():
                if isinstance(column, list):
                    offsets = numpy.cumsum([0, *map(len, column)], dtype=numpy.int64)
                    columns.append({"name": name, "type": "binary", "offsets_at": put(offsets),
                                    "at": put(numpy.frombuffer(b"".join(column), numpy.uint8))})
                else:
                    columns.append({"name": name, "type": column.dtype.name, "shape": list(column.shape[1:]),
                                    "at": put(column)})
            described.append({"rows": len(column), "columns": columns})
        return described

    def values(self, answer):
        """The columns of an answer by name; (values, valid) where some rows may have none."""
        found = {}
        rows = answer["rows"]
        for column in answer["columns"]:
            assert column["at"] % 64 == 0, column
            if column["type"] == "binary":
                offsets = numpy.frombuffer(self.answer_memory, numpy.int64, rows + 1, column["offsets_at"])
                found[column["name"]] = [self.answer_memory[column["at"] + begin:column["at"] + end]
                                         for begin, end in zip(offsets, offsets[1:])]
                continue
            shape = (rows, *column["shape"])
            values = numpy.frombuffer(self.answer_memory, column["type"], int(numpy.prod(shape)), column["at"])
            found[column["name"]] = values.reshape(shape).copy()
            if "validity_at" in column:
                bits = numpy.frombuffer(self.answer_memory, numpy.uint8, (rows + 7) // 8, column["validity_at"])
                valid = numpy.unpackbits(bits, count=rows, bitorder="little").astype(bool)
                found[column["name"]] = (found[column["name"]], valid)
        return found

    def output(self):
        """What was printed so far."""
        text = b""
        try:
            while piece := os.read(self.printed, 1 << 16):
                text += piece
        except BlockingIOError:
            pass
        return text.decode()

    def end(self):
        """Closes the socket. Returns how the process ended."""
        self.socket.close()
        signal.alarm(30)
        _, status = os.waitpid(self.process, 0)
        signal.alarm(0)
        for descriptor in (self.printed, self.requests, self.answers, self.file):
            os.close(descriptor)
        return os.waitstatus_to_exitcode(status)

    def _read(self, length):
        data = b""
        while len(data) < length:
            piece = self.socket.recv(length - len(data))
            if not piece:
                raise EOFError("the host has ended")
            data += piece
        return data
