"""A run: one execution of a pipeline, and what came of it."""
from __future__ import annotations

import dataclasses
import datetime
import time
from typing import TYPE_CHECKING, Any

from tidemill.client import look, quality_drawing
from tidemill.client.address import keeper_runs
from tidemill.client.decisions import Decision
from tidemill.client.matrix import Matrix, chosen, matrices_of
from tidemill.client.progress import watcher
from tidemill.client.services import new_request_id
from tidemill.client.table import Table
from tidemill.client.times import of_cut, of_timestamp, shown
from tidemill.errors import RunFailed, Unreachable
from tidemill.protos.rpc.v1.rpc_pb2 import Command
from tidemill.protos.supervisor.v1 import run_pb2, supervisor_pb2, watch_pb2

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tidemill.client.stack import Stack

# How long the supervisor may be away from a run that is followed. The keeper of a local stack starts it again when it dies; one
# that is only stopped, or on a busy machine, is waited for.
_PATIENCE = 60.0
_PATIENCE_WITH_KEEPER = 1800.0
_PAUSE = 0.5
_STATES = {run_pb2.RUN_STATE_RUNNING: "running", run_pb2.RUN_STATE_SUCCEEDED: "succeeded", run_pb2.RUN_STATE_FAILED: "failed",
           run_pb2.RUN_STATE_STOPPED: "stopped"}


