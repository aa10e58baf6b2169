"""Formats: the records of a file, and what they say."""
from __future__ import annotations

import abc
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tidemill.plugin.base import Plugin

Offsets = Sequence[int] | NDArray[np.integer]


@dataclasses.dataclass(frozen=True)
class Piece:
    """A piece of a file, which begins at `offset`. Pieces are cut anywhere.

    Take its bytes without a copy: `np.frombuffer(piece.bytes, np.uint8)`. They are valid during the call only.
    `is_last`: whether nothing follows, now or later. `head`: the first bytes of the file, as many as `head_bytes` says.
    """

    bytes: memoryview
    offset: int = 0
    is_last: bool = True
    head: memoryview = memoryview(b"")


@dataclasses.dataclass(frozen=True)
class Records:
    """The whole records in a piece: where they begin and end in it, and what they say, a value for each.

    Records are not empty, and follow one another. Bytes of the piece from `consumed` on are given again, with those that follow;
    without it, those after the last record. Labels are whole numbers (classes) or floats, event times are microseconds
    since 1970 in UTC. None, or what a numpy masked array masks, stands for no value. Leave out what records never have.
    `bad`: records that are not samples, by their places in `begins`, with the reason for each.
    """

    begins: Offsets
    ends: Offsets
    consumed: int | None = None
    labels: Sequence[Any] | NDArray[Any] | None = None
    event_times: Sequence[Any] | NDArray[Any] | None = None
    bad: Mapping[int, str] = dataclasses.field(default_factory=dict)


class Format(Plugin):
    """A format of files. It cuts files into records, and tells what records say.

    What it says about a record must not depend on how the file is cut into pieces, nor on what it was asked before: reading
    continues in the middle of a file. What it needs to know of a file's beginning it finds in `piece.head`.
    """

    kind: ClassVar[str] = "format"

    head_bytes: int = 0
    """The first bytes of a file that `read` wants to see beside each piece: at most 1 MiB."""

    @abc.abstractmethod
    def read(self, piece: Piece) -> Records:
        """The whole records in a piece, and what they say."""
