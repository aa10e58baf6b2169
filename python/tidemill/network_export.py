"""A module of PyTorch as a network of a pipeline.

    network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 10))
    print(tidemill.export(network, torch.zeros(2, 1, 28, 28), "network.pt"))

    # network.pt takes [1, 28, 28] and has 10 outputs. In the pipeline:
    #   model: {type: torchscript, file: network.pt, outputs: 10}

The file holds the weights and the program, as TorchScript, and is trained further: dropout drops in training only,
batch normalisation learns its averages there, and parameters that need gradients get them. `torch` is imported by the
first call.
"""
from __future__ import annotations

import copy
import dataclasses
import os
import subprocess
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tidemill import network_export_checks as checks
from tidemill import programs
from tidemill.network_export_checks import ExportError

__all__ = ["ExportError", "Exported", "export"]

# Layers of torch that do something else in training than in evaluation, by the beginnings of their names.
_TWO_WAYS = ("Dropout", "AlphaDropout", "FeatureAlphaDropout", "BatchNorm", "SyncBatchNorm", "InstanceNorm", "RReLU")


@dataclasses.dataclass(frozen=True)
class Exported:
    """What `export` has written."""

    path: Path
    #: "script", where torch has compiled the code, or "trace", where it has recorded the operators of the example.
    how: str
    #: The number of outputs for each sample.
    outputs: int
    num_parameters: int
    #: Whether `tidemill-export` has found it to hold nothing but what a network of a user may. False where there is no
    #: such program on this machine: then `tidemill check` and the training look.
    is_checked: bool

    @property
    def model(self) -> dict[str, Any]:
        """The `model` section of a pipeline beside the file."""
        return {"type": "torchscript", "file": self.path.name, "outputs": self.outputs}

    def __str__(self) -> str:
        return (f"{self.path} ({self.how}, {self.num_parameters} parameters). In the pipeline:\n"
                f"  model: {{type: torchscript, file: {self.path.name}, outputs: {self.outputs}}}")


def export(module: Any, example: Any, path: str | os.PathLike[str]) -> Exported:
    """Writes a torch.nn.Module as a TorchScript file that a pipeline trains.

    `example` is what `forward` takes: a tensor, several, or a mapping of the columns `input`, `input_...` to tensors,
    with at least two rows. The module stays unchanged. Its code is compiled (torch.jit.script). Where torch cannot do
    that, the operators that the example runs through are recorded instead (torch.jit.trace); layers that behave
    otherwise in training keep doing so.

    The file is loaded again, and compared with the module: outputs for the example and for other numbers of rows, in
    evaluation and, from the same random state, in training; averages of normalisation; gradients. ExportError says what
    differs, or what cannot be exported, and what to do about it. Then nothing is written.
    """
    torch = _torch()
    arguments, names = _arguments(torch, module, example)
    own = copy.deepcopy(module).cpu().float().train()
    script, how = _script(torch, own, arguments, names)
    target = Path(path)
    partial = target.with_name(f"{target.name}.{os.getpid()}.partial")
    try:
        script.save(str(partial))
        outputs = checks.compare(torch, own, partial, arguments, names)
        is_checked = _check_rules(partial)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return Exported(target, how, outputs, sum(weight.numel() for weight in own.parameters()), is_checked)


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise ExportError("torch is not installed here; run pip install torch") from error
    return torch


def _arguments(torch: Any, module: Any, example: Any) -> tuple[tuple[Any, ...], list[str]]:
    """The tensors of the example, and their names; none for those that are given in order."""
    if not isinstance(module, torch.nn.Module):
        raise ExportError(f"{type(module).__name__} is not a torch.nn.Module; call export(module, example, path)")
    if isinstance(example, torch.Tensor):
        example = (example,)
    names: list[str] = []
    if isinstance(example, Mapping):
        names = sorted(example)
        example = tuple(example[name] for name in names)
    is_list = isinstance(example, Sequence) and len(example) > 0
    if not is_list or not all(isinstance(one, torch.Tensor) for one in example):
        raise ExportError("the example must be a tensor, a tuple of tensors, or a dict of tensors by names of columns")
    arguments = tuple(one.detach().cpu() for one in example)
    for one in arguments:
        if one.dim() < 1 or one.shape[0] < 2 or one.shape[0] != arguments[0].shape[0]:
            raise ExportError(
                "the tensors of the example need the same number of rows, two or more, in their first dimension")
        if one.dtype not in (torch.float32, torch.int64):
            raise ExportError(f"an input of a network is float32 or int64, but the example has {one.dtype}; convert it")
    return arguments, names


def _script(torch: Any, own: Any, arguments: tuple[Any, ...], names: list[str]) -> tuple[Any, str]:
    """The module as a script, and how it was made."""
    has_embed = callable(getattr(own, "embed", None))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _compiled(torch, copy.deepcopy(own), has_embed), "script"
        except Exception as error:  # Whatever the compiler says about the user's code.
            compiling = str(error)
        return _traced(torch, copy.deepcopy(own), arguments, names, compiling, has_embed), "trace"


def _compiled(torch: Any, own: Any, has_embed: bool) -> Any:
    """The module compiled, with its method embed. The class of the user is left as it was."""
    embed = type(own).embed if has_embed else None
    if embed is None or hasattr(embed, "_torchscript_modifier"):
        return torch.jit.script(own)
    torch.jit.export(embed)
    try:
        return torch.jit.script(own)
    finally:
        del embed._torchscript_modifier


def _traced(torch: Any, own: Any, arguments: tuple[Any, ...], names: list[str], compiling: str,
            has_embed: bool) -> Any:
    """The module as a trace. Layers that behave otherwise in training are compiled, so that they look at their mode."""
    state = copy.deepcopy(own.state_dict())
    _compile_layers(torch, own)
    # A method with this mark would be compiled.
    mark = vars(type(own).embed).pop("_torchscript_modifier", None) if has_embed else None
    example: Any = dict(zip(names, arguments, strict=True)) if names else arguments
    methods = {"forward": example, **({"embed": example} if has_embed else {})}
    try:
        if names:
            traced = torch.jit.trace_module(own, methods, check_trace=False, example_inputs_is_kwarg=True)
        else:
            traced = torch.jit.trace_module(own, methods, check_trace=False)
    except Exception as error:
        raise ExportError(
            f"torch can neither compile the module nor record it.\nCompiling (torch.jit.script): {compiling}\n"
            f"Recording (torch.jit.trace): {error}"
        ) from error
    finally:
        if mark is not None:
            type(own).embed._torchscript_modifier = mark
    checks.check_trace(traced, compiling)
    traced.load_state_dict(state)  # The recording has trained the averages of normalisation.
    return traced


def _compile_layers(torch: Any, parent: Any) -> None:
    for name, child in parent.named_children():
        is_of_torch = type(child).__module__.startswith("torch.nn.")
        if is_of_torch and type(child).__name__.startswith(_TWO_WAYS):
            setattr(parent, name, torch.jit.script(child))
        else:
            _compile_layers(torch, child)


def _check_rules(path: Path) -> bool:
    """Whether the program that knows the rules was asked. Raises ExportError where it refuses the file."""
    try:
        program = programs.find("tidemill-export")
    except FileNotFoundError:
        warnings.warn("there is no program tidemill-export here, so the operators of the network are not checked now; "
                      "`tidemill check` and the training will", stacklevel=3)
        return False
    answer = subprocess.run([program, "--check", str(path)], capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        why = answer.stderr.strip().removeprefix("tidemill-export: ")
        raise ExportError(f"the network may not run in a pipeline: {why}")
    return True
