"""Stacks are found, started, shared and ended."""
import concurrent.futures
import multiprocessing
import os
import pathlib
import signal
import tempfile
from collections.abc import Iterator

import pytest
from conftest import QUICKSTART

import tidemill
from tidemill.client import program
from tidemill.client.address import Address, find, keeper_runs, state_folder


@pytest.fixture
def state() -> Iterator[str]:
    """A state folder that leaves nothing."""
    with tempfile.TemporaryDirectory(prefix="tidemill-python-test-") as folder:
        path = os.path.join(folder, "state")
        yield path
        program.ask(Address(state=path), ["down", "--purge", "--yes"])


def test_a_stack_is_started_and_ended_by_with(state: str) -> None:
    with tidemill.Stack(state) as own:
        assert keeper_runs(pathlib.Path(state))
        assert len(own.runs()) == 0 and list(own) == []
        # Another program that uses it by then keeps it.
        with tidemill.Stack(state) as second:
            assert len(second.datasets()) == 0
        assert keeper_runs(pathlib.Path(state))
        third = tidemill.connect(state)
    assert keeper_runs(pathlib.Path(state))
    assert len(third.datasets()) == 0
    third.down()
    assert not keeper_runs(pathlib.Path(state))


def test_without_a_pipeline_it_is_the_quickstart(state: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with tidemill.Stack(state) as own:
        run = own.run(max_triggers=1)
        assert (run.status.pipeline, run.status.num_triggers) == ("quickstart", 1)


def supervisor_of(state: pathlib.Path) -> int:
    """The process of a stack's supervisor, whose command line names the configuration of the stack."""
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"tidemill-supervisor") and str(state / "tidemill.yaml").encode() in words:
            return int(path.parent.name)
    raise AssertionError("the stack has no supervisor")


def test_a_supervisor_that_is_killed_is_waited_for(stack: tidemill.Stack, run: tidemill.Run) -> None:
    assert stack.reach.state is not None
    os.kill(supervisor_of(stack.reach.state), signal.SIGKILL)
    assert run.status.num_triggers == 12


def test_a_run_is_followed_while_its_supervisor_is_killed(stack: tidemill.Stack, run: tidemill.Run) -> None:
    text = QUICKSTART.read_text().replace("name: quickstart", "name: killed", 1)
    followed = stack.run(text, base=QUICKSTART.parent, follow=False)
    assert stack.reach.state is not None
    os.kill(supervisor_of(stack.reach.state), signal.SIGKILL)
    assert followed.wait().matrix().values.tolist() == run.matrix().values.tolist()


def test_the_state_folder_is_that_of_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setenv("TIDEMILL_STATE", str(tmp_path))
    assert state_folder(Address()) == tmp_path.resolve()
    assert state_folder(Address(state=tmp_path / "other")) == (tmp_path / "other").resolve()
    monkeypatch.setenv("TIDEMILL_STATE", "")
    with pytest.raises(tidemill.UsageError, match="TIDEMILL_STATE is empty"):
        state_folder(Address())


def test_a_remote_stack_is_named_by_the_environment(stack: tidemill.Stack, run: tidemill.Run,
                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    assert stack.reach.state is not None
    monkeypatch.setenv("TIDEMILL_CONFIG", str(stack.reach.state / "tidemill.yaml"))
    remote = tidemill.connect()
    assert remote.reach.state is None and remote.find_run(run.number).status.state == "succeeded"
    # A flag that names a local stack is not outvoted.
    assert tidemill.connect(stack.reach.state).reach.state == stack.reach.state


def test_a_network_address_needs_certificates(stack: tidemill.Stack) -> None:
    assert stack.reach.state is not None
    token = stack.reach.state / "token"
    with pytest.raises(tidemill.UsageError, match="is not a loopback address") as caught:
        find(Address(server="tidemill.example:50051", token_file=token))
    assert "tls_ca" in caught.value.advice
    with pytest.raises(tidemill.UsageError, match="needs a token"):
        find(Address(server="127.0.0.1:50051"))


def test_a_service_that_is_not_there_is_unreachable_in_time(stack: tidemill.Stack) -> None:
    assert stack.reach.state is not None
    away = tidemill.connect(server="127.0.0.1:1", token_file=stack.reach.state / "token", timeout=0.3)
    with pytest.raises(tidemill.Unreachable, match="supervisor at 127.0.0.1:1"):
        away.runs()
    with pytest.raises(tidemill.Conflict, match="the endpoint of storage is unknown"):
        away.datasets()


def test_a_run_is_read_by_another_process(run: tidemill.Run) -> None:
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(number_of_triggers, run).result() == 12


def number_of_triggers(run: tidemill.Run) -> int:
    return run.status.num_triggers
