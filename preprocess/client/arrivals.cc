#include "preprocess/client/arrivals.h"

#include <utility>

namespace tidemill::preprocess {

bool Arrivals::Add(BatchMessage message, const std::optional<Origin>& origin) {
  const int64_t number = message.number;
  if (number < done_before_ || number >= end_ || waiting_.contains(number)) {
    ++num_dropped_;
    return false;
  }
  waiting_.emplace(number, Arrival{.message = std::move(message), .origin = origin});
  return true;
}

std::optional<Arrivals::Arrival> Arrivals::Take() {
  const auto next = waiting_.begin();
  if (next == waiting_.end() || next->first != done_before_) return std::nullopt;
  std::optional<Arrival> taken(std::move(next->second));
  waiting_.erase(next);
  ++done_before_;
  return taken;
}

}  // namespace tidemill::preprocess
