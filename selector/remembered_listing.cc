#include "selector/remembered_listing.h"

#include <utility>

#include "batch/slice.h"

namespace tidemill::selector {

absl::Status RememberedListing::List(const storage::v1::ListSamplesRequest& request,
                                     const std::function<absl::Status(batch::Batch)>& sink) {
  std::string asked = request.SerializeAsString();
  if (const auto known = kept_.find(asked); known != kept_.end()) {
    for (const batch::Batch& rows : known->second) RETURN_IF_ERROR(sink(rows));
    return absl::OkStatus();
  }
  std::vector<batch::Batch> listed;
  int64_t bytes = kept_bytes_;
  RETURN_IF_ERROR(list_samples_(request, [&](batch::Batch rows) {
    bytes += batch::BytesOf(rows);
    if (bytes <= most_bytes_) {
      listed.push_back(rows);
    } else {
      listed.clear();
    }
    return sink(std::move(rows));
  }));
  if (bytes > most_bytes_) return absl::OkStatus();
  kept_bytes_ = bytes;
  kept_.emplace(std::move(asked), std::move(listed));
  return absl::OkStatus();
}

}  // namespace tidemill::selector
