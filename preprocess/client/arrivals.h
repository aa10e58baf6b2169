// Which batches of a lane have come, which are handed on next, and how far the consumer is.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "preprocess/transport/batch_message.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// In which order batches are handed on.
enum class Delivery {
  kOrdered,  // By number.
  kRelaxed,  // As they come.
};

// The consumer's end of the guarantees. With EXACTLY_ONCE what comes a second time is dropped, with
// AT_LEAST_ONCE it is handed on a second time, with AT_MOST_ONCE batches are given up that the
// dispatcher says are lost, and dropped should they come after all. Holds what has come and not
// been taken. Memory is that of the window of batches that may be under way, whatever has been
// taken before. Thread-compatible.
class Arrivals {
 public:
  // Of batches [first, end) but for those that are done, which lie beyond `first`.
  Arrivals(int64_t first, int64_t end, v1::Guarantee guarantee, Delivery delivery,
           const std::vector<int64_t>& done = {});

  // A batch has come. Returns false when it is dropped: had before, given up, or none of the
  // lane's.
  bool Add(BatchMessage message);

  // Batches [from, to) will not come.
  void GiveUp(int64_t from, int64_t to);

  // The next to hand on, if it is there.
  std::optional<BatchMessage> Take();

  // All batches are taken or given up.
  bool ended() const { return done_before_ == end_ && repeated_.empty(); }
  // All batches before it are taken or given up; the one that an ordered consumer waits for.
  int64_t done_before() const { return done_before_; }
  // Those from done_before() on that are taken or given up, too.
  std::vector<int64_t> DoneBeyond() const;

  int64_t num_dropped() const { return num_dropped_; }
  int64_t num_given_up() const { return num_given_up_; }
  // Batches that have come and not been taken.
  int64_t num_waiting() const { return static_cast<int64_t>(waiting_.size() + repeated_.size()); }

 private:
  bool IsDone(int64_t number) const;
  void MarkDone(int64_t number);

  const int64_t end_;
  const v1::Guarantee guarantee_;
  const Delivery delivery_;
  int64_t done_before_;
  std::set<int64_t> done_beyond_;
  std::map<int64_t, BatchMessage> waiting_;
  std::deque<int64_t> arrival_order_;  // Numbers of `waiting_` as they came; kRelaxed only.
  std::deque<BatchMessage> repeated_;  // AT_LEAST_ONCE: come again after they were taken.
  int64_t num_dropped_ = 0;
  int64_t num_given_up_ = 0;
};

}  // namespace tidemill::preprocess
