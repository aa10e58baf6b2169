"""A run of the quickstart, followed and read."""
import datetime
import html.parser
import pathlib

import numpy
import pytest
from conftest import QUICKSTART, ROOT

import tidemill


def test_a_run_is_followed_to_its_end(run: tidemill.Run) -> None:
    status = run.status
    assert (status.state, status.pipeline, status.num_triggers, status.error) == ("succeeded", "quickstart", 12, "")
    assert status.is_finished and status.tags == ("python",) and status.note == "by the client"
    assert status.started_at is not None and status.finished_at is not None and status.started_at < status.finished_at


def test_triggers_say_when_and_on_what_was_trained(run: tidemill.Run) -> None:
    triggers = run.triggers()
    assert triggers.column("trigger") == list(range(1, 13))
    assert triggers[0]["at"].date() == datetime.date(2012, 4, 30)
    assert all(samples > 0 for samples in triggers.column("samples"))
    assert all(loss > 0 for loss in triggers.column("loss"))


def test_decisions_have_their_reasons(run: tidemill.Run) -> None:
    decisions = run.decisions()
    assert decisions.where(fired=True).column("trigger") == list(range(1, 13))
    assert all(decisions.column("text"))
    why = run.why(3)
    assert why.trigger == 3 and why.fired and why.verdict.policy == "time"
    assert "trigger 3" in str(why) and why.verdict.text in str(why)
    assert run.why(at=datetime.datetime(2013, 1, 1)).number <= run.why().number


def test_scores_and_matrices_are_those_of_the_command(run: tidemill.Run) -> None:
    told = run.summary()
    whole = [row for row in told["evaluations"] if row["measure"] == "accuracy" and not row.get("slice")]
    matrix = run.matrix("accuracy")
    assert matrix.shape == (12, 13)
    assert numpy.isfinite(matrix.values).sum() == sum(row["value"] is not None for row in whole)
    scores = run.scores().where(measure="accuracy", baseline=None, slice=None)
    assert scores.column("value") == [row["value"] for row in whole]
    active = scores.where(active=True).column("value")
    assert active == [row["value"] for row in told["composite"]["active"] if row["measure"] == "accuracy"]
    assert sorted(active) == sorted(matrix.values[matrix.active].tolist())


def test_a_matrix_has_models_in_rows_and_windows_in_columns(run: tidemill.Run) -> None:
    matrix = run.matrix()
    assert (matrix.dataset, matrix.measure) == ("seattle_weather", "accuracy")
    assert matrix.is_share and not matrix.lower_is_better
    assert list(matrix.triggers) == list(range(1, 13))
    # A model is in use in the windows after its training, and has been trained on the window before.
    assert matrix.active[0, 1] and matrix.trained[0, 0] and not matrix.active[0, 0]
    frame = matrix.to_pandas()
    assert frame.shape == (12, 13) and frame.index.name == "trigger"
    assert frame.to_numpy()[2].tolist() == matrix.values[2].tolist()
    assert len(matrix.to_table()) == len(matrix.to_polars()) == matrix.to_arrow().num_rows == 12 * 13


def test_a_measure_that_was_not_taken_is_named_with_those_that_were(run: tidemill.Run) -> None:
    with pytest.raises(tidemill.NotFound, match="no matrix of rmse") as caught:
        run.matrix("rmse")
    assert "accuracy on seattle_weather" in caught.value.advice


