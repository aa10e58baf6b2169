"""One stack for all tests, with a run of the quickstart."""
import os
import pathlib
import tempfile
from collections.abc import Iterator

import matplotlib
import pytest

import tidemill
from tidemill.client import program

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUICKSTART = ROOT / "pipelines" / "quickstart" / "pipeline.yaml"

matplotlib.use("agg")


@pytest.fixture(scope="session", autouse=True)
def _alone() -> Iterator[None]:
    """No test looks for a stack of the user."""
    for name in [name for name in os.environ if name.startswith("TIDEMILL_") and name != "TIDEMILL_BIN"]:
        del os.environ[name]
    yield


@pytest.fixture(scope="session")
def stack() -> Iterator[tidemill.Stack]:
    """A stack that runs until the last test, and leaves nothing."""
    with tempfile.TemporaryDirectory(prefix="tidemill-python-test-") as folder:
        own = tidemill.Stack(os.path.join(folder, "state"))
        try:
            with own:
                yield own
        finally:
            program.ask(own.address, ["down", "--purge", "--yes"])


@pytest.fixture(scope="session")
def run(stack: tidemill.Stack) -> tidemill.Run:
    """The run of the quickstart, to its end."""
    return stack.run(QUICKSTART, tags=["python"], note="by the client")
