"""Ops: how the bytes of a sample become numbers for the model."""
from __future__ import annotations

import abc
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from tidemill.plugin.base import Plugin
from tidemill.plugin.block import Block

Type = Literal["int64", "int32", "uint8", "float32", "float64", "binary"]


@dataclasses.dataclass(frozen=True)
class ColumnType:
    """The name of a column, its type and how many numbers it has in a row: `()` for one, `(3, 32, 32)` for an image."""

    name: str
    type: Type
    shape: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.type not in ("int64", "int32", "uint8", "float32", "float64", "binary"):
            raise ValueError(f"the type of the column {self.name} is {self.type!r}")
        object.__setattr__(self, "shape", tuple(int(length) for length in self.shape))
        if any(length < 1 for length in self.shape) or (self.type == "binary" and self.shape):
            raise ValueError(f"the shape of the column {self.name} is {self.shape!r}")

    def described(self) -> dict[str, Any]:
        """What a host reports about it."""
        return {"name": self.name, "type": self.type, "shape": list(self.shape)}


@dataclasses.dataclass(frozen=True)
class Made:
    """Columns by their names, and the rows of which nothing can be made, with the reason for each."""

    columns: Mapping[str, Any]
    bad: Mapping[int, str] = dataclasses.field(default_factory=dict)


class Op(Plugin):
    """An op of a pipeline. It makes columns out of columns, row by row.

    What it makes of a row must not depend on the rows beside it, because rows come in other blocks elsewhere. A row of
    which nothing can be made is a bad sample: return `Made(columns, bad={3: "no date"})`. So is a row for which it makes
    a number that is not finite.

    With `fits = True` it first learns from samples: `fit` is called with blocks of them, and then `fitted`. What was
    learnt is its state.
    """

    kind: ClassVar[str] = "op"

    fits: bool = False

    @abc.abstractmethod
    def outputs(self, inputs: Sequence[ColumnType]) -> Sequence[ColumnType]:
        """The columns that it makes of these. Raise ValueError where it cannot. Asked once."""

    def fit(self, block: Block) -> None:
        """Learns from some rows. Copy what you keep of a block."""

    def fitted(self) -> None:
        """All blocks to learn from have been there."""

    @abc.abstractmethod
    def apply(self, block: Block) -> Mapping[str, Any] | Made:
        """The outputs by their names, as arrays [rows, ...], or a list of bytes for a binary one."""
