#include "selector/choosing/lots.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/numbers/random.h"
#include "xxhash.h"

namespace tidemill::selector {
namespace {

constexpr size_t kKeysAtATime = 1024;
constexpr double kDeviations = 12;
constexpr double kSlack = 64;

// From XXH3, whose hash of 32 bytes is a sum of two products: the words of its default secret, and
// its primes.
constexpr uint64_t kSecret[] = {0xBE4BA423396CFEB8, 0x1CAD21F72C81017C, 0xDB979083E96DD4DE,
                                0x1F67B3B7A4A44072};
constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87;
constexpr uint64_t kPrimeMix = 0x165667919E3779F9;

__extension__ typedef unsigned __int128 Product;

uint64_t Fold(uint64_t a, uint64_t b) {
  const Product product = static_cast<Product>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

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

uint64_t LotFormula::BitsOf(int64_t key) const {
  uint64_t bits = plus + Fold(times, static_cast<uint64_t>(key) ^ flip);
  bits = (bits ^ bits >> 37) * kPrimeMix;
  return bits ^ bits >> 32;
}

LotFormula FormulaOf(const RandomKey& random) {
  const uint64_t purpose = XXH3_64bits(random.purpose.data(), random.purpose.size());
  const uint64_t begin = Fold(static_cast<uint64_t>(random.seed) ^ (kSecret[0] + purpose),
                              static_cast<uint64_t>(random.trigger) ^ (kSecret[1] - purpose));
  return {.times = static_cast<uint64_t>(random.epoch) ^ (kSecret[2] + purpose),
          .flip = kSecret[3] - purpose,
          .plus = 4 * sizeof(uint64_t) * kPrime1 + begin};
}

}  // namespace tidemill::selector
