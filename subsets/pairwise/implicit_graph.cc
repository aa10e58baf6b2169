#include "subsets/pairwise/implicit_graph.h"

#include <algorithm>

namespace tidemill::subsets {
namespace {

// Beside base rows of variance 1/3 in each dimension, perturbations of a total variance of 1/12:
// the cosine of two variants of a row is about 0.8.
constexpr float kNoise = 0.35F;

template <typename Row>
void Fill(const RandomKey& key, float scale, std::vector<Row>& rows) {
  int64_t ordinal = 0;
  for (Row& row : rows) {
    for (float& value : row) {
      value = scale * static_cast<float>(2 * RandomUnit(key, ordinal++) - 1);
    }
  }
}

std::vector<int64_t> Offsets(const ImplicitGraphSpec& spec, int64_t base_rows) {
  const int64_t greatest = (spec.num_nodes - 1) / 2;
  const int64_t wanted = std::min(spec.neighbors / 2, greatest);
  const RandomKey key{.seed = spec.seed, .purpose = "pairwise/offsets"};
  std::vector<int64_t> offsets;
  for (int64_t draw = 0; std::ssize(offsets) < wanted; ++draw) {
    int64_t offset =
        1 + static_cast<int64_t>(RandomUnit(key, draw) * static_cast<double>(greatest));
    const bool same_row = offsets.size() % 2 == 0 && offset > base_rows;
    if (same_row) offset -= offset % base_rows;
    if (std::find(offsets.begin(), offsets.end(), offset) == offsets.end()) {
      offsets.push_back(offset);
    }
  }
  return offsets;
}

}  // namespace

ImplicitGraph::ImplicitGraph(const ImplicitGraphSpec& spec)
    : num_nodes_(spec.num_nodes),
      key_(RandomBits({.seed = spec.seed, .purpose = "pairwise/nodes"}, 0)),
      offsets_(Offsets(spec, kBaseRows)),
      base_(kBaseRows),
      noise_(kNoiseRows) {
  Fill({.seed = spec.seed, .purpose = "pairwise/base"}, 1, base_);
  Fill({.seed = spec.seed, .purpose = "pairwise/noise"}, kNoise, noise_);
}

static_assert(Graph<ImplicitGraph>);

}  // namespace tidemill::subsets
