"""Models as tensors, and what they predict."""
import csv
import json
import pathlib
import struct

import numpy
import pytest
from conftest import QUICKSTART

import tidemill
from tidemill.client.models import read_safetensors

CSV = QUICKSTART.parent / "seattle-weather.csv"


def newest(run: tidemill.Run) -> int:
    number: int = run.triggers()[-1]["model"]
    return number


def test_a_model_is_a_dict_of_tensors(stack: tidemill.Stack, run: tidemill.Run) -> None:
    model = stack.model(newest(run))
    assert (model.run, model.trigger, model.classes) == (run.number, 12, ("drizzle", "fog", "rain", "snow", "sun"))
    assert sum(array.size for array in model.numpy().values()) == 4 * 32 + 32 + 32 * 32 + 32 + 32 * 5 + 5
    assert all(array.dtype == numpy.float32 for array in model.numpy().values())
    assert set(model) == set(model.numpy()) and "trigger 12" in repr(model)


def test_a_model_is_saved_as_it_is_stored(stack: tidemill.Stack, run: tidemill.Run, tmp_path: pathlib.Path) -> None:
    model = stack.model(newest(run))
    model.save(tmp_path / "weights.safetensors")
    again = read_safetensors((tmp_path / "weights.safetensors").read_bytes())
    assert list(again) == list(model)
    assert all((again[name] == array).all() for name, array in model.numpy().items())


def test_torch_loads_a_model(stack: tidemill.Stack, run: tidemill.Run) -> None:
    torch = pytest.importorskip("torch")
    tensors = dict(stack.model(newest(run)))
    assert all(isinstance(tensor, torch.Tensor) for tensor in tensors.values())
    # Two layers of 32 and one of 5, as the pipeline says.
    layers = sorted(name for name in tensors if name.endswith("weight"))
    assert [tuple(tensors[name].shape) for name in layers] == [(32, 4), (32, 32), (5, 32)]


def test_a_pipeline_has_a_model_in_use(stack: tidemill.Stack, run: tidemill.Run) -> None:
    assert stack.model("quickstart").number in stack.models().column("model")
    assert len(stack.models(run.number)) == 12
    with pytest.raises(tidemill.NotFound):
        stack.model(10**9)


def test_rows_are_predicted_as_the_command_predicts_their_file(stack: tidemill.Stack, run: tidemill.Run) -> None:
    by_file = stack.predict(newest(run), CSV)
    with CSV.open() as file:
        rows = list(csv.DictReader(file))
    by_rows = stack.predict(newest(run), rows, probabilities=True)
    assert by_rows.column("prediction") == by_file.column("prediction")
    assert len(by_rows) == len(rows) == by_rows.summary["answered"]
    first = by_rows[0]
    assert first["probability"] == max(value for name, value in first.items() if name.startswith("probability of"))


def test_frames_are_predicted_like_dicts(stack: tidemill.Stack, run: tidemill.Run) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    wanted = stack.predict(newest(run), CSV).column("prediction")
    assert stack.predict(newest(run), pandas.read_csv(CSV)).column("prediction") == wanted
    assert stack.predict(newest(run), polars.read_csv(CSV)).column("prediction") == wanted


def test_a_bad_row_says_why_and_costs_no_other(stack: tidemill.Stack, run: tidemill.Run) -> None:
    rows = [{"date": "2016-01-01", "precipitation": 1, "temp_max": 10.0, "temp_min": 5.0, "wind": 2.0},
            {"date": "2016-01-02", "precipitation": "much", "temp_max": 10.0, "temp_min": 5.0, "wind": 2.0}]
    answers = stack.predict(newest(run), rows)
    assert answers[0]["prediction"] in ("drizzle", "fog", "rain", "snow", "sun")
    assert answers[1]["prediction"] is None and "precipitation" in answers[1]["problem"]
    with pytest.raises(tidemill.UsageError, match="the rows are one dict"):
        stack.predict(newest(run), rows[0])


def test_datasets_are_listed(stack: tidemill.Stack, run: tidemill.Run) -> None:
    row = stack.datasets().where(dataset="seattle_weather")[0]
    assert row["samples"] == 1461 and row["first"].year == 2012 and "csv" in row["spec"]


def safetensors(dtype: str, shape: list[int], data: bytes) -> bytes:
    tensor = {"dtype": dtype, "shape": shape, "data_offsets": [0, len(data)]}
    header = json.dumps({"__metadata__": {"a": "b"}, "x": tensor}).encode()
    return struct.pack("<Q", len(header)) + header + data


def test_safetensors_of_every_type_are_read() -> None:
    assert read_safetensors(safetensors("I64", [2], struct.pack("<2q", 1, -2)))["x"].tolist() == [1, -2]
    assert read_safetensors(safetensors("F16", [], struct.pack("<e", 0.5)))["x"].item() == 0.5
    assert read_safetensors(safetensors("BF16", [1, 2], struct.pack("<2H", 0x3F80, 0xC000)))["x"].tolist() == [[1.0, -2.0]]


@pytest.mark.parametrize("content", [b"", b"\xff" * 20, safetensors("F32", [3], b"1234"), safetensors("Q7", [1], b"1234")])
def test_what_is_no_safetensors_file_is_refused(content: bytes, tmp_path: pathlib.Path) -> None:
    with pytest.raises(tidemill.Error, match="is not a safetensors file"):
        read_safetensors(content)
