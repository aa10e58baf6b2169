#include "trainer_server/training/row_pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "boost/math/special_functions/beta.hpp"
#include "transform/engine/draws.h"

namespace tidemill::trainer_server {
namespace {

namespace policies = boost::math::policies;

// Errors become NaN or infinity, never exceptions.
using QuietBeta = policies::policy<
    policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
    policies::overflow_error<policies::ignore_error>,
    policies::evaluation_error<policies::ignore_error>,
    policies::rounding_error<policies::ignore_error>, policies::promote_double<false>>;

// The quantile of Beta(alpha, alpha) at `uniform`.
double BetaQuantile(double alpha, double uniform) {
  if (alpha == 1) return uniform;
  return std::clamp(boost::math::ibeta_inv(alpha, alpha, uniform, QuietBeta()), 0.0, 1.0);
}

// The rows in a random order that depends on their ordinals.
std::vector<int64_t> RingOf(const RandomKey& key, std::span<const int64_t> ordinals) {
  std::vector<uint64_t> bits(ordinals.size());
  RandomBits(key, ordinals, bits);
  std::vector<int64_t> ring(ordinals.size());
  std::iota(ring.begin(), ring.end(), 0);
  std::ranges::stable_sort(ring, {}, [&](int64_t row) { return bits[static_cast<size_t>(row)]; });
  return ring;
}

}  // namespace

std::vector<RowPair> DrawPairs(const models::Augment& augment, RandomKey key,
                               std::span<const int64_t> ordinals) {
  std::vector<RowPair> pairs(ordinals.size());
  key.purpose = "augment";
  for (size_t row = 0; row < pairs.size(); ++row) {
    transform::SampleDraws draws(RandomBits(key, ordinals[row]));
    const bool is_mixed = draws.Between(0, 1) < augment.probability;
    const double share = BetaQuantile(augment.alpha, draws.Between(0, 1));
    pairs[row].share = is_mixed ? share : 1;
    pairs[row].down = draws.Between(0, 1);
    pairs[row].across = draws.Between(0, 1);
  }
  key.purpose = "augment ring";
  const std::vector<int64_t> ring = RingOf(key, ordinals);
  for (size_t i = 0; i < ring.size(); ++i) {
    pairs[static_cast<size_t>(ring[i])].partner = ring[(i + 1) % ring.size()];
  }
  return pairs;
}

Rectangle RectangleOf(const RowPair& pair, int64_t height, int64_t width) {
  const double side = 0.5 * std::sqrt(1 - pair.share);
  const auto interval = [&](double place, int64_t length) {
    const auto middle = static_cast<int64_t>(place * static_cast<double>(length));
    const auto half = static_cast<int64_t>(side * static_cast<double>(length));
    return std::pair(std::max<int64_t>(middle - half, 0), std::min(middle + half, length));
  };
  const auto [top, bottom] = interval(pair.down, height);
  const auto [left, right] = interval(pair.across, width);
  return {.top = top, .bottom = bottom, .left = left, .right = right};
}

}  // namespace tidemill::trainer_server
