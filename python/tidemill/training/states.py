"""States: what is in a checkpoint, as bytes, and the generators of random numbers."""
from __future__ import annotations

import dataclasses
import io
import pickle
import random
import sys
from typing import Any

import numpy as np

_ZIP = b"PK\x03\x04"  # What torch writes.


@dataclasses.dataclass(frozen=True)
class Generators:
    """The states of all generators that programs draw from."""

    python: Any
    numpy: Any
    torch: Any
    own: Any

    @classmethod
    def now(cls, own: np.random.Generator | None) -> Generators:
        """Their states at this moment."""
        torch = sys.modules.get("torch")
        return cls(python=random.getstate(), numpy=np.random.get_state(),
                   torch=None if torch is None else torch.get_rng_state(),
                   own=None if own is None else own.bit_generator.state)

    def restore(self, own: np.random.Generator) -> None:
        """Lets all of them continue from here."""
        random.setstate(self.python)
        np.random.set_state(self.numpy)
        if self.torch is not None:
            import torch
            torch.set_rng_state(self.torch)
        if self.own is not None:
            own.bit_generator.state = self.own


def seed_generators(seed: int, num_threads: int) -> None:
    """Seeds the generators of Python, of numpy and, where the program has imported it, of torch."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)
        torch.set_num_threads(num_threads)


def packed_state(state: dict[str, Any]) -> bytes:
    """The state as bytes."""
    torch = sys.modules.get("torch")
    if torch is None:
        return pickle.dumps(state, protocol=5)
    file = io.BytesIO()
    torch.save(state, file)
    return file.getvalue()


def unpacked_state(packed: bytes) -> dict[str, Any]:
    """What `packed_state` was given."""
    if not packed.startswith(_ZIP):
        state: dict[str, Any] = pickle.loads(packed)
        return state
    import torch
    loaded: dict[str, Any] = torch.load(io.BytesIO(packed), map_location="cpu", weights_only=False)
    return loaded


def kept_state(name: str, thing: Any) -> Any:
    """The state of something that is kept. Raises TypeError where it has none."""
    if isinstance(thing, np.ndarray):
        return thing.copy()
    if isinstance(thing, np.random.Generator):
        return thing.bit_generator.state
    if callable(getattr(thing, "state_dict", None)) and callable(getattr(thing, "load_state_dict", None)):
        return thing.state_dict()
    raise TypeError(f"{name} cannot be kept: {type(thing).__name__} has no state_dict() and load_state_dict(), and is not a "
                    "numpy array. Give its state to save_checkpoint()")


def restore(name: str, thing: Any, state: Any) -> None:
    """Gives something the state that it had."""
    if isinstance(thing, np.ndarray):
        if thing.shape != state.shape:
            raise ValueError(f"{name} has the shape {thing.shape}, and had {state.shape} in the checkpoint")
        thing[...] = state
    elif isinstance(thing, np.random.Generator):
        thing.bit_generator.state = state
    else:
        thing.load_state_dict(state)
