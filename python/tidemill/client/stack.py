"""A stack: the services that do the work, and what they are asked."""
from __future__ import annotations

import dataclasses
import fcntl
import os
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, BinaryIO

import yaml

from tidemill.client import program
from tidemill.client.address import Address, Reach, find, state_folder
from tidemill.client.comparisons import Backtest, Comparison
from tidemill.client.models import Model, fetch
from tidemill.client.rows import Predictions, predictions_of, to_json_lines
from tidemill.client.run import Run, RunStatus
from tidemill.client.services import Services
from tidemill.client.table import Table
from tidemill.client.times import of_micros, of_timestamp
from tidemill.errors import InvalidPipeline, NotFound, Problem, UsageError, problem_of
from tidemill.protos.model_store.v1 import model_store_pb2
from tidemill.protos.storage.v1 import storage_pb2
from tidemill.protos.supervisor.v1 import model_use_pb2, run_pb2

Path = str | os.PathLike[str]
#: A pipeline: the path of its file, its text, or what the text says.
Pipeline = Path | Mapping[str, Any]

_STATES = {"running": run_pb2.RUN_STATE_RUNNING, "succeeded": run_pb2.RUN_STATE_SUCCEEDED, "failed": run_pb2.RUN_STATE_FAILED,
           "stopped": run_pb2.RUN_STATE_STOPPED}


