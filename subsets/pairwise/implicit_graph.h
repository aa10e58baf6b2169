// A graph of any size that is not stored: its nodes, embeddings and neighbours are functions of a
// seed. It measures how selection scales.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/numbers/random.h"
#include "subsets/pairwise/graph.h"

namespace tidemill::subsets {

struct ImplicitGraphSpec {
  int64_t num_nodes = 0;
  int64_t neighbors = 10;  // An even number. Fewer when there are fewer other nodes.
  int64_t seed = 1;
};

// The embedding of node v is base row v % kBaseRows, which has random numbers, plus a perturbation
// drawn for v. It resembles a dataset with many variants of every sample (Boether et al., section
// 6.3). The neighbours of v are v +- each of a few offsets, modulo the number of nodes. The offsets
// are random, but every second one is a multiple of kBaseRows. So half of the neighbours are
// variants of the same row, and half are anywhere. A multiplicative permutation orders the nodes in
// a ring; a step by an offset is a step by one along such a ring, hence the symmetry. The
// similarity is the cosine of the embeddings, at least 0. Utilities are uniform in [0, 1).
// Thread-safe.
class ImplicitGraph {
 public:
  explicit ImplicitGraph(const ImplicitGraphSpec& spec);

  int64_t num_nodes() const { return num_nodes_; }
  int64_t max_degree() const { return 2 * static_cast<int64_t>(offsets_.size()); }
  float utility(int64_t node) const { return static_cast<float>(Bits(node) >> 40) * 0x1.0p-24F; }

  template <typename Visit>
  void ForEachNeighbor(int64_t node, Visit&& visit) const {
    Embedding mine;
    bool embedded = false;
    for (const int64_t offset : offsets_) {
      const int64_t up = node + offset;
      const int64_t down = node - offset;
      for (const int64_t other :
           {up < num_nodes_ ? up : up - num_nodes_, down >= 0 ? down : down + num_nodes_}) {
        visit(other, [&] {
          if (!embedded) mine = Embed(node);
          embedded = true;
          return Cosine(mine, Embed(other));
        });
      }
    }
  }

 private:
  static constexpr int kWidth = 16;
  static constexpr int64_t kBaseRows = 1000;
  static constexpr uint64_t kNoiseRows = 1024;
  using Row = std::array<float, kWidth>;
  struct Embedding {
    Row values;
    float inverse_length;
  };

  uint64_t Bits(int64_t node) const { return MixBits(static_cast<uint64_t>(node) ^ key_); }

  Embedding Embed(int64_t node) const {
    const uint64_t bits = Bits(node);
    const Row& base = base_[static_cast<size_t>(node % kBaseRows)];
    const Row& first = noise_[bits % kNoiseRows];
    const Row& second = noise_[bits / kNoiseRows % kNoiseRows];
    Embedding embedding;
    for (size_t i = 0; i < kWidth; ++i) embedding.values[i] = base[i] + first[i] + second[i];
    embedding.inverse_length = 1 / std::sqrt(Dot(embedding.values, embedding.values));
    return embedding;
  }

  // Uses four sums side by side, always added up in the same order.
  static float Dot(const Row& a, const Row& b) {
    std::array<float, 4> sums = {};
    for (size_t i = 0; i < kWidth; ++i) sums[i % 4] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  static float Cosine(const Embedding& a, const Embedding& b) {
    const float cosine = Dot(a.values, b.values) * (a.inverse_length * b.inverse_length);
    return cosine > 0 ? cosine : 0;
  }

  int64_t num_nodes_;
  uint64_t key_;
  std::vector<int64_t> offsets_;  // Distinct, in [1, (num_nodes - 1) / 2].
  std::vector<Row> base_;
  std::vector<Row> noise_;
};

}  // namespace tidemill::subsets
