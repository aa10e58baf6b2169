"""Whether a TorchScript file does what the module does from which it was made."""
from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

__all__ = ["ExportError", "check_trace", "compare"]

# Operators that a trace records with the mode, or the numbers, of the time of recording.
_FIXED = {
    "aten::dropout": "dropout",
    "aten::dropout_": "dropout",
    "aten::feature_dropout": "dropout",
    "aten::alpha_dropout": "dropout",
    "aten::native_dropout": "dropout",
    "aten::batch_norm": "batch normalisation",
    "aten::instance_norm": "instance normalisation",
    "aten::rrelu": "rrelu",
}
_SEED = 20240229
_CLOSE = {"rtol": 1e-4, "atol": 1e-5}


class ExportError(ValueError):
    """A module cannot become a network of a pipeline. The message says why, and what to do."""


def check_trace(traced: Any, compiling: str) -> None:
    """Raises ExportError where a recorded operator would stay in the mode of the recording."""
    for part in traced.modules():
        if "Traced" not in type(part).__name__:
            continue  # It is compiled, and looks at its mode.
        graphs = [str(part._c._get_method(method).graph) for method in part._c._method_names()]
        for kind in re.findall(r"(aten::\w+)\(", "\n".join(graphs)):
            if kind in _FIXED:
                raise ExportError(
                    f"{_FIXED[kind]} is called as a function ({kind}), and a recording of it would not know when it "
                    f"trains. Use the layer of torch.nn for it, or make the code compile. Compiling (torch.jit.script) "
                    f"said: {compiling}"
                )


def compare(torch: Any, module: Any, path: Path, arguments: tuple[Any, ...], names: list[str]) -> int:
    """Loads the file and compares it with the module. Returns the number of outputs for each sample."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        loaded = torch.jit.load(str(path), map_location="cpu")
    _check_state(module, loaded)
    outputs = _check_outputs(torch, module, loaded, arguments, names)
    _check_training(torch, module, loaded, arguments, names)
    _check_embedding(torch, module, loaded, arguments, names)
    return outputs


def _call(function: Any, arguments: tuple[Any, ...], names: list[str]) -> Any:
    return function(**dict(zip(names, arguments, strict=True))) if names else function(*arguments)


def _tried(loaded: Any, arguments: tuple[Any, ...], names: list[str]) -> Any:
    """The output of the file, or None where it fails."""
    try:
        return _call(loaded, arguments, names)
    except RuntimeError:
        return None


def _check_state(module: Any, loaded: Any) -> None:
    own, other = ({name: weight.requires_grad for name, weight in one.named_parameters()}
                  for one in (module, loaded))
    if own != other:
        lost = min(set(own.items()) ^ set(other.items()))[0]
        raise ExportError(
            f"the parameter {lost} of the module is another one in the file; is it shared, or made in forward()?")
    if not any(own.values()):
        raise ExportError("no parameter of the module needs gradients, so there is nothing to train; set requires_grad")


def _check_outputs(torch: Any, module: Any, loaded: Any, arguments: tuple[Any, ...], names: list[str]) -> int:
    module.eval()
    loaded.eval()
    with torch.no_grad():
        expected = _call(module, arguments, names)
        is_tensor = isinstance(expected, torch.Tensor)
        if not is_tensor or expected.dim() != 2 or expected.shape[0] != arguments[0].shape[0]:
            found = tuple(expected.shape) if is_tensor else type(expected).__name__
            raise ExportError(f"forward() must return a tensor [samples, outputs], but returns {found}")
        _same(torch, _call(module, arguments, names), expected,
              "in evaluation, the module gives other outputs each time: it draws random numbers where it does not train")
        _same(torch, _call(loaded, arguments, names), expected,
              "in evaluation, the file gives other outputs than the module")
        for rows, what in ((slice(0, 1), "one row"), (None, "twice as many rows")):
            other = tuple(torch.cat([one, one]) if rows is None else one[rows] for one in arguments)
            whole = torch.cat([expected, expected]) if rows is None else expected[rows]
            _same(torch, _call(module, other, names), whole,
                  f"in evaluation, the module gives a sample another output in a batch of {what}; it must not depend on "
                  "its batch")
            _same(torch, _tried(loaded, other, names), whole,
                  f"the recording holds for the batch of the example only, not for {what}: the code asks for the number "
                  "of rows. Make it compile, or use x.size(0) only where torch takes a tensor's shape")
    return int(expected.shape[1])


def _check_training(torch: Any, module: Any, loaded: Any, arguments: tuple[Any, ...], names: list[str]) -> None:
    results = []
    for one in (module, loaded):
        one.train()
        torch.manual_seed(_SEED)
        output = _call(one, arguments, names)
        if not output.requires_grad:
            raise ExportError("no parameter gets a gradient; does forward() detach its result, or run under no_grad()?")
        output.square().mean().backward()
        results.append((output.detach(), {name: weight.grad for name, weight in one.named_parameters()},
                        dict(one.named_buffers())))
    (expected, gradients, buffers), (found, other_gradients, other_buffers) = results
    _same(torch, found, expected, "in training, the file gives other outputs than the module")
    for name, gradient in gradients.items():
        other = other_gradients[name]
        if (gradient is None) != (other is None):
            some = "a" if gradient is None else "no"
            raise ExportError(f"in the file, {name} gets {some} gradient, unlike in the module")
        if gradient is not None:
            _same(torch, other, gradient, f"in the file, {name} gets another gradient than in the module")
    for name, buffer in buffers.items():
        _same(torch, other_buffers[name], buffer, f"in training, the buffer {name} becomes another one in the file")


def _check_embedding(torch: Any, module: Any, loaded: Any, arguments: tuple[Any, ...], names: list[str]) -> None:
    if not callable(getattr(module, "embed", None)):
        return
    if not hasattr(loaded, "embed"):
        raise ExportError("the method embed was not exported; decorate it with @torch.jit.export")
    module.eval()
    loaded.eval()
    with torch.no_grad():
        _same(torch, _call(loaded.embed, arguments, names), _call(module.embed, arguments, names),
              "in the file, embed() gives other numbers than in the module")


def _same(torch: Any, found: Any, expected: Any, message: str) -> None:
    if not isinstance(found, torch.Tensor):
        raise ExportError(f"{message}: there it fails")
    if found.shape != expected.shape:
        raise ExportError(f"{message}: {tuple(found.shape)} instead of {tuple(expected.shape)}")
    if not torch.allclose(found.double(), expected.double(), equal_nan=True, **_CLOSE):
        difference = (found.double() - expected.double()).abs().max().item()
        raise ExportError(f"{message}: they differ by up to {difference:g}")