class Stack:
    """A stack. Used with `with`, a local one that does not run is started, and ended afterwards:

        with tidemill.Stack(state="mine") as stack:
            run = stack.run("pipeline.yaml")
            print(run.matrix())

    A stack that runs already, such as that of `tidemill up`, is used and left running; so is one that another program uses by
    then. `tidemill.connect()` uses a stack without starting one. Without arguments it is the stack that `tidemill` would use.
    A program that is killed leaves its stack running, and its next start finds it. Threads may share a Stack.
    """

    def __init__(self, state: Path | None = None, *, config: Path | None = None, server: str | None = None,
                 token_file: Path | None = None, tls_ca: Path | None = None, tls_certificate: Path | None = None,
                 tls_key: Path | None = None, timeout: float = 60.0) -> None:
        """`state`: the state folder of a local stack. `config` or `server`, and what follows: a remote stack, as the options of
        `tidemill` of these names. `timeout`: the longest wait for a service, in seconds."""
        #: Where the stack is.
        self.address = Address(state=state, config=config, server=server, token_file=token_file, tls_ca=tls_ca,
                               tls_certificate=tls_certificate, tls_key=tls_key, timeout=timeout)
        self._services: Services | None = None
        self._use: BinaryIO | None = None
        self._is_own = False

    # Starting and ending.

    def start(self) -> Stack:
        """Starts the local stack unless it runs, and connects to it. A remote stack is connected to."""
        known = self.address.with_environment()
        if known.config is None and known.server is None:
            self._is_own = program.ask(self.address, ["up"])["started"] or self._is_own
        return self.connect()

    def connect(self) -> Stack:
        """Connects to a stack that runs. Raises Unreachable when there is none."""
        reach = find(self.address)
        if reach.state is not None:
            self._use = _users_lock(reach.state)
        self._services = Services(reach)
        return self

    def close(self) -> None:
        """Ends the connections, and the stack if this object has started it and no other program uses it."""
        if self._services is not None:
            self._services.close()
            self._services = None
        is_alone = self._use is None or _is_alone(self._use)
        if self._use is not None:
            self._use.close()
            self._use = None
        if self._is_own and is_alone:
            program.ask(self.address, ["down"])
        self._is_own = False

    def down(self) -> None:
        """Ends the local stack, whoever has started it. What it has stored stays."""
        self._is_own = False
        self.close()
        program.ask(self.address, ["down"])

    def __enter__(self) -> Stack:
        return self if self._services is not None else self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def services(self) -> Services:
        """The connections to the services."""
        if self._services is None:
            self.connect()
            assert self._services is not None
        return self._services

    @property
    def reach(self) -> Reach:
        """The endpoints of the services, the token, and the certificates."""
        return self.services.reach

    def command(self, *arguments: str, quiet: bool = True, has_result: Sequence[int] = (0, 8)) -> Any:
        """Runs a command of `tidemill` on this stack, and returns what it prints with --json, as dicts and lists.

        `quiet`: whether to hide its progress. `has_result`: the exit codes with which it has a result. Raises what it says.
        """
        return program.ask(self.address, arguments, quiet=quiet, has_result=has_result)

    # Runs.

    def run(self, pipeline: Pipeline | None = None, *, follow: bool = True, progress: bool | None = None,
            values: Mapping[str, Any] | None = None, max_triggers: int | None = None, tags: Sequence[str] = (), note: str = "",
            promote: bool = False, new_dataset_version: bool = False, replace_dataset: bool = False, base: Path = ".") -> Run:
        """Runs a pipeline, as `tidemill run` does, and returns the run.

        `pipeline`: the path of a file; or its text, or the same as a dict, whose relative paths begin at the folder `base`.
        Without it, it is pipeline.yaml of this folder or, where there is none, the quickstart.
        `follow`: whether to wait for its end, with a bar as `progress` says (see Run.wait()); otherwise it returns once the run
        has started. `values`: replace those of the pipeline: {"training.epochs": 3}; the run is then a trial, whose models do
        not answer for the pipeline unless `promote` is set. Raises InvalidPipeline with every mistake of the pipeline, and
        RunFailed when the run fails.
        """
        arguments = ["run", "--detach", *(f"--set={key}={_as_yaml(value)}" for key, value in (values or {}).items()),
                     *(f"--tag={tag}" for tag in tags)]
        if max_triggers is not None:
            arguments.append(f"--max-triggers={max_triggers}")
        if note:
            arguments.append(f"--note={note}")
        arguments += [flag for flag, given in (("--promote", promote), ("--new-dataset-version", new_dataset_version),
                                               ("--replace-dataset", replace_dataset)) if given]
        submitted = self.command(*arguments) if pipeline is None else self._of_pipeline(arguments, pipeline, base)
        run = Run(self, submitted["run"])
        return run.wait(progress=progress) if follow else run

    def check(self, pipeline: Pipeline, *, base: Path = ".") -> tuple[Problem, ...]:
        """Raises InvalidPipeline with every mistake of a pipeline. Returns what it warns of. Needs no stack."""
        found = self._of_pipeline(["check"], pipeline, base)
        return tuple(problem_of({**warning, "advice": warning["hint"]}) for warning in found["warnings"])

    def _of_pipeline(self, arguments: Sequence[str], pipeline: Pipeline, base: Path) -> Any:
        if not isinstance(pipeline, (str, os.PathLike, Mapping)):
            raise UsageError(f"a pipeline is a path, a text or a dict, and this is a {type(pipeline).__name__}")
        if isinstance(pipeline, Mapping):
            text = yaml.safe_dump(_plain(pipeline), sort_keys=False, allow_unicode=True)
        elif isinstance(pipeline, str) and "\n" in pipeline:
            text = pipeline
        else:
            return program.ask(self.address, [*arguments, os.fspath(pipeline)])
        try:
            return program.ask(self.address.absolute(), [*arguments, "-"], standard_input=text, folder=base)
        except InvalidPipeline as error:
            if not isinstance(pipeline, Mapping):
                raise
            # The lines of a text that the caller has not seen say nothing; keys do.
            raise InvalidPipeline(error.message, problems=tuple(map(_by_key, error.problems))) from None

    def find_run(self, run: int | str = "latest") -> Run:
        """A run by its number, by `latest`, or by the name of a pipeline for its newest run. Raises NotFound."""
        if isinstance(run, int):
            found = Run(self, run)
            found.message()
            return found
        pipeline = "" if run == "latest" else run.removeprefix("latest:")
        request = run_pb2.ListRunsRequest(pipeline_name=pipeline, limit=1)
        listed = self.services.ask("supervisor", request, run_pb2.ListRunsResponse).runs
        if not listed:
            raise NotFound(f"there is no run of {pipeline}" if pipeline else "there is no run yet")
        return Run(self, listed[0].run_id)

    def runs(self, pipeline: str = "", *, states: Sequence[str] = (), tags: Sequence[str] = (), limit: int = 0,
             scores: bool = True) -> Table:
        """One row for each run, the newest first: its state, and the score of its models in use beside that of a simple rule.

        `states`: only running, succeeded, failed or stopped ones. `limit`: the most rows; 0 for all.
        """
        unknown = [state for state in states if state not in _STATES]
        if unknown:
            raise UsageError(f"there is no state {unknown[0]} of runs", advice=f"there are {', '.join(_STATES)}")
        request = run_pb2.ListRunsRequest(pipeline_name=pipeline, states=[_STATES[state] for state in states], tags=tags,
                                          limit=limit, with_scores=scores)
        listed = self.services.ask("supervisor", request, run_pb2.ListRunsResponse)
        names = ("run", "pipeline", "state", "started_at", "finished_at", "triggers", "samples", "dataset", "measure", "score",
                 "baseline", "tags", "note", "trial", "error")
        return Table.of_rows(names, map(_run_row, listed.runs))

    def __iter__(self) -> Iterator[Run]:
        return (Run(self, number) for number in self.runs(scores=False).column("run"))

    def compare(self, *runs: int | str | Run) -> Comparison:
        """Compares runs, each with the first one: their values, their differences on the same samples, and their settings."""
        return Comparison(self.command("compare", *(str(run.number if isinstance(run, Run) else run) for run in runs)))

    def backtest(self, pipeline: str, policies: Mapping[str, Mapping[str, Any]] | None = None, *,
                 values: Mapping[str, Any] | None = None, shuffles: int = 0, models: bool = False,
                 run: int | str | None = None, measure: str = "") -> Backtest:
        """Tries trigger policies on the history of a pipeline, without training, as `tidemill backtest` does.

        `policies`: by name, what a pipeline has below `trigger`: {"weekly": {"type": "time", "every": "7d"}}. `values`: the
        pipeline's own policy with other values: {"trigger.samples": 500}. `models`: whether policies may ask the models of `run`.
        """
        arguments = ["backtest", pipeline, *(f"--set={key}={_as_yaml(value)}" for key, value in (values or {}).items()),
                     f"--shuffles={shuffles}", *(["--models"] if models else []), *([f"--run={run}"] if run is not None else []),
                     *([f"--measure={measure}"] if measure else [])]
        with program.files_of({f"{name}.yaml": yaml.safe_dump(_plain(policy), sort_keys=False)
                               for name, policy in (policies or {}).items()}) as paths:
            return Backtest(self.command(*arguments, *(f"--policy={path}" for path in paths)))

    def bench(self, *names: str, smoke: bool = False, options: Sequence[str] = ()) -> Any:
        """Measures entries of the benchmark suite, as `tidemill bench run --json`. A check that does not hold is in the result.

        `smoke`: only short runs without data from outside. `options`: others of the command, such as `["--budget", "90m"]`.
        """
        return self.command("bench", "run", *names, *(["--smoke"] if smoke else []), *options, has_result=(0, 1, 8))

    # Datasets and models.

    def datasets(self) -> Table:
        """One row for each dataset that the stack knows."""
        listed = self.services.ask("storage", storage_pb2.ListDatasetsRequest(), storage_pb2.ListDatasetsResponse).datasets
        rows = ({"dataset": dataset.name, "samples": dataset.num_samples, "files": dataset.num_files,
                 "quarantined": dataset.num_quarantined, "deleted": dataset.num_deleted,
                 "first": of_micros(dataset.first_event_time) if dataset.HasField("first_event_time") else None,
                 "last": of_micros(dataset.last_event_time) if dataset.HasField("last_event_time") else None,
                 "id": dataset.dataset_id, "spec": dataset.spec} for dataset in listed)
        return Table.of_rows(("dataset", "samples", "files", "quarantined", "deleted", "first", "last", "id", "spec"), rows)

    def models(self, run: int | None = None) -> Table:
        """One row for each model of a run, or of all."""
        request = model_store_pb2.ListModelsRequest(run_id=run or 0)
        listed = self.services.ask("model_store", request, model_store_pb2.ListModelsResponse).models
        rows = ({"model": model.model_id, "run": model.run_id, "trigger": model.trigger, "parent": model.parent_model_id or None,
                 "samples": model.num_samples, "created_at": of_timestamp(model.created_at),
                 "removed": model.HasField("removed_at")} for model in listed)
        return Table.of_rows(("model", "run", "trigger", "parent", "samples", "created_at", "removed"), rows)

    def model(self, model: int | str) -> Model:
        """The tensors of a model, by its number, or by the name of a pipeline for its model in use. Raises NotFound."""
        if isinstance(model, str):
            request = model_use_pb2.GetModelInUseRequest(pipeline_name=model)
            answer = self.services.ask("supervisor", request, model_use_pb2.GetModelInUseResponse, of="ModelUseService")
            return fetch(self.services, answer.in_use.model_id)
        return fetch(self.services, model)

    def predict(self, model: int | str, rows: Any, *, probabilities: bool = False) -> Predictions:
        """What a model says about rows.

        `model`: its number, RUN/TRIGGER, `latest`, or the name of a pipeline for its model in use. `rows`: a list of dicts, a
        Table, a DataFrame of pandas or polars; or the path of a file or of a folder, or several. A bad row has its reason in the
        column `problem`, and does not affect the others.
        """
        arguments = ["predict", str(model), "--json", *(["--probabilities"] if probabilities else [])]
        paths = [rows] if isinstance(rows, (str, os.PathLike)) else rows
        if isinstance(paths, Sequence) and paths and all(isinstance(path, (str, os.PathLike)) for path in paths):
            return predictions_of(program.printed(self.address, [*arguments, *(f"--input={os.fspath(path)}" for path in paths)]))
        text = to_json_lines(rows)
        return predictions_of(program.printed(self.address, [*arguments, "--input=-"], standard_input=text))

    # How it is shown.

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process connects for itself, and ends nothing.
        return _at, (self.address.absolute(),)

    def __str__(self) -> str:
        known = self.address
        place = known.config or known.server
        return f"the stack of {place}" if place is not None else f"the stack in {state_folder(known)}"

    def __repr__(self) -> str:
        return f"<{self}>"


