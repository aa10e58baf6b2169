"""What plug-ins may not do, as far as Python can tell. It makes a clear fault of a mistake; it holds nobody who wants out.

Whoever starts a host also takes away the network and other processes, where the machine can.
"""
from __future__ import annotations

import socket
import sys
from typing import Any

_PROCESSES = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "pty.spawn", "subprocess.Popen"}
_SIGNALS = {"os.kill", "os.killpg", "signal.pthread_kill"}
_NETWORK = {"socket.bind", "socket.connect", "socket.getaddrinfo", "socket.gethostbyaddr", "socket.gethostbyname",
            "socket.getnameinfo", "socket.sendmsg", "socket.sendto"}


def refuse() -> None:
    """From here on such calls raise PermissionError, which libraries that try expect. There is no way back."""
    sys.addaudithook(_look)


def _look(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _PROCESSES:
        raise PermissionError(f"a plug-in may not start processes ({event})")
    if event in _SIGNALS:
        raise PermissionError(f"a plug-in may not send signals ({event})")
    # A pair of sockets leads nowhere, and event loops have one.
    if event in _NETWORK or (event == "socket.__new__" and arguments[1] not in (-1, socket.AF_UNIX)):
        raise PermissionError(f"a plug-in may not use the network ({event})")
