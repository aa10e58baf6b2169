// Every key has a lot: a random number that depends only on the name of the random stream and on
// the key. A draw of k samples takes the k smallest lots.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/numbers/random.h"

namespace tidemill::selector {

// When the bits are equal, the smaller key has the smaller lot.
struct Lot {
  uint64_t bits = 0;
  int64_t key = 0;
  friend auto operator<=>(const Lot&, const Lot&) = default;
};

inline constexpr Lot kGreatestLot{std::numeric_limits<uint64_t>::max(),
                                  std::numeric_limits<int64_t>::max()};

// Returns the lot below which the share `count / of` of all lots is. It is the greatest lot when
// the share is all of them.
Lot LotAtShare(double count, double of);

// Returns by how much the number of lots below a bound may differ from the expected number. It is
// 12 standard deviations, and somewhat more when few are expected. A greater difference has a
// probability of 10^-32.
double DeviationOfLots(double expected);

// Copies the keys whose lot is at most `bound` to `kept`, in their order, and returns their number.
// `kept` must have room for all keys.
size_t KeepUpTo(const Lot& bound, const RandomKey& random, std::span<const int64_t> keys,
                int64_t* kept);

// Appends to `band` the lots of `keys` between `from` and `to`, both included. Returns how many
// lots are below `from`.
int64_t CollectBand(const Lot& from, const Lot& to, const RandomKey& random,
                    std::span<const int64_t> keys, std::vector<Lot>& band);

// A formula for lots that plug-ins in any language can compute without a hash library. The bits of
// the lot of a key are
//
//   m = (times * (key ^ flip)), a product of 128 bits
//   h = plus + (the low half of m ^ the high half of m)
//   h = (h ^ h >> 37) * 0x165667919E3779F9
//   bits = h ^ h >> 32
//
// where everything but m is modulo 2^64. They equal the bits of RandomBits() in
// base/numbers/random.h.
struct LotFormula {
  uint64_t times = 0;
  uint64_t flip = 0;
  uint64_t plus = 0;

  uint64_t BitsOf(int64_t key) const;
};

// Returns the formula for the lots of a random stream.
LotFormula FormulaOf(const RandomKey& random);

}  // namespace tidemill::selector