def connect(state: Path | None = None, **address: Any) -> Stack:
    """Connects to a stack that runs: the arguments are those of Stack. Raises Unreachable when there is none."""
    return Stack(state, **address).connect()


def _at(address: Address) -> Stack:
    """The stack of an address, which connects when it is first asked."""
    return Stack(**dataclasses.asdict(address))


def _run_row(run: run_pb2.Run) -> dict[str, Any]:
    status, has_score = RunStatus.of(run), run.HasField("score")
    return {"run": status.run, "pipeline": status.pipeline, "state": status.state, "started_at": status.started_at,
            "finished_at": status.finished_at, "triggers": status.num_triggers, "samples": status.num_samples,
            "dataset": run.score.dataset if has_score else None, "measure": run.score.measure if has_score else None,
            "score": run.score.value if has_score else None,
            "baseline": run.score.baseline if run.score.HasField("baseline") else None,
            "tags": list(status.tags), "note": status.note, "trial": status.is_trial, "error": status.error}


def _by_key(problem: Problem) -> Problem:
    """A problem without its line."""
    has_key = not problem.path or problem.path in problem.message
    return Problem(problem.message if has_key else f"{problem.path}: {problem.message}", None, problem.path, problem.advice)


def _as_yaml(value: Any) -> str:
    if isinstance(value, str):
        return value
    return yaml.safe_dump(_plain(value), default_flow_style=True, width=1 << 30).removesuffix("\n").removesuffix("\n...")


def _plain(value: Any) -> Any:
    """What YAML can say: paths and numbers of numpy as text and numbers."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value.item() if hasattr(value, "item") else value


def _users_lock(state: pathlib.Path) -> BinaryIO | None:
    """Holds the lock by which a temporary stack knows its users, so that it does not end under this one."""
    try:
        file = open(state / "stack.users", "rb")
    except OSError:
        return None
    fcntl.flock(file, fcntl.LOCK_SH)
    return file


def _is_alone(lock: BinaryIO) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
