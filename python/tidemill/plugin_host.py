"""Runs a user's Python plug-in: python3 -I -B plugin_host.py

It speaks docs/formats/plugin_protocol.md over the descriptors 3 to 6. The process that starts it chooses the Python; numpy is all
that it has to have.
"""
from __future__ import annotations

import os
import sys

_OLDEST = (3, 11)


def _begin_alike() -> None:
    """Starts this program again unless its sets have the same order in every process.

    Otherwise the order of a set of texts, and a sum over one, would differ from process to process. Only the environment can
    say so, and -I does not look at it; -P and -s are the rest of what -I means.
    """
    if not sys.flags.hash_randomization or "TIDEMILL_PLUGIN_HOST" in os.environ:
        return
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment.update(PYTHONHASHSEED="0", TIDEMILL_PLUGIN_HOST="again")
    arguments = [sys.executable, "-P", "-s", "-B", os.path.abspath(__file__)]
    try:
        os.execve(sys.executable, arguments, environment)
    except OSError:
        pass  # No way to start programs here; then sets have their own order.


def _set_up() -> None:
    """The environment that numpy and plug-ins find."""
    os.environ.pop("TIDEMILL_PLUGIN_HOST", None)
    # Sums do not depend on how many processors there are. The owner of a program says how many threads it has.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]


def _serve_nothing(why: str) -> None:
    """Answers each request with a fault."""
    from tidemill.hosting.messages import Channel, encoded, hello
    channel = Channel(3)
    channel.send(hello())
    while channel.receive() is not None:
        channel.send(encoded({"ok": False, "fault": {"what": why, "where": "", "traceback": ""}}))


def main() -> None:
    """Serves until the socket ends."""
    if sys.version_info < _OLDEST:
        _set_up()
        return _serve_nothing(f"plug-ins need Python {'.'.join(map(str, _OLDEST))} or later, and {sys.executable} is "
                              f"{sys.version.split()[0]}")
    _begin_alike()
    _set_up()
    try:
        import numpy  # noqa: F401
    except ImportError as error:
        return _serve_nothing(f"plug-ins need numpy, and {sys.executable} has none: {error}")
    import faulthandler
    from tidemill.hosting.host import Host
    from tidemill.hosting.no_files import make_do
    from tidemill.hosting.refusals import refuse
    # A crash tells its place in the user's file.
    faulthandler.enable(all_threads=False)
    refuse()
    make_do()
    return Host(socket=3, requests=4, answers=5, file=6).serve()


if __name__ == "__main__":
    main()
    # Threads of a plug-in do not keep the process.
    os._exit(0)
