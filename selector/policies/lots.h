// Lots: every key has one, which depends on nothing but the stream's name and the key. A draw of k
// samples is the k smallest lots.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/random.h"

namespace tidemill::selector {

// Ties of the bits go to the smaller key.
struct Lot {
  uint64_t bits = 0;
  int64_t key = 0;
  friend auto operator<=>(const Lot&, const Lot&) = default;
};

inline constexpr Lot kGreatestLot{std::numeric_limits<uint64_t>::max(),
                                  std::numeric_limits<int64_t>::max()};

// The lot below which lies the share `count / of` of all lots; the greatest one when that is all.
Lot LotAtShare(double count, double of);

// By how much the number of lots below a bound may differ from the number expected: 12 standard
// deviations, which happens with a probability of 10^-32, and some more where few are expected.
double DeviationOfLots(double expected);

// Copies the keys whose lot is at most `bound` to `kept`, in their order, and returns how many
// there are. `kept` has room for all of them.
size_t KeepUpTo(const Lot& bound, const RandomKey& random, std::span<const int64_t> keys,
                int64_t* kept);

// Appends to `band` the lots of `keys` from `from` to `to`, both included; returns how many are
// below `from`.
int64_t CollectBand(const Lot& from, const Lot& to, const RandomKey& random,
                    std::span<const int64_t> keys, std::vector<Lot>& band);

}  // namespace tidemill::selector