@dataclasses.dataclass(frozen=True)
class RunStatus:
    """What is known of a run as a whole."""

    run: int
    pipeline: str
    #: running, succeeded, failed or stopped.
    state: str
    started_at: datetime.datetime | None
    #: None while it runs.
    finished_at: datetime.datetime | None
    #: Why it failed.
    error: str
    num_triggers: int
    num_samples: int
    tags: tuple[str, ...]
    note: str
    #: Whether values were set for this run alone, so that its models do not answer for the pipeline.
    is_trial: bool

    @classmethod
    def of(cls, run: run_pb2.Run) -> RunStatus:
        """The status of a message."""
        return cls(run=run.run_id, pipeline=run.pipeline_name, state=_STATES.get(run.state, "unknown"),
                   started_at=of_timestamp(run.started_at), finished_at=of_timestamp(run.finished_at), error=run.error,
                   num_triggers=run.num_triggers, num_samples=run.num_samples, tags=tuple(run.tags), note=run.note,
                   is_trial=run.is_trial)

    @property
    def is_finished(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.state in ("succeeded", "failed", "stopped")


class Run:
    """A run of a stack. It holds its number alone, and asks the stack for all else at each call."""

    def __init__(self, stack: Stack, number: int) -> None:
        self.stack = stack
        #: The number of the run in its stack.
        self.number = number

    # What it does.

    def wait(self, *, progress: bool | None = None, check: bool = True) -> Run:
        """Follows the run to its end, and returns it.

        `progress`: whether to show a bar; None: in a terminal or a notebook. An interrupt (Ctrl-C) ends the wait, and the run
        continues. Raises RunFailed when the run fails or is stopped, unless `check` is False.
        """
        shown_by = watcher(progress, f"run {self.number}")
        final: run_pb2.Run | None = None
        try:
            final = self._followed(shown_by)
        finally:
            shown_by.end(final)
        status = RunStatus.of(final)
        if check and status.state == "failed":
            raise RunFailed(f"run {self.number} of {status.pipeline} failed: {status.error}", run=self.number,
                            advice=f"repair it, then `stack.find_run({self.number}).resume()` continues where it was")
        if check and status.state == "stopped":
            raise RunFailed(f"run {self.number} of {status.pipeline} was stopped", run=self.number,
                            advice=f"`stack.find_run({self.number}).resume()` continues it")
        return self

    def _followed(self, shown_by: Any) -> run_pb2.Run:
        last_sequence, lost_at = 0, time.monotonic()
        while True:
            request = watch_pb2.WatchRunRequest(run_id=self.number, after_sequence=last_sequence)
            reason: Unreachable | None = None
            try:
                for message in self.stack.services.follow("supervisor", request, watch_pb2.WatchRunResponse):
                    lost_at = time.monotonic()
                    if message.HasField("final"):
                        return message.final
                    if message.HasField("event"):
                        last_sequence = message.event.sequence
                        shown_by.event(message.event)
                    else:
                        shown_by.update(message.progress)
            except Unreachable as error:
                reason = error
            state = self.stack.reach.state
            patience = _PATIENCE_WITH_KEEPER if state is not None and keeper_runs(state) else _PATIENCE
            if time.monotonic() - lost_at > patience:
                raise reason or Unreachable(f"the stream of run {self.number} ended early")
            time.sleep(_PAUSE)

    def stop(self) -> RunStatus:
        """Stops the run in its present step. A live run first measures its models; a second call ends it at once."""
        request = supervisor_pb2.StopRunRequest(command=_command(), run_id=self.number)
        return RunStatus.of(self.stack.services.ask("supervisor", request, supervisor_pb2.StopRunResponse).run)

    def resume(self) -> Run:
        """Continues a stopped or failed run where it was. Raises Conflict when it has succeeded."""
        request = supervisor_pb2.ResumeRunRequest(command=_command(), run_id=self.number)
        self.stack.services.ask("supervisor", request, supervisor_pb2.ResumeRunResponse)
        return self

    def trigger(self) -> int:
        """Makes a live run train now, whatever its policy says. Returns the number that the trigger will have."""
        request = supervisor_pb2.TriggerRunRequest(command=_command(), run_id=self.number)
        return self.stack.services.ask("supervisor", request, supervisor_pb2.TriggerRunResponse).trigger

    # What came of it.

    @property
    def status(self) -> RunStatus:
        """The state of the run now. Raises NotFound when it was deleted."""
        return RunStatus.of(self.message().run)

    def message(self, *, with_events: bool = False) -> supervisor_pb2.GetRunResponse:
        """All that the supervisor says about the run, as protos/tidemill/supervisor/v1/supervisor.proto has it."""
        request = supervisor_pb2.GetRunRequest(run_id=self.number, with_events=with_events)
        return self.stack.services.ask("supervisor", request, supervisor_pb2.GetRunResponse)

    def triggers(self) -> Table:
        """One row for each trigger: when it fired, on how many samples it trained, its model, its last loss and its seconds."""
        rows = []
        for trigger in self.message().triggers:
            rows.append({
                "trigger": trigger.number, "at": of_cut(trigger.at), "new": trigger.num_new, "candidates": trigger.num_candidates,
                "samples": trigger.num_samples, "model": trigger.model_id or None,
                "loss": trigger.result.loss if trigger.HasField("result") else None,
                "seconds": sum(trigger.stage_seconds[stage] for stage in sorted(trigger.stage_seconds)),
                "skip_reason": trigger.skip_reason, "fired_at": of_timestamp(trigger.fired_at)})
        return Table.of_rows(("trigger", "at", "new", "candidates", "samples", "model", "loss", "seconds", "skip_reason",
                              "fired_at"), rows)

    def decisions(self) -> Table:
        """One row for each decision of the trigger policy, with its reason; beyond 10,000, only those that fired."""
        rows = []
        for message in self.message().decisions:
            decision = Decision.of(self.number, message)
            compared = decision.verdict.comparison
            rows.append({
                "decision": decision.number, "at": decision.at, "fired": decision.fired, "trigger": decision.trigger,
                "new": decision.num_new, "policy": decision.verdict.policy, "text": decision.verdict.text,
                "quantity": compared.quantity if compared else None, "value": compared.value if compared else None,
                "threshold": compared.threshold if compared else None})
        return Table.of_rows(("decision", "at", "fired", "trigger", "new", "policy", "text", "quantity", "value", "threshold"),
                             rows)

    def why(self, trigger: int | None = None, *, at: datetime.datetime | None = None) -> Decision:
        """Explains the decision that fired a trigger, or the last one at or before an event time, or the last of all."""
        request = supervisor_pb2.GetDecisionRequest(run_id=self.number)
        if trigger is not None:
            request.trigger = trigger
        elif at is not None:
            moment = at if at.tzinfo else at.replace(tzinfo=datetime.UTC)
            request.event_time = (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
                                  ) // datetime.timedelta(microseconds=1)
        found = self.stack.services.ask("supervisor", request, supervisor_pb2.GetDecisionResponse)
        return Decision.of(self.number, found.decision, found.skip_reason)

    def scores(self) -> Table:
        """The table of results: one row for each value of a measure, of a model or of a rule without one, on a window or a slice.

        `active` is the model that was in use when the window began, `trained` the one that was trained on it.
        """
        names = ("evaluation", "dataset", "measure", "slice", "baseline", "trigger", "model", "window_from", "window_to", "value",
                 "low", "high", "samples", "active", "trained", "failure")
        rows = ({"evaluation": row.evaluation, "dataset": row.dataset_name, "measure": row.measure, "slice": row.slice or None,
                 "baseline": row.baseline or None, "trigger": row.trigger, "model": row.model_id or None,
                 "window_from": of_cut(getattr(row, "from")), "window_to": of_cut(row.to),
                 **{name: getattr(row, name) if row.HasField(name) else None for name in ("value", "low", "high")},
                 "samples": row.num_samples, "active": row.active, "trained": row.trained, "failure": row.failure or None}
                for row in self.message().results)
        return Table.of_rows(names, rows)

    def matrices(self) -> list[Matrix]:
        """What every model reaches in every window, for each measure of each dataset."""
        return _matrices(self.message())

    def matrix(self, measure: str | None = None, *, dataset: str | None = None) -> Matrix:
        """One of the matrices: the first one of this measure and this dataset. Raises NotFound."""
        return chosen(self.matrices(), measure, dataset)

    def plot_matrix(self, measure: str | None = None, *, dataset: str | None = None, ax: Axes | None = None) -> Axes:
        """Draws a matrix with matplotlib. Returns its axes; `.figure.savefig(...)` writes a file."""
        return self.matrix(measure, dataset=dataset).plot(ax)

    def plot_quality(self, measure: str | None = None, *, dataset: str | None = None, ax: Axes | None = None) -> Axes:
        """Draws what the models in use reached over time, beside the first model, with matplotlib. Returns its axes."""
        return self.matrix(measure, dataset=dataset).plot_quality(ax)

    def summary(self) -> Any:
        """All that `tidemill runs show --json` says, as dicts and lists: values over all windows, costs, what was left out."""
        return self.stack.command("runs", "show", str(self.number), has_result=(0, 1, 8))

    def report(self, path: str) -> str:
        """Writes the report of the run, one HTML file that opens without a network. Returns its path."""
        self.stack.command("report", str(self.number), "--output", path)
        return path

    # How it is shown.

    def __repr__(self) -> str:
        return f"<run {self.number} of {self.stack}>"

    def _repr_html_(self) -> str:
        message = self.message()
        status = RunStatus.of(message.run)
        head = (f'<p>run {status.run} of <b>{look.escaped(status.pipeline)}</b> '
                f'<b class="state {status.state}">{status.state}</b></p>')
        facts = f"{status.num_triggers} triggers, {status.num_samples:,} samples, started at {shown(status.started_at)}"
        pieces = [head, look.paragraph(facts, "note")]
        if status.error:
            pieces.append(look.paragraph(status.error, "failed"))
        matrices = _matrices(message)
        quality = quality_drawing.svg(matrices[0]) if matrices else ""
        if quality:
            pieces += [f'<div class="scroll">{quality}</div>', quality_drawing.keys()]
        return look.page(*pieces) + (matrices[0]._repr_html_() if matrices else "")


def _matrices(message: supervisor_pb2.GetRunResponse) -> list[Matrix]:
    trained_to = {trigger.number: of_cut(trigger.at) for trigger in message.triggers}
    return matrices_of(message.run.run_id, message.results, trained_to)


def _command() -> Command:
    return Command(request_id=new_request_id())
