"""Answers of an exported model about rows: answers.py FOLDER ROWS ANSWER.

ROWS is a JSON file with `numbers` and `texts`, columns by their names. Prints the answer as JSON: a list for each row.
Needs torch for model.pt, onnxruntime for model.onnx, and nothing of Tidemill.
"""
import json
import pathlib
import sys


def known(value):
    """A missing number is null in JSON."""
    if isinstance(value, list):
        return [known(each) for each in value]
    return float("nan") if value is None else value


FOLDER, ROWS, ANSWER = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text()), sys.argv[3]
NUMBERS = {name: known(column) for name, column in ROWS["numbers"].items()}
TYPES = {"tensor(float)": "float32", "tensor(double)": "float64", "tensor(string)": "object"}


def of_torch():
    import torch  # pylint: disable=import-outside-toplevel

    model = torch.jit.load(str(FOLDER / "model.pt"))
    numbers = {name: torch.tensor(column, dtype=torch.float64) for name, column in NUMBERS.items()}
    return model(numbers, ROWS["texts"])[ANSWER]


def of_onnxruntime():
    import numpy  # pylint: disable=import-outside-toplevel
    import onnxruntime  # pylint: disable=import-outside-toplevel

    session = onnxruntime.InferenceSession(str(FOLDER / "model.onnx"))
    given = {**NUMBERS, **ROWS["texts"]}
    columns = {i.name: numpy.array(given[i.name], TYPES.get(i.type, i.type[7:-1])) for i in session.get_inputs()}
    return session.run([ANSWER], columns)[0]


print(json.dumps((of_torch() if (FOLDER / "model.pt").exists() else of_onnxruntime()).tolist()))
