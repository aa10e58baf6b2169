"""Pipelines as texts and dicts take their files along."""
import pathlib
import shutil
from typing import Any

import pytest
import yaml
from conftest import QUICKSTART

import tidemill

OFTEN = """from tidemill import plugin


class Often(plugin.Trigger):
    "Fires at every chance."

    version = "1.0"

    def points(self):
        return plugin.EverySamples(400)

    def observe(self, evidence):
        return {"always": 1.0}

    def judge(self, seen):
        return plugin.Verdict.at_least("always", seen["always"], 1)
"""


def with_plugin(name: str) -> dict[str, Any]:
    pipeline: dict[str, Any] = yaml.safe_load(QUICKSTART.read_text())
    pipeline["name"] = name
    pipeline["datasets"] = {name: pipeline["datasets"]["seattle_weather"]}
    pipeline["preprocess"]["dataset"] = pipeline["evaluation"][0]["dataset"] = name
    pipeline["trigger"] = {"type": "plugin", "use": "often.py:Often", "on_fault": "fail"}
    return pipeline


def test_a_dict_names_plugins_and_data_of_its_folder(stack: tidemill.Stack, tmp_path: pathlib.Path) -> None:
    shutil.copy(QUICKSTART.parent / "seattle-weather.csv", tmp_path)
    (tmp_path / "often.py").write_text(OFTEN)
    run = stack.run(with_plugin("often"), base=tmp_path)
    assert run.triggers().column("samples") == [400, 400, 400]
    verdict = run.why(2).verdict
    assert verdict.comparison is not None and (verdict.comparison.quantity, verdict.comparison.value) == ("always", 1)


def test_a_plugin_that_raises_fails_its_run_with_the_place(stack: tidemill.Stack, tmp_path: pathlib.Path) -> None:
    shutil.copy(QUICKSTART.parent / "seattle-weather.csv", tmp_path)
    (tmp_path / "often.py").write_text(OFTEN.replace('seen["always"]', "seen[3]"))
    with pytest.raises(tidemill.RunFailed, match="often.py"):
        stack.run(with_plugin("often_wrong"), base=tmp_path)
