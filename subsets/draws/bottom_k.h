// Keeps the k rows with the smallest ranks of a stream, in O(k) memory. If ranks are functions of a
// row's id and a random stream, this is the base of every draw of a fixed size. The same rows are
// then drawn for every division of the stream into pieces and parts, and for every order in which
// these are merged (bottom-k sketches, Cohen and Kaplan, PODC 2007).
//   id      17    4    9   23    8          rank = a function of the id and a seed
//   rank   .31  .90  .07  .52  .15   k = 2
//   held              .07       .15         these two, whichever order the rows come in
//
//   part A holds {.31, .07}, part B holds {.15, .52}  -> merged: {.07, .15}
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/numbers/random.h"

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
  explicit BottomK(int64_t k) : k_(k) { TIDEMILL_CHECK(k >= 0); }

  void Add(const RankedRow& row) {
    if (is_bounded_ && !(row < bound_)) return;
    held_.push_back(row);
    if (held_.size() >= kSlack + 2 * static_cast<size_t>(k_)) Cut();
  }
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

// Returns the rank for such a draw in which the score of a row halves with each `half_life` of its
// age, whatever the current time is: log(-log U) - log(2) time / half_life (Cormode et al., Forward
// decay, ICDE 2009). Nothing overflows, however many half-lives are between two rows. Both times
// are in microseconds.
double DecayedRank(int64_t time, int64_t half_life, uint64_t bits);

}  // namespace tidemill::subsets
