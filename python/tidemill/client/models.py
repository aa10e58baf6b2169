"""A stored model: its tensors by name, and where it comes from."""
from __future__ import annotations

import hashlib
import json
import os
import pathlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from tidemill.client.extras import needed
from tidemill.client.times import of_timestamp, shown
from tidemill.errors import Error, NotFound
from tidemill.protos.model_store.v1 import model_store_pb2

if TYPE_CHECKING:
    from tidemill.client.services import Services

_WEIGHTS = "weights.safetensors"
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1", "BOOL": "?"}
_LENGTH_BYTES = 8


def read_safetensors(content: bytes | bytearray, *, origin: str = "the file") -> dict[str, NDArray[Any]]:
    """The tensors of a safetensors file as arrays, which are views of `content`. bfloat16, which numpy lacks, becomes float32.

    Raises Error when it is no such file.
    """
    view = memoryview(content)
    try:
        length = int.from_bytes(view[:_LENGTH_BYTES], "little")
        header = json.loads(bytes(view[_LENGTH_BYTES:_LENGTH_BYTES + length]))
        data = view[_LENGTH_BYTES + length:]
        return {name: _array_of(entry, data) for name, entry in header.items() if name != "__metadata__"}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Error(f"{origin} is not a safetensors file: {error}") from None


def _array_of(entry: dict[str, Any], data: memoryview) -> NDArray[Any]:
    begin, end = entry["data_offsets"]
    content = data[begin:end]
    if entry["dtype"] == "BF16":
        halves = numpy.frombuffer(content, dtype="<u2")
        return (halves.astype("<u4") << 16).view("<f4").reshape(entry["shape"])
    return numpy.frombuffer(content, dtype=_TYPES[entry["dtype"]]).reshape(entry["shape"])


class Model(Mapping[str, Any]):
    """The tensors of a model by the names that its network gives them: tensors of torch, or arrays of numpy without torch.

        module.load_state_dict(dict(stack.model(17)))
    """

    def __init__(self, message: model_store_pb2.Model, content: bytes | bytearray) -> None:
        """`content`: its file of weights."""
        #: The number of the model in its stack, and the run and the trigger that trained it.
        self.number = message.model_id
        self.run = message.run_id
        self.trigger = message.trigger
        #: The model from which its training started; None for a fresh one.
        self.parent = message.parent_model_id or None
        #: The number of samples that it was trained on.
        self.num_samples = message.num_samples
        #: The names of the classes, in the order of its outputs; empty for real labels.
        self.classes = tuple(message.classes)
        #: The section `model` of its pipeline, as canonical YAML.
        self.spec = message.model
        self.created_at = of_timestamp(message.created_at)
        self._content = content
        self._arrays = read_safetensors(content, origin=f"{_WEIGHTS} of model {self.number}")
        self._tensors: dict[str, Any] | None = None

    def numpy(self) -> dict[str, NDArray[Any]]:
        """The tensors as arrays of numpy, which must not be written to."""
        return dict(self._arrays)

    def torch(self) -> dict[str, Any]:
        """The tensors as tensors of torch. Needs `pip install tidemill[torch]`."""
        torch = needed("torch", "torch")
        return {name: torch.from_numpy(array.copy()) for name, array in self._arrays.items()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the weights as a safetensors file, which other programs read."""
        pathlib.Path(path).write_bytes(self._content)

    def _values(self) -> dict[str, Any]:
        if self._tensors is None:
            try:
                import torch  # noqa: F401
            except ImportError:
                self._tensors = self.numpy()
            else:
                self._tensors = self.torch()
        return self._tensors

    def __getitem__(self, name: str) -> Any:
        return self._values()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} {list(array.shape)}" for name, array in self._arrays.items())
        return (f"<model {self.number} of run {self.run}, trigger {self.trigger}, trained on {self.num_samples:,} samples, "
                f"stored at {shown(self.created_at)}: {shapes}>")


def fetch(services: Services, number: int) -> Model:
    """Reads a model from the store. Raises NotFound when there is none, or its weights have been removed."""
    request = model_store_pb2.GetModelRequest(model_id=number)
    model = services.ask("model_store", request, model_store_pb2.GetModelResponse).model
    part = next((part for part in model.parts if part.name == _WEIGHTS), None)
    if part is None or model.HasField("removed_at"):
        raise NotFound(f"the weights of model {number} have been removed",
                       advice="`retention` of its pipeline says which models are kept")
    return Model(model, read_part(services, number, part))


def read_part(services: Services, number: int, part: model_store_pb2.ModelPart) -> bytearray:
    """The bytes of a part of a model. Raises Error when they are not the stored ones."""
    content = bytearray()
    request = model_store_pb2.ReadModelRequest(model_id=number, part=part.name)
    for message in services.follow("model_store", request, model_store_pb2.ReadModelResponse):
        content += message.bytes
    if hashlib.sha256(content).hexdigest() != part.digest:
        raise Error(f"{part.name} of model {number} arrived damaged: its sum is not {part.digest}", advice="try again")
    return content
