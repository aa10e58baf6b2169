#include "preprocess/client/arrivals.h"

#include <algorithm>
#include <utility>

namespace tidemill::preprocess {

Arrivals::Arrivals(int64_t first, int64_t end, v1::Guarantee guarantee, Delivery delivery,
                   const std::vector<int64_t>& done)
    : end_(end), guarantee_(guarantee), delivery_(delivery), done_before_(std::min(first, end)) {
  for (const int64_t number : done) MarkDone(number);
}

bool Arrivals::IsDone(int64_t number) const {
  return number < done_before_ || done_beyond_.contains(number);
}

void Arrivals::MarkDone(int64_t number) {
  if (IsDone(number)) return;
  done_beyond_.insert(number);
  while (!done_beyond_.empty() && *done_beyond_.begin() == done_before_) {
    done_beyond_.erase(done_beyond_.begin());
    ++done_before_;
  }
}

bool Arrivals::Add(BatchMessage message) {
  const int64_t number = message.number;
  const bool is_again = IsDone(number) || waiting_.contains(number);
  if (number < 0 || number >= end_ || (is_again && guarantee_ != v1::GUARANTEE_AT_LEAST_ONCE)) {
    ++num_dropped_;
    return false;
  }
  if (is_again) {
    repeated_.push_back(std::move(message));
    return true;
  }
  waiting_.emplace(number, std::move(message));
  if (delivery_ == Delivery::kRelaxed) arrival_order_.push_back(number);
  return true;
}

void Arrivals::GiveUp(int64_t from, int64_t to) {
  // What came in time is not a loss.
  for (int64_t number = std::max(from, done_before_); number < std::min(to, end_); ++number) {
    if (IsDone(number) || waiting_.contains(number)) continue;
    MarkDone(number);
    ++num_given_up_;
  }
}

std::optional<BatchMessage> Arrivals::Take() {
  if (!repeated_.empty()) {
    std::optional<BatchMessage> again(std::move(repeated_.front()));
    repeated_.pop_front();
    return again;
  }
  if (waiting_.empty()) return std::nullopt;
  auto next = waiting_.begin();
  if (delivery_ == Delivery::kOrdered) {
    if (next->first != done_before_) return std::nullopt;
  } else {
    next = waiting_.find(arrival_order_.front());
    arrival_order_.pop_front();
  }
  std::optional<BatchMessage> taken(std::move(next->second));
  waiting_.erase(next);
  MarkDone(taken->number);
  return taken;
}

std::vector<int64_t> Arrivals::DoneBeyond() const {
  return {done_beyond_.begin(), done_beyond_.end()};
}

}  // namespace tidemill::preprocess
