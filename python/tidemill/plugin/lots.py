"""Random numbers of keys, as built-in selection policies draw by them."""
from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike, NDArray

# The number at a time, small enough that all stay in the processor's cache.
_PIECE = 16384
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@dataclasses.dataclass(frozen=True)
class LotFormula:
    """The lots of one trigger of one run: a hash of 64 bits that follows from the run's seed, the trigger and the key.

    docs/formats/plugin_protocol.md has the formula and examples. The same lots come out in C++.
    """

    times: int = 0x9E3779B97F4A7C15
    flip: int = 0
    plus: int = 0

    def of(self, keys: ArrayLike) -> NDArray[np.uint64]:
        """The lot of each key."""
        flat = np.ascontiguousarray(keys, np.int64).view(np.uint64)
        lots = np.empty(len(flat), np.uint64)
        x, low, high, scratch = (np.empty(min(_PIECE, len(flat)), np.uint64) for _ in range(4))
        for begin in range(0, len(flat), _PIECE):
            piece = flat[begin:begin + _PIECE]
            end = len(piece)
            self._fill(piece, lots[begin:begin + end], x[:end], low[:end], high[:end], scratch[:end])
        return lots

    def _fill(self, keys: NDArray[np.uint64], lots: NDArray[np.uint64], x: NDArray[np.uint64], low: NDArray[np.uint64],
              high: NDArray[np.uint64], scratch: NDArray[np.uint64]) -> None:
        """Multiplies 64 bits by 64 bits in halves of 32, and mixes both halves of the product. The arrays are overwritten."""
        times_low, times_high = np.uint64(self.times & 0xFFFFFFFF), np.uint64(self.times >> 32)
        np.bitwise_xor(keys, np.uint64(self.flip), out=x)
        np.multiply(x, np.uint64(self.times), out=lots)  # The low half of the product.
        np.bitwise_and(x, _LOW, out=low)
        np.right_shift(x, _HALF, out=high)
        # What the halves carry into the high half of the product.
        np.multiply(low, times_low, out=x)
        np.right_shift(x, _HALF, out=x)
        np.multiply(low, times_high, out=low)
        np.add(low, x, out=low)
        np.multiply(high, times_low, out=x)
        np.bitwise_and(low, _LOW, out=scratch)
        np.add(x, scratch, out=x)
        np.right_shift(x, _HALF, out=x)
        np.right_shift(low, _HALF, out=low)
        np.multiply(high, times_high, out=high)
        np.add(high, x, out=high)
        np.add(high, low, out=high)
        # The hash.
        np.bitwise_xor(lots, high, out=lots)
        np.add(lots, np.uint64(self.plus), out=lots)
        np.right_shift(lots, np.uint64(37), out=x)
        np.bitwise_xor(lots, x, out=lots)
        np.multiply(lots, np.uint64(0x165667919E3779F9), out=lots)
        np.right_shift(lots, _HALF, out=x)
        np.bitwise_xor(lots, x, out=lots)
