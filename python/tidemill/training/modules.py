"""Modules of PyTorch as TorchScript, which evaluations run without Python."""
from __future__ import annotations

import inspect
import io
import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidemill.batch import Batch


def is_module(model: Any) -> bool:
    """Whether this is a module of PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


def script_of(model: Any, sample: Batch) -> tuple[bytes, NDArray[np.float32]]:
    """The module as a TorchScript file, and its answers to the sample. Raises TypeError where it cannot be one."""
    import torch
    model.eval()
    arguments = _arguments(model, sample)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        script = model if isinstance(model, torch.jit.ScriptModule) else _scripted(model, arguments)
        answers = script(**arguments) if isinstance(arguments, dict) else script(*arguments)
        file = io.BytesIO()
        torch.jit.save(script, file)
    if not isinstance(answers, torch.Tensor):
        raise TypeError(f"the module has to return a tensor, and returned {type(answers).__name__}")
    return file.getvalue(), answers.detach().to(torch.float32).numpy()


def load_script(packed: bytes) -> Any:
    """The module of a file."""
    from torch import jit
    load: Any = jit.load
    return load(io.BytesIO(packed), map_location="cpu")


def _arguments(model: Any, sample: Batch) -> list[Any] | dict[str, Any]:
    """The columns by name, where `forward` has arguments of these names, and else in the order of the names."""
    import torch
    columns = {name: torch.from_numpy(sample.inputs[name].copy()) for name in sorted(sample.inputs)}
    try:
        names = set(inspect.signature(model.forward).parameters)
    except (TypeError, ValueError):
        names = {argument.name for argument in model.forward.schema.arguments}
    return columns if set(columns) <= names else list(columns.values())


def _scripted(model: Any, arguments: list[Any] | dict[str, Any]) -> Any:
    from torch import jit
    script: Any = jit.script
    trace: Any = jit.trace
    try:
        return script(model)
    except Exception as not_scripted:
        try:
            if isinstance(arguments, dict):
                return trace(model, example_kwarg_inputs=arguments)
            return trace(model, tuple(arguments))
        except Exception as not_traced:
            raise TypeError(f"{type(model).__name__} cannot become TorchScript, neither by its source ({_first(not_scripted)}) "
                            f"nor by a trace ({_first(not_traced)}). Return an object with predict(batch) that holds it"
                            ) from not_traced


def _first(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:200]
