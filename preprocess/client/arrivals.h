// Keeps track of a lane: which batches have arrived, which are handed on next, and how far the
// consumer is.
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

// The order in which batches are handed on.
enum class Delivery {
  kOrdered,  // Ordered by number.
  kRelaxed,  // As they come.
};

// The consumer's end of the guarantees. With EXACTLY_ONCE, a batch that arrives twice is dropped
// the second time. With AT_LEAST_ONCE, it is handed on a second time. With AT_MOST_ONCE, the
// batches that the dispatcher reports as lost are given up, and dropped if they arrive after all.
// Holds what has arrived and was not taken. Memory is that of the window of batches that may be on
// their way, however many were taken before. Thread-compatible.
class Arrivals {
 public:
  // Covers the batches [first, end), except the done ones, which lie beyond `first`.
  Arrivals(int64_t first, int64_t end, v1::Guarantee guarantee, Delivery delivery,
           const std::vector<int64_t>& done = {});

  // Adds a batch that has arrived. Returns false when it is dropped: it arrived before, was given
  // up, or is not of this lane.
  bool Add(BatchMessage message);

  // Gives up the batches [from, to), which will not arrive.
  void GiveUp(int64_t from, int64_t to);

  // Returns the next batch to hand on, if it has arrived.
  std::optional<BatchMessage> Take();

  // Whether all batches are taken or given up.
  bool ended() const { return done_before_ == end_ && repeated_.empty(); }
  // All batches before this one are taken or given up. An ordered consumer waits for this one.
  int64_t done_before() const { return done_before_; }
  // Returns the batches from done_before() on that are taken or given up, too.
  std::vector<int64_t> DoneBeyond() const;

  int64_t num_dropped() const { return num_dropped_; }
  int64_t num_given_up() const { return num_given_up_; }
  // The number of batches that have arrived and were not taken.
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
  // The numbers of `waiting_` in the order of arrival. For kRelaxed only.
  std::deque<int64_t> arrival_order_;
  // For AT_LEAST_ONCE: batches that arrived again after they were taken.
  std::deque<BatchMessage> repeated_;
  int64_t num_dropped_ = 0;
  int64_t num_given_up_ = 0;
};

}  // namespace tidemill::preprocess