def test_a_matrix_is_plotted(run: tidemill.Run, tmp_path: pathlib.Path) -> None:
    axes = run.plot_matrix("accuracy")
    assert len(axes.texts) == 12 * 13 and "accuracy on seattle_weather" in axes.get_title()
    path = tmp_path / "matrix.png"
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.savefig(path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_the_quality_of_the_models_in_use_is_plotted(run: tidemill.Run) -> None:
    matrix = run.matrix("accuracy")
    trained, first, in_use = run.plot_quality("accuracy").lines
    values = matrix.values[matrix.active] * 100
    assert numpy.asarray(in_use.get_ydata())[2::2].tolist() == values.tolist()
    assert numpy.asarray(first.get_ydata())[2::2].tolist() == (matrix.values[0, 1:] * 100).tolist()
    assert numpy.isnan(numpy.asarray(in_use.get_ydata())[:2].astype(float)).all()
    assert numpy.asarray(trained.get_ydata())[:2].tolist() == [matrix.values[0, 0] * 100] * 2


class Balanced(html.parser.HTMLParser):
    """Fails where an element does not end."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_notebook_shows_a_run_and_its_matrix_without_a_network(run: tidemill.Run) -> None:
    for shown in (run._repr_html_(), run.matrix()._repr_html_(), run.triggers()._repr_html_()):
        parser = Balanced()
        parser.feed(shown)
        assert parser.open == []
        assert "http" not in shown.replace("http://www.w3.org/2000/svg", "") and "<script" not in shown
    assert "model #1 on 2012" in run._repr_html_()


def test_the_report_is_written(run: tidemill.Run, tmp_path: pathlib.Path) -> None:
    path = run.report(str(tmp_path / "report.html"))
    assert "seattle_weather" in pathlib.Path(path).read_text()


def test_runs_are_found_and_listed(stack: tidemill.Stack, run: tidemill.Run) -> None:
    assert stack.find_run("latest").number >= run.number
    assert stack.find_run(run.number).status.pipeline == "quickstart"
    listed = stack.runs("quickstart", states=["succeeded"], tags=["python"])
    row = listed.where(run=run.number)[0]
    assert row["measure"] == "accuracy" and 0.5 < row["score"] < 1 and row["baseline"] < row["score"]
    with pytest.raises(tidemill.UsageError, match="no state done"):
        stack.runs(states=["done"])


def test_a_dict_with_other_values_is_a_trial_that_is_compared(stack: tidemill.Stack, run: tidemill.Run) -> None:
    import yaml
    pipeline = yaml.safe_load(QUICKSTART.read_text())
    trial = stack.run(pipeline, values={"training.epochs": 1}, max_triggers=2, base=QUICKSTART.parent, follow=False)
    assert trial.wait(progress=False).status.is_trial
    compared = stack.compare(run, trial.number)
    active = compared.values().where(measure="accuracy", series="active")
    assert active.column("run") == [run.number, trial.number]
    assert active[0]["mean"] == stack.runs().where(run=run.number)[0]["score"]
    assert compared.differences().column("run") == [trial.number] * 2
    assert compared.settings().where(key="training.epochs")[0][f"run {trial.number}"] == "1"
    assert "training.epochs" in repr(compared) and "training.epochs" in compared._repr_html_()


def test_a_run_that_fails_raises_with_its_reason(stack: tidemill.Stack, run: tidemill.Run) -> None:
    text = QUICKSTART.read_text().replace("name: quickstart", "name: broken", 1)
    broken = stack.run(text, base=QUICKSTART.parent, follow=False)
    broken.stop()
    with pytest.raises(tidemill.RunFailed, match=f"run {broken.number} of broken was stopped") as caught:
        broken.wait()
    assert caught.value.run == broken.number and "resume()" in caught.value.advice
    assert broken.wait(check=False).status.state == "stopped"
    assert broken.resume().wait().status.state == "succeeded"


def test_policies_are_tried_on_history(stack: tidemill.Stack, run: tidemill.Run) -> None:
    tried = stack.backtest("quickstart", {"often": {"type": "time", "every": "60d"}}, run=run.number)
    often = tried.where(name="often")[0]
    assert often["num_triggers"] == len(tried.document["results"][0]["triggers"]) == 24
    assert 0.5 < often["low"] < often["value"] < often["high"] < 1


def test_progress_is_shown_as_a_bar(stack: tidemill.Stack, run: tidemill.Run, capsys: pytest.CaptureFixture[str]) -> None:
    run.wait(progress=True)
    assert f"run {run.number}" in capsys.readouterr().err
    run.wait()
    assert capsys.readouterr().err == ""


def test_the_entries_of_the_suite_are_measured_by_name(stack: tidemill.Stack) -> None:
    with pytest.raises(tidemill.Error, match="nothing_of_the_kind"):
        stack.bench("nothing_of_the_kind", smoke=True, options=["--suite", str(ROOT / "benchmarks" / "suite")])
