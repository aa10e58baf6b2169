#include "preprocess/client/inbox.h"

#include <utility>

namespace tidemill::preprocess {

bool WholeBatches::Add(BatchMessage message, const std::optional<Origin>& origin) {
  const int64_t number = message.number;
  if (!arrivals_.Add(std::move(message))) return false;
  if (origin) origins_[number] = *origin;
  return true;
}

absl::StatusOr<std::optional<Inbox::Taken>> WholeBatches::Take() {
  std::optional<BatchMessage> message = arrivals_.Take();
  if (!message) return std::optional<Taken>();
  Taken taken{.batch = place_(message->number)};
  taken.batch.rows = std::move(message->rows);
  taken.batch.num_skipped = message->num_skipped;
  taken.batch.num_filtered = message->num_filtered;
  taken.batch.reason = std::move(message->reason);
  const auto origin = origins_.extract(message->number);
  if (!origin.empty()) taken.origins.push_back(origin.mapped());
  return std::optional<Taken>(std::move(taken));
}

}  // namespace tidemill::preprocess
