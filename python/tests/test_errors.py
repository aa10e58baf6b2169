"""What goes wrong is an exception with its code, its place and what to do."""
import pathlib
import pickle
import stat

import pytest
from conftest import QUICKSTART

import tidemill

WRONG = """version: 1
name: wrong
training: {epochs: few, batch_size: 16}
trigger: {type: tme, every: 7d}
"""


def test_a_pipeline_with_mistakes_raises_each_of_them_with_its_place(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(WRONG)
    with pytest.raises(tidemill.InvalidPipeline) as caught:
        tidemill.Stack(tmp_path / "state").check(path)
    error = caught.value
    assert error.code == "invalid"
    assert len(error.problems) > 2
    assert {(problem.file, problem.line) for problem in error.problems} >= {(str(path), 3), (str(path), 4)}
    assert error.where == error.problems[0].where
    assert all(str(problem) in str(error) for problem in error.problems)


def test_a_valid_pipeline_has_only_warnings(tmp_path: pathlib.Path) -> None:
    assert tidemill.Stack(tmp_path / "state").check(QUICKSTART) == ()


def test_a_text_has_the_places_of_its_lines(stack: tidemill.Stack) -> None:
    with pytest.raises(tidemill.InvalidPipeline) as caught:
        stack.run(WRONG)
    assert ("standard input", 4) in {(problem.file, problem.line) for problem in caught.value.problems}


def test_a_dict_has_keys_in_place_of_lines(stack: tidemill.Stack) -> None:
    with pytest.raises(tidemill.InvalidPipeline, match="training.epochs: ") as caught:
        stack.run({"version": 1, "name": "wrong", "training": {"epochs": "few"}})
    assert all(problem.where is None for problem in caught.value.problems)


def test_a_file_that_is_not_there_says_so(stack: tidemill.Stack) -> None:
    with pytest.raises(tidemill.Error, match="nowhere.yaml"):
        stack.run("nowhere.yaml")


def test_without_a_stack_the_advice_is_how_to_start_one(tmp_path: pathlib.Path) -> None:
    with pytest.raises(tidemill.Unreachable, match="no stack runs in") as caught:
        tidemill.connect(tmp_path)
    assert "tidemill up" in caught.value.advice


def test_a_run_that_is_not_there_is_not_found(stack: tidemill.Stack) -> None:
    with pytest.raises(tidemill.NotFound, match="9999"):
        stack.find_run(9999)
    with pytest.raises(tidemill.NotFound, match="9999"):
        stack.compare(9999, 9998)


def test_the_state_forbids_to_resume_what_has_succeeded(run: tidemill.Run) -> None:
    with pytest.raises(tidemill.Conflict):
        run.resume()


def test_a_wrong_token_is_not_allowed(stack: tidemill.Stack, run: tidemill.Run, tmp_path: pathlib.Path) -> None:
    token = tmp_path / "token"
    token.write_text("operator " + "0" * 64 + "\n")
    token.chmod(stat.S_IRUSR)
    server = stack.reach.endpoints["supervisor"]
    with pytest.raises(tidemill.NotAllowed):
        tidemill.connect(server=server, token_file=token).find_run(run.number)
    with pytest.raises(tidemill.NotAllowed, match="can be read by others"):
        token.chmod(0o644)
        tidemill.connect(server=server, token_file=token)


def test_a_program_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setenv("TIDEMILL_BIN", str(tmp_path / "tidemill"))
    with pytest.raises(tidemill.NotFound, match="TIDEMILL_BIN is"):
        tidemill.Stack(tmp_path).check(QUICKSTART)


def test_an_error_passes_between_processes() -> None:
    error = tidemill.RunFailed("run 7 failed", run=7, advice="repair it")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.run, again.advice) == (str(error), 7, "repair it")
