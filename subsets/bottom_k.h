// Keeps the k rows with the smallest ranks of a stream, in O(k) memory. If ranks are functions of a
// row's id and a random stream, this is the base of every draw of a fixed size. The same rows are
// then drawn, however the stream is cut into pieces and parts, and in whatever order these are
// merged (bottom-k sketches, Cohen and Kaplan, PODC 2007).
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
  int64_t id = 0;     // The name of the row in the random stream: a key or an ordinal.
  int64_t row = 0;    // The place of the row.
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
  // Adds what the other one holds, as if its stream had come here.
  void Merge(const BottomK& other);
  // Returns the smallest rows, at most k, in their order.
  std::vector<RankedRow> Take();

  int64_t k() const { return k_; }

 private:
  static constexpr size_t kSlack = 64;
  void Cut();

  int64_t k_;
  bool is_bounded_ = false;
  RankedRow bound_;  // When there are k rows, none exceeds this.
  std::vector<RankedRow> held_;
};

// Returns a number that is uniform in (0, 1], from RandomBits().
inline double UnitAboveZero(uint64_t bits) {
  return static_cast<double>((bits >> 11) + 1) * 0x1.0p-53;
}

// Returns the rank for a draw without replacement in which the next row is always drawn in
// proportion to the scores of the remaining rows: -log(U) / score (Efraimidis and Spirakis,
// Weighted random sampling with a reservoir, 2006; the same law as Gumbel's trick). It is infinite
// for a score of zero.
double WeightedRank(double score, uint64_t bits);

// Returns the rank for such a draw in which the score of a row halves with each `half_life` of its
// age, whatever the present time is: log(-log U) - log(2) time / half_life (Cormode et al., Forward
// decay, ICDE 2009). Nothing overflows, however many half-lives lie between two rows. Both times
// are in microseconds.
double DecayedRank(int64_t time, int64_t half_life, uint64_t bits);

}  // namespace tidemill::subsets
