"""What libraries find in a process that may open no file for writing.

They open the null device for writing, to silence others, and ask for the folders of temporary files and of caches, often at
import.
"""
from __future__ import annotations

import builtins
import io
import os
import tempfile
from typing import Any

# Variables that name folders of caches. Libraries make these folders when they are imported, and content themselves with one that
# is there. What they would keep in it they make again.
_CACHES = ("HF_HOME", "MPLCONFIGDIR", "NUMBA_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "TORCH_HOME", "TRITON_CACHE_DIR",
           "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
_FOLDER = "/tmp"
# The owner of a host has opened it for reading and writing.
_DESCRIPTOR = 0


def make_do() -> None:
    """From here on `open` and `os.open` give the null device by the descriptor that is open, and `tempfile` has a folder, in
    which nothing can be written."""
    tempfile.tempdir = _FOLDER
    os.environ.update(dict.fromkeys(_CACHES, _FOLDER))
    # There is no network to look for newer files in.
    os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", TRANSFORMERS_OFFLINE="1")
    plain: Any = builtins.open
    plain_descriptor: Any = os.open

    def opened(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        return plain(os.dup(_DESCRIPTOR) if _is_null(file) else file, mode, *arguments, **named)

    def descriptor(path: Any, *arguments: Any, **named: Any) -> Any:
        return os.dup(_DESCRIPTOR) if _is_null(path) else plain_descriptor(path, *arguments, **named)

    opened.__doc__, opened.__name__ = plain.__doc__, "open"
    descriptor.__doc__, descriptor.__name__ = plain_descriptor.__doc__, "open"
    builtins.open = io.open = opened
    os.open = descriptor


def _is_null(file: Any) -> bool:
    return isinstance(file, (str, bytes, os.PathLike)) and os.fspath(file) in (os.devnull, os.devnull.encode())
