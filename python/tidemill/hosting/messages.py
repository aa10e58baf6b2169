"""Messages over a socket: a length and that many bytes of JSON."""
from __future__ import annotations

import json
import os
import struct
import sys
from typing import Any

LONGEST = 16 * 1024 * 1024


class Unreadable(Exception):
    """A message that cannot be read; what follows it cannot be found."""


class Channel:
    """Messages to and from the owner of this process, over a descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        # Whatever the owner has made of it.
        os.set_blocking(descriptor, True)

    def receive(self) -> bytes | None:
        """The next message. None once the owner has closed the socket."""
        head = self._read(4)
        if head is None:
            return None
        (length,) = struct.unpack("<I", head)
        if length > LONGEST:
            raise Unreadable(f"a message of {length} bytes, and {LONGEST} is the most")
        return self._read(length)

    def send(self, message: bytes) -> None:
        """Sends all of it. Raises OSError once the owner is gone."""
        rest = memoryview(struct.pack("<I", len(message)) + message)
        while rest:
            rest = rest[os.write(self._descriptor, rest):]

    def _read(self, length: int) -> bytes | None:
        pieces = []
        while length:
            try:
                piece = os.read(self._descriptor, length)
            except ConnectionError:
                return None
            if not piece:
                return None
            pieces.append(piece)
            length -= len(piece)
        return b"".join(pieces)


def hello(**versions: str) -> bytes:
    """What a host says first. The process that starts it may name its sandbox in the environment."""
    message = {"hello": 1, "language": "python", "versions": {"python": sys.version.split()[0], **versions}}
    sandbox = os.environ.get("TIDEMILL_PLUGIN_SANDBOX")
    return encoded({**message, "sandbox": sandbox} if sandbox else message)


def encoded(message: dict[str, Any]) -> bytes:
    """The message as JSON. Text that is not Unicode becomes question marks. Raises ValueError where a number is not finite."""
    return json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
