"""Shows how far a run is: a bar in a terminal or a notebook by tqdm, and lines without it."""
from __future__ import annotations

import sys
from typing import Any, Protocol

from tidemill.protos.supervisor.v1.run_pb2 import RUN_STATE_SUCCEEDED, Run
from tidemill.protos.supervisor.v1.watch_pb2 import Progress, WatchRunResponse

# The events of which a line is worth reading.
_TOLD = ("trigger_skipped", "policy_faulted", "selection_faulted", "plugin_died", "step_waited", "run_failed", "run_stopped")


class Watcher(Protocol):
    """What follows a run."""

    def event(self, event: WatchRunResponse.Event) -> None:
        """Something has happened."""

    def update(self, progress: Progress) -> None:
        """The run is so far."""

    def end(self, run: Run | None) -> None:
        """The run has ended, or is not followed any more: None."""


class Silent:
    """Shows nothing."""

    def event(self, event: WatchRunResponse.Event) -> None:
        """See Watcher."""

    def update(self, progress: Progress) -> None:
        """See Watcher."""

    def end(self, run: Run | None) -> None:
        """See Watcher."""


class Lines:
    """A line on standard error for each trigger and each failure, where there is no tqdm."""

    def __init__(self, name: str) -> None:
        self._name = name

    def event(self, event: WatchRunResponse.Event) -> None:
        """See Watcher."""
        if event.type == "model_stored" or event.type in _TOLD:
            print(f"{self._name}: {event.text}", file=sys.stderr)

    def update(self, progress: Progress) -> None:
        """See Watcher."""

    def end(self, run: Run | None) -> None:
        """See Watcher."""


class Bar:
    """A bar of the share of the stream that a replay has done, and its present stage."""

    def __init__(self, bar: type[Any], name: str) -> None:
        self._bar = bar(total=100, desc=name, unit="%", bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}{postfix}")

    def event(self, event: WatchRunResponse.Event) -> None:
        """See Watcher."""
        if event.type in _TOLD:
            self._bar.write(event.text, file=sys.stderr)

    def update(self, progress: Progress) -> None:
        """See Watcher."""
        if progress.HasField("share"):
            self._bar.n = max(self._bar.n, round(100 * progress.share, 1))
        self._bar.set_postfix_str(_stage_of(progress))

    def end(self, run: Run | None) -> None:
        """See Watcher."""
        if run is not None:
            self._bar.n = 100 if run.state == RUN_STATE_SUCCEEDED else self._bar.n
            self._bar.set_postfix_str(f"{run.num_triggers} triggers")
        self._bar.refresh()
        self._bar.close()


def _stage_of(progress: Progress) -> str:
    if progress.waiting_for:
        return f"waits for {progress.waiting_for}"
    trigger = f"trigger {progress.trigger}: " if progress.trigger else ""
    amount = f" {progress.done:,} of {progress.total:,} {progress.unit}" if progress.total else ""
    loss = f", loss {progress.loss:.3g}" if progress.loss else ""
    return f"{trigger}{progress.stage}{amount}{loss}"


def watcher(shown: bool | None, name: str) -> Watcher:
    """A bar, where tqdm is installed. `shown`: None means in a terminal or a notebook."""
    # A notebook's process has a shell with a kernel; to have imported them is not enough.
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    in_notebook = getattr(shell, "kernel", None) is not None
    if shown is False or (shown is None and not in_notebook and not sys.stderr.isatty()):
        return Silent()
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return Lines(name)
    return Bar(tqdm, name)
