#include "preprocess/client/arrivals.h"

#include <utility>

namespace tidemill::preprocess {

bool Arrivals::Add(BatchMessage message, const std::optional<Origin>& origin) {
  const int64_t number = message.number;
  if (number < done_before_ || number >= end_) return false;
  return waiting_.try_emplace(number, Arrival{std::move(message), origin}).second;
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
