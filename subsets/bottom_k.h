// The k rows with the smallest ranks of a stream, in O(k) memory. Ranks that are functions of a
// row's id and a random stream make this the base of every draw of a fixed size: the same rows are
// drawn however the stream is cut into pieces and parts, and in whatever order they are merged
// (bottom-k sketches, Cohen and Kaplan, PODC 2007).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"

namespace tidemill::subsets {

// One row of a stream. Rows are ordered by (rank, bits, id).
struct RankedRow {
  double rank = 0;
  uint64_t bits = 0;  // RandomBits() of the id.
  int64_t id = 0;     // Names the row in the random stream: a key or an ordinal.
  int64_t row = 0;    // Where it stands.
  double score = 0;
};
bool operator<(const RankedRow& a, const RankedRow& b);

// Thread-compatible.
class BottomK {
 public:
  explicit BottomK(int64_t k) : k_(k) {}

  void Add(const RankedRow& row) {
    if (is_bounded_ && !(row < bound_)) return;
    held_.push_back(row);
    if (held_.size() >= kSlack + 2 * static_cast<size_t>(k_)) Cut();
  }
  // What the other one holds, as if its stream had come here.
  void Merge(const BottomK& other);
  // The smallest, at most k, in their order.
  std::vector<RankedRow> Take();

  int64_t k() const { return k_; }

 private:
  static constexpr size_t kSlack = 64;
  void Cut();

  int64_t k_;
  bool is_bounded_ = false;
  RankedRow bound_;  // Of k rows all are at most this.
  std::vector<RankedRow> held_;
};

// Uniform in (0, 1], made of RandomBits().
inline double UnitAboveZero(uint64_t bits) {
  return static_cast<double>((bits >> 11) + 1) * 0x1.0p-53;
}

// Ranks of a draw without replacement in which the next row is always drawn in proportion to the
// scores of those left: -log(U) / score (Efraimidis and Spirakis, Weighted random sampling with a
// reservoir, 2006; the same law as Gumbel's trick). Infinite for a score of zero.
double WeightedRank(double score, uint64_t bits);

// Ranks of such a draw in which a row's score halves with each `half_life` of its age, whatever the
// time is now (Cormode et al., Forward decay, ICDE 2009): log(-log U) - log(2) time / half_life.
// Nothing overflows, however many half-lives lie between two rows. Both in microseconds.
double DecayedRank(int64_t time, int64_t half_life, uint64_t bits);

}  // namespace tidemill::subsets
