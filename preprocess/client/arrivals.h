// Keeps track of a lane: the batches that have arrived, the next batch to deliver, and the progress
// of the consumer.
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

// The order in which batches are delivered.
enum class Delivery {
  kOrdered,  // Ordered by number.
  kRelaxed,  // As they arrive.
};

// The consumer's end of the guarantees. With EXACTLY_ONCE, a batch that arrives twice is dropped
// the second time. With AT_LEAST_ONCE, it is delivered a second time. With AT_MOST_ONCE, the
// batches that the dispatcher reports as lost are given up, and dropped if they arrive later. Holds
// the batches that have arrived and were not taken. Memory is bounded by the window of batches in
// flight, however many were taken before. Thread-compatible.
class Arrivals {
 public:
  // Covers the batches [first, end), except the done ones beyond `first`.
  Arrivals(int64_t first, int64_t end, v1::Guarantee guarantee, Delivery delivery,
           const std::vector<int64_t>& done = {});

  // Adds a batch that has arrived. Returns false when it is dropped: it arrived before, was given
  // up, or is not of this lane.
  bool Add(BatchMessage message);

  // Gives up the batches [from, to), which will not arrive.
  void GiveUp(int64_t from, int64_t to);

  // Returns the next batch to deliver, if it has arrived.
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
