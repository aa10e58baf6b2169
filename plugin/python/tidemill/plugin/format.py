"""Formats: what the samples in a file are."""
from __future__ import annotations

import abc
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tidemill.plugin.base import Plugin
from tidemill.plugin.block import ByteStrings

Offsets = Sequence[int] | NDArray[np.integer]


@dataclasses.dataclass(frozen=True)
class Split:
    """Where whole records begin and end in a piece of a file. Bytes from `consumed` on come again, with those behind."""

    begins: Offsets
    ends: Offsets
    consumed: int


@dataclasses.dataclass(frozen=True)
class Records:
    """What records say, a value for each. None, or what a numpy masked array masks, stands for no value.

    Labels are whole numbers or floats, event times are microseconds since 1970 in UTC. Leave out what records never
    have. `bad`: records that cannot be read, with the reason for each.
    """

    labels: Sequence[Any] | NDArray[Any] | None = None
    event_times: Sequence[Any] | NDArray[Any] | None = None
    bad: Mapping[int, str] = dataclasses.field(default_factory=dict)


class Format(Plugin):
    """A format of files. It cuts files into records, and tells what records say."""

    kind: ClassVar[str] = "format"

    extensions: Sequence[str] = ()
    """What names of such files end in: `(".pgn",)`."""

    @abc.abstractmethod
    def split(self, piece: memoryview, offset: int, is_last: bool) -> Split:
        """The whole records in a piece of a file that begins at `offset` of the file."""

    @abc.abstractmethod
    def read(self, records: ByteStrings) -> Records:
        """What the records say. It must not depend on the records beside one."""
