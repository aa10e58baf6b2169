"""Looks at what a plug-in returned. Whatever does not fit is refused with its name, what is expected and what came."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidemill.hosting.faults import Refused


class Answer:
    """What a method of the user's returned. It tells what was wrong with it in the method's name."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._code = getattr(method, "__code__", None)
        self._name = getattr(method, "__name__", "?")

    def refuse(self, wanted: str, came: str) -> Refused:
        """A fault: `wanted` is what the method has to return."""
        return Refused(f"{self._name} has to return {wanted}, and returned {came}", self._code)

    def number(self, name: str, value: Any) -> float:
        """A finite number; True is 1."""
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if not isinstance(value, (int, float, np.number, np.bool_)) or isinstance(value, np.complexfloating):
            raise self.refuse(f"a number as {name}", shown(value))
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self.refuse(f"a finite number as {name}", shown(value))
        return number

    def text(self, name: str, value: Any) -> str:
        """A text with something in it."""
        if not isinstance(value, str) or not value.strip():
            raise self.refuse(f"a text as {name}", shown(value))
        return value

    def truth(self, name: str, value: Any) -> bool:
        """True or False."""
        if not isinstance(value, (bool, np.bool_)):
            raise self.refuse(f"True or False as {name}", shown(value))
        return bool(value)

    def instance(self, value: Any, kind: type, wanted: str) -> None:
        """Something of the class."""
        if not isinstance(value, kind):
            raise self.refuse(wanted, shown(value))

    def names(self, value: Any, allowed: Callable[[str], bool], wanted: str) -> list[str]:
        """A list of texts that are allowed, each once."""
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise self.refuse(f"a list of {wanted}", shown(value))
        names = list(value)
        for name in names:
            if not isinstance(name, str) or not allowed(name) or names.count(name) > 1:
                raise self.refuse(f"a list of {wanted}, each once", shown(names))
        return names

    def numbers(self, name: str, value: Any, dtype: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
        """An array of this type and shape, where None stands for any length. Numbers need not be finite."""
        array = self._array(name, value)
        want = np.dtype(dtype)
        if len(shape) != array.ndim or any(length not in (None, came) for length, came in zip(shape, array.shape)):
            raise self.refuse(f"an array {_shape(shape)} as {name}", f"one {_shape(array.shape)}")
        if array.dtype == bool:
            array = array.astype(np.uint8)
        if want.kind in "iu" and array.size and array.dtype.kind in "iu":
            limits = np.iinfo(want)
            if int(array.min()) < limits.min or int(array.max()) > limits.max:
                raise self.refuse(f"numbers from {limits.min} to {limits.max} as {name}", f"{array.min()} to {array.max()}")
        elif array.size and (array.dtype.kind not in "iuf" or want.kind != "f"):
            raise self.refuse(f"an array of {dtype} as {name}", f"one of {array.dtype}")
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(array, dtype=want)

    def finite(self, name: str, array: NDArray[Any]) -> None:
        """Refuses an array with a number that is not finite."""
        wrong = ~np.isfinite(array)
        if wrong.any():
            place = tuple(int(index) for index in np.argwhere(wrong)[0])
            raise self.refuse(f"finite numbers as {name}", f"{array[place]} in row {place[0]}")

    def byte_strings(self, name: str, value: Any, rows: int) -> list[bytes]:
        """A list of `rows` byte strings; texts become UTF-8."""
        if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, np.ndarray)):
            raise self.refuse(f"a list of bytes as {name}", shown(value))
        if len(value) != rows:
            raise self.refuse(f"{rows} rows as {name}", str(len(value)))
        texts = []
        for row, text in enumerate(value):
            if isinstance(text, str):
                text = text.encode("utf-8", "surrogateescape")
            if not isinstance(text, (bytes, bytearray, memoryview)):
                raise self.refuse(f"a list of bytes as {name}", f"{shown(text)} in row {row}")
            texts.append(bytes(text))
        return texts

    def bad(self, value: Any, rows: int) -> dict[int, str]:
        """Rows of which nothing can be made, and why."""
        if not isinstance(value, Mapping):
            raise self.refuse("rows and reasons as bad", shown(value))
        bad = {}
        for row, why in value.items():
            if isinstance(row, bool) or not isinstance(row, (int, np.integer)) or not 0 <= row < rows:
                raise self.refuse(f"rows from 0 to {rows - 1} as bad", shown(row))
            bad[int(row)] = self.text(f"the reason of bad row {row}", why)
        return bad

    def _array(self, name: str, value: Any) -> NDArray[Any]:
        try:
            array = np.asarray(value)
        except ValueError:
            raise self.refuse(f"an array as {name}", "rows of different lengths") from None
        if array.dtype.kind not in "biuf":
            raise self.refuse(f"an array of numbers as {name}", shown(value))
        return array


def shown(value: Any) -> str:
    """The value and its type, for a message."""
    if value is None:
        return "None"
    try:
        text = repr(value)
    except Exception:
        text = "something without a repr"
    text = text if len(text) <= 100 else text[:97] + "..."
    return f"{text} ({type(value).__name__})"


def _shape(shape: Sequence[int | None]) -> str:
    return "[" + ", ".join("any" if length is None else str(length) for length in shape) + "]"


def listed_bad(bad: Mapping[int, str]) -> list[dict[str, Any]]:
    """Bad rows as messages have them."""
    return [{"row": row, "why": bad[row]} for row in sorted(bad)]
