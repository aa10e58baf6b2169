#include "evaluator/windows/short_reason.h"

#include <algorithm>

namespace tidemill::evaluator {

std::string ShortReason(const absl::Status& status) {
  constexpr size_t kMaxBytes = 600;
  std::string reason(status.message());
  if (reason.size() > kMaxBytes) reason = reason.substr(0, kMaxBytes - 3) + "...";
  std::replace_if(
      reason.begin(), reason.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return reason;
}

}  // namespace tidemill::evaluator
