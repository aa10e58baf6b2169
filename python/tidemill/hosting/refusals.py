"""What plug-ins may not do, as far as Python can tell. It turns a mistake into a clear fault; it does not stop code that
wants to escape.

The process that starts a host also takes away the network and other processes, where the machine can. Executing programs
stays possible until `refuse`, because a host begins with it; the kernel refuses it from then on, to native code, too.
"""
from __future__ import annotations

import ctypes
import errno
import os
import platform
import socket
import struct
import sys
from typing import Any

_PROCESSES = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "pty.spawn", "subprocess.Popen"}
_SIGNALS = {"os.kill", "os.killpg", "signal.pthread_kill"}
_NETWORK = {"socket.bind", "socket.connect", "socket.getaddrinfo", "socket.gethostbyaddr", "socket.gethostbyname",
            "socket.getnameinfo", "socket.sendmsg", "socket.sendto"}


# By machine: its number in filters, and those of the calls execve, execveat and seccomp.
_CALLS = {"x86_64": (0xC000003E, 59, 322, 317), "aarch64": (0xC00000B7, 221, 281, 277)}


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def _refuse_executing() -> None:
    """A filter of system calls for all threads of this process: no other program takes its place."""
    if platform.machine() not in _CALLS:
        return
    machine, execve, execveat, seccomp = _CALLS[platform.machine()]
    load, jump_if_equal, leave = 0x20, 0x15, 0x06  # Instructions of linux/bpf_common.h.
    allow, refused = 0x7FFF0000, 0x00050000 | errno.EPERM
    instructions = b"".join(struct.pack("HBBI", *instruction) for instruction in (
        (load, 0, 0, 4), (jump_if_equal, 0, 3, machine),
        (load, 0, 0, 0), (jump_if_equal, 2, 0, execve), (jump_if_equal, 1, 0, execveat),
        (leave, 0, 0, allow), (leave, 0, 0, refused)))
    program = _Program(len(instructions) // 8, instructions)
    system = ctypes.CDLL(None, use_errno=True)
    no_new_rights, set_filter, all_threads = 38, 1, 1
    if system.prctl(no_new_rights, 1, 0, 0, 0) != 0 or system.syscall(seccomp, set_filter, all_threads,
                                                                     ctypes.byref(program)) != 0:
        raise OSError(ctypes.get_errno(), f"cannot refuse system calls: {os.strerror(ctypes.get_errno())}")


def refuse() -> None:
    """From here on such calls raise PermissionError, which libraries that try expect. There is no way back."""
    _refuse_executing()
    sys.addaudithook(_look)
    sys.breakpointhook = _no_debugger


def _no_debugger(*arguments: Any, **named: Any) -> None:
    raise PermissionError("a plug-in has no terminal for a debugger; print what you want to see, or call the plug-in in a "
                          "test of your own")


def _look(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _PROCESSES:
        raise PermissionError(f"a plug-in may not start processes ({event})")
    if event in _SIGNALS:
        raise PermissionError(f"a plug-in may not send signals ({event})")
    # A pair of sockets leads nowhere, and event loops have one.
    if event in _NETWORK or (event == "socket.__new__" and arguments[1] not in (-1, socket.AF_UNIX)):
        raise PermissionError(f"a plug-in may not use the network ({event})")
