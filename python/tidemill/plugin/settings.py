"""Settings: what `with:` of a pipeline may say to a plug-in.

A setting is an attribute of the class. On an instance it is the plain value, which cannot be changed:

    class Surprise(plugin.Trigger):
        threshold = plugin.Number(0.2, min=0, max=1, doc="The share of mistakes at which it fires.")
        months = plugin.Numbers([6, 7], doc="Months in which it stays silent.")

        def judge(self, seen):
            ...  # self.threshold is 0.2, self.months is (6.0, 7.0)

The first argument is the default. Without one, a pipeline has to give the setting. Bounds are inclusive.
"""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar, overload

T = TypeVar("T")


class _Required:
    """Stands for a default that is not there."""

    def __repr__(self) -> str:
        return "..."


REQUIRED: Any = _Required()
# Where an instance has its values; no name that a user would choose.
VALUES = "_tidemill_settings"


class Setting(Generic[T]):
    """A setting of any type. Use one of the classes below."""

    type_name: ClassVar[str]

    def __init__(self, default: Any, doc: str, min: float | None = None, max: float | None = None,
                 choices: Sequence[str] | None = None) -> None:
        self.name = ""
        self.doc = doc
        self.min, self.max = min, max
        self.choices = None if choices is None else tuple(choices)
        self._given_default = default
        self.default: Any = REQUIRED

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        if self._given_default is not REQUIRED:
            self.default = self.checked(self._given_default)

    @overload
    def __get__(self, instance: None, owner: type) -> Setting[T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> Setting[T] | T:
        if instance is None:
            return self
        value: T = instance.__dict__[VALUES][self.name]
        return value

    def __set__(self, instance: object, value: T) -> None:
        raise AttributeError(f"the setting {self.name} cannot be changed; remember {value!r} under another name")

    def checked(self, value: Any) -> T:
        """The value as instances have it. Raises ValueError where it is of another type or not allowed."""
        raise NotImplementedError

    def description(self) -> dict[str, Any]:
        """What a host reports about the setting."""
        told: dict[str, Any] = {"name": self.name, "type": self.type_name, "doc": self.doc}
        if self.default is not REQUIRED:
            told["default"] = list(self.default) if isinstance(self.default, tuple) else self.default
        for bound in ("min", "max"):
            value = getattr(self, bound)
            if value is not None and math.isfinite(value):
                told[bound] = value
        if self.choices is not None:
            told["choices"] = list(self.choices)
        return told

    def _refused(self, value: Any, wanted: str) -> ValueError:
        return ValueError(f"the setting {self.name} has to be {wanted}, and is {value!r:.100}")

    def _number(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise self._refused(value, "a number")
        self._bounded(value)
        return float(value)

    def _bounded(self, value: float) -> None:
        if self.min is not None and value < self.min:
            raise self._refused(value, f"at least {self.min}")
        if self.max is not None and value > self.max:
            raise self._refused(value, f"at most {self.max}")

    def _text(self, value: Any) -> str:
        if not isinstance(value, str):
            raise self._refused(value, "a text")
        if self.choices is not None and value not in self.choices:
            raise self._refused(value, "one of " + ", ".join(self.choices))
        return value

    def _list(self, value: Any, wanted: str) -> Sequence[Any]:
        if not isinstance(value, (list, tuple)):
            raise self._refused(value, wanted)
        return value


class Number(Setting[float]):
    """A number, as a float."""

    type_name = "number"

    def __init__(self, default: float = REQUIRED, *, min: float | None = None, max: float | None = None,
                 doc: str = "") -> None:
        super().__init__(default, doc, min=min, max=max)

    def checked(self, value: Any) -> float:
        return self._number(value)


class Integer(Setting[int]):
    """A whole number."""

    type_name = "integer"

    def __init__(self, default: int = REQUIRED, *, min: int | None = None, max: int | None = None, doc: str = "") -> None:
        super().__init__(default, doc, min=min, max=max)

    def checked(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value // 1:
            raise self._refused(value, "a whole number")
        self._bounded(value)
        return int(value)


class Boolean(Setting[bool]):
    """True or False."""

    type_name = "boolean"

    def __init__(self, default: bool = REQUIRED, *, doc: str = "") -> None:
        super().__init__(default, doc)

    def checked(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise self._refused(value, "true or false")
        return value


class Text(Setting[str]):
    """A text; with `choices` one of these."""

    type_name = "text"

    def __init__(self, default: str = REQUIRED, *, choices: Sequence[str] | None = None, doc: str = "") -> None:
        super().__init__(default, doc, choices=choices)

    def checked(self, value: Any) -> str:
        return self._text(value)


class Numbers(Setting[tuple[float, ...]]):
    """A list of numbers, as a tuple of floats. Bounds hold for each of them."""

    type_name = "numbers"

    def __init__(self, default: Sequence[float] = REQUIRED, *, min: float | None = None, max: float | None = None,
                 doc: str = "") -> None:
        super().__init__(default, doc, min=min, max=max)

    def checked(self, value: Any) -> tuple[float, ...]:
        return tuple(self._number(element) for element in self._list(value, "a list of numbers"))


class Texts(Setting[tuple[str, ...]]):
    """A list of texts, as a tuple; with `choices` each is one of these."""

    type_name = "texts"

    def __init__(self, default: Sequence[str] = REQUIRED, *, choices: Sequence[str] | None = None, doc: str = "") -> None:
        super().__init__(default, doc, choices=choices)

    def checked(self, value: Any) -> tuple[str, ...]:
        return tuple(self._text(element) for element in self._list(value, "a list of texts"))


def settings_of(kind: type) -> dict[str, Setting[Any]]:
    """The settings of a class and of those that it derives from, in the order in which they are written."""
    found: dict[str, Setting[Any]] = {}
    for cls in reversed(kind.__mro__):
        for name, attribute in vars(cls).items():
            found.pop(name, None)
            if isinstance(attribute, Setting):
                found[name] = attribute
    return found


def checked_settings(kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """A value for each setting of the class. Raises ValueError where what was given does not fit."""
    declared = settings_of(kind)
    for name in given:
        if name not in declared:
            raise ValueError(f"{kind.__name__} has no setting {name}; it has: {', '.join(declared) or 'none'}")
    values = {}
    for name, setting in declared.items():
        if name in given:
            values[name] = setting.checked(given[name])
        elif setting.default is REQUIRED:
            raise ValueError(f"{kind.__name__} needs the setting {name}")
        else:
            values[name] = setting.default
    return values
