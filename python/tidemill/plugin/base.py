"""What plug-ins of every kind have: settings, a seed, random numbers, and a state that is kept."""
from __future__ import annotations

import abc
import pickle
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np

from tidemill.plugin.settings import VALUES, checked_settings, settings_of

SEED = "_tidemill_seed"
# What a kind knows of the run, which is not part of what a plug-in remembers.
LOTS = "_tidemill_lots"
TARGET = "_tidemill_target"
P = TypeVar("P", bound="Plugin")


class Plugin(abc.ABC):  # noqa: B024
    """What all kinds of plug-ins derive from. Derive from `Trigger`, `Measure` or another kind instead.

    Settings are attributes of the class, as `tidemill.plugin.settings` says. The docstring of the class describes the
    plug-in to those who use it. `version` is yours to count, and is recorded with runs.

    Whatever the plug-in remembers are attributes that it sets on itself. `__init__` takes no arguments and may use the
    settings already:

        def __init__(self):
            self.average = self.threshold
    """

    kind: ClassVar[str] = ""
    version: ClassVar[str] = ""

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        for name in settings_of(cls):
            taken = [base.__name__ for base in cls.__mro__[1:] if name in vars(base) and name not in settings_of(base)]
            if taken or name.startswith("_"):
                where = f", because {taken[0]} has something of that name" if taken else ""
                raise TypeError(f"{cls.__name__}: a setting cannot be called {name}{where}")

    @property
    def seed(self) -> int:
        """The seed of the run for this plug-in. It stays the same when the run is resumed."""
        seed: int = self.__dict__[SEED]
        return seed

    def random(self, *numbers: int) -> np.random.Generator:
        """Random numbers that follow from the seed.

        Without arguments: the generator of this instance. It continues from call to call, and is part of the state.

        With whole numbers, such as the key of a sample: a fresh generator that follows from the seed and these numbers
        alone. Take it where the result must not depend on what was asked before.
        """
        if numbers:
            return np.random.default_rng([self.seed, *(int(number) % 2**64 for number in numbers)])
        generator = self.__dict__.get("_random")
        if generator is None:
            generator = self.__dict__["_random"] = np.random.default_rng(self.seed)
        made: np.random.Generator = generator
        return made

    def seal(self) -> bytes:
        """What the plug-in remembers, as bytes.

        Unless you write your own: a pickle of the instance's attributes without its settings. What is remembered has to
        be small, because a state is kept with each decision, and it may be 11 MiB at most. It must not depend on anything
        outside of it.
        """
        attributes = self._attributes()
        try:
            return pickle.dumps(attributes, protocol=5)
        except Exception:
            for name, value in attributes.items():
                try:
                    pickle.dumps(value, protocol=5)
                except Exception as error:
                    raise TypeError(f"the attribute {name} cannot be kept: {error}. Write seal() and restore(), "
                                    "or do not remember it") from error
            raise

    def restore(self, state: bytes) -> None:
        """Makes the plug-in remember what `seal` had returned. It is called on a new instance with the same settings."""
        attributes = pickle.loads(state)
        for name in self._attributes():
            del self.__dict__[name]
        self.__dict__.update(attributes)

    def _attributes(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in (VALUES, SEED, LOTS, TARGET)}


def create(kind: type[P], settings: Mapping[str, Any] | None = None, seed: int = 0) -> P:
    """An instance of a plug-in, as a run makes it. Tests of your own begin with it:

        surprise = plugin.create(Surprise, {"threshold": 0.3})
        assert not surprise.judge({"share": 0.1}).fired
    """
    values = checked_settings(kind, settings or {})
    instance = kind.__new__(kind)
    instance.__dict__[VALUES] = values
    instance.__dict__[SEED] = seed
    instance.__init__()  # type: ignore[misc]
    return instance
