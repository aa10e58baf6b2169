"""The lines of Python in the documents do what they say."""
import os
import pathlib
import re

import pytest
from conftest import ROOT

import tidemill

README = (ROOT / "README.md").read_text()
GUIDE = (ROOT / "docs" / "guides" / "python.md").read_text()


def blocks_of(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A folder in which the paths of the documents mean what they mean in the repository."""
    (tmp_path / "pipelines").symlink_to(ROOT / "pipelines")
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_lines_of_the_readme_read_batches_as_tensors(folder: pathlib.Path, stack: tidemill.Stack, run: tidemill.Run,
                                                         capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tidemill.torch")
    [block] = blocks_of(README)
    assert len(block.splitlines()) <= 10
    # In the stack of the tests, which runs already.
    assert stack.reach.state is not None
    (folder / "mine" / "state").symlink_to(stack.reach.state)
    exec(compile(block, "README.md", "exec"), {})
    assert (folder / "mine" / "matrix.png").stat().st_size > 10_000
    printed = capsys.readouterr().out
    assert "accuracy on seattle_weather" in printed and "torch.Size([16, 4])" in printed


def test_the_lines_of_the_guide_run(folder: pathlib.Path, stack: tidemill.Stack, run: tidemill.Run) -> None:
    torch = pytest.importorskip("torch")
    import yaml

    class Network(torch.nn.Module):  # type: ignore[misc, name-defined]
        """That of the quickstart."""

        def __init__(self) -> None:
            super().__init__()
            self.hidden1, self.hidden2, self.output = torch.nn.Linear(4, 32), torch.nn.Linear(32, 32), torch.nn.Linear(32, 5)

    assert stack.reach.state is not None
    (folder / "mine" / "state").symlink_to(stack.reach.state)
    (folder / "pipeline.yaml").write_text("version: 1\nname: wrong\n")
    os.environ["TIDEMILL_STATE"] = str(stack.reach.state)
    names = {"tidemill": tidemill, "yaml": yaml, "stack": stack, "run": run, "module": Network()}
    try:
        for number, block in enumerate(blocks_of(GUIDE), 1):
            text = block.replace('"mine"', '"mine/state"').replace("stack.model(17)", "stack.model(1)")
            exec(compile(text, f"block {number} of docs/guides/python.md", "exec"), names)
    finally:
        del os.environ["TIDEMILL_STATE"]
    assert (folder / "matrix.png").exists()
