"""The modules of the messages are those that the protos give."""
import pathlib
import re
import subprocess
import sys

from conftest import ROOT

import tidemill.client.matrix as matrix


def files_of(folder: pathlib.Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.py*") if path.suffix in (".py", ".pyi")}


def test_the_modules_are_what_the_protos_give(tmp_path: pathlib.Path) -> None:
    subprocess.run([sys.executable, ROOT / "python" / "write_protos.py", tmp_path], check=True)
    fresh, kept = files_of(tmp_path), files_of(ROOT / "python" / "tidemill" / "protos")
    assert sorted(fresh) == sorted(kept)
    differing = [name for name in fresh if fresh[name] != kept[name]]
    assert not differing, "run `make python_protos`"


def test_the_measures_of_which_less_is_better_are_those_of_the_command() -> None:
    text = (ROOT / "results" / "known_measures.cc").read_text()
    body = re.search(r"kErrors = \{(.*?)\};", text, re.DOTALL)
    assert body is not None
    assert tuple(re.findall(r'"(\w+)"', body[1])) == matrix.ERRORS
