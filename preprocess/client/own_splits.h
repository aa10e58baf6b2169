// The splits of a lane that its consumer makes itself while workers make the others.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tidemill::preprocess {

// The dispatcher issues splits that begin before the window's end. The consumer takes splits after
// it, and reports them before the window reaches them, so that nothing is made twice:
//
//   batch     0  .  .  .  4  .  .  .  8  .  .  .  12 .  .  .  16 .  .  .
//             #  #  #     [  issued to workers  ] [ own split ] [ own ...
//                      ^                          ^
//             reported done_before        done_before + window
//
// The further ahead the consumer takes a split, the longer its batches wait. Therefore it holds at
// most as many batches as the window has. Thread-compatible.
class OwnSplits {
 public:
  // A lane ends before batch `end`. Splits begin at the multiples of `split_batches`, which is at
  // least 1.
  OwnSplits(int64_t end, int64_t split_batches, int64_t window)
      : end_(end), split_(split_batches), window_(window) {}

  // Takes the next split, as its batches [from, to). `reported` is the done_before of the last
  // report to the dispatcher, delivered or not. `done_before` is the consumer's progress now.
  // Returns std::nullopt when enough splits are held, or none is left.
  std::optional<std::pair<int64_t, int64_t>> Take(int64_t reported, int64_t done_before);

  // Returns the first batch of each held split that ends after `done_before`, ascending. The other
  // ones are forgotten.
  std::vector<int64_t> Held(int64_t done_before);

 private:
  const int64_t end_;
  const int64_t split_;
  const int64_t window_;
  int64_t next_ = 0;  // Splits before it are held, or may be issued.
  std::set<int64_t> held_;
};

}  // namespace tidemill::preprocess
