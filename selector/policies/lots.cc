#include "selector/policies/lots.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random_column.h"

namespace tidemill::selector {
namespace {

constexpr size_t kKeysAtATime = 1024;
constexpr double kDeviations = 12;
constexpr double kSlack = 64;

// Calls body(bits, key) for each key.
template <typename Body>
void ForEachLot(const RandomKey& random, std::span<const int64_t> keys, Body&& body) {
  std::array<uint64_t, kKeysAtATime> bits;
  while (!keys.empty()) {
    const auto piece = keys.first(std::min(keys.size(), kKeysAtATime));
    RandomBits(random, piece, bits);
    for (size_t i = 0; i < piece.size(); ++i) body(bits[i], piece[i]);
    keys = keys.subspan(piece.size());
  }
}

}  // namespace

Lot LotAtShare(double count, double of) {
  const double share = count / of;
  if (!(share < 1)) return kGreatestLot;
  return {static_cast<uint64_t>(std::ldexp(std::max(share, 0.0), 64)), kGreatestLot.key};
}

double DeviationOfLots(double expected) { return kDeviations * std::sqrt(expected) + kSlack; }

size_t KeepUpTo(const Lot& bound, const RandomKey& random, std::span<const int64_t> keys,
                int64_t* kept) {
  if (bound == kGreatestLot) {
    std::copy(keys.begin(), keys.end(), kept);
    return keys.size();
  }
  size_t count = 0;
  // Without a branch: whether a key is kept cannot be foreseen.
  ForEachLot(random, keys, [&](uint64_t bits, int64_t key) {
    kept[count] = key;
    const bool below = bits < bound.bits;
    const bool tied = bits == bound.bits && key <= bound.key;
    count += static_cast<size_t>(below | tied);
  });
  return count;
}

int64_t CollectBand(const Lot& from, const Lot& to, const RandomKey& random,
                    std::span<const int64_t> keys, std::vector<Lot>& band) {
  int64_t below = 0;
  ForEachLot(random, keys, [&](uint64_t bits, int64_t key) {
    const Lot lot{bits, key};
    if (lot < from) {
      ++below;
    } else if (lot <= to) {
      band.push_back(lot);
    }
  });
  return below;
}

}  // namespace tidemill::selector
