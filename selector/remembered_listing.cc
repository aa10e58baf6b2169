#include "selector/remembered_listing.h"

#include <utility>

#include "batch/slice.h"

namespace tidemill::selector {

std::shared_ptr<const RememberedListings::Listing> RememberedListings::Find(const Listing& wanted) {
  MutexLock lock(mutex_);
  std::shared_ptr<const Listing> found;
  std::vector<std::shared_ptr<const Listing>> others;
  for (std::shared_ptr<const Listing>& listing : kept_) {
    if (listing->dataset == wanted.dataset && listing->snapshot != wanted.snapshot) {
      bytes_ -= listing->bytes;
    } else if (listing->request == wanted.request) {
      found = std::move(listing);
    } else {
      others.push_back(std::move(listing));
    }
  }
  kept_ = std::move(others);
  if (found != nullptr) kept_.push_back(found);
  return found;
}

bool RememberedListings::Reserve(int64_t bytes) {
  MutexLock lock(mutex_);
  while (bytes_ + bytes > most_bytes_ && !kept_.empty()) {
    bytes_ -= kept_.front()->bytes;
    kept_.erase(kept_.begin());
  }
  if (bytes_ + bytes > most_bytes_) return false;
  bytes_ += bytes;
  return true;
}

void RememberedListings::Release(int64_t bytes) {
  MutexLock lock(mutex_);
  bytes_ -= bytes;
}

void RememberedListings::Keep(Listing listing) {
  MutexLock lock(mutex_);
  for (const std::shared_ptr<const Listing>& kept : kept_) {
    if (kept->request != listing.request) continue;
    bytes_ -= listing.bytes;
    return;
  }
  kept_.push_back(std::make_shared<const Listing>(std::move(listing)));
}

absl::Status RememberedListings::List(const SampleLister& list_samples,
                                      const storage::v1::ListSamplesRequest& request,
                                      const std::function<absl::Status(batch::Batch)>& sink) {
  if (!request.where().empty()) return list_samples(request, sink);
  Listing listing{.request = request.SerializeAsString(),
                  .snapshot = request.snapshot().SerializeAsString(),
                  .dataset = request.snapshot().dataset_id()};
  if (const std::shared_ptr<const Listing> known = Find(listing)) {
    for (const batch::Batch& rows : known->rows) RETURN_IF_ERROR(sink(rows));
    return absl::OkStatus();
  }
  bool has_room = true;
  const absl::Status listed = list_samples(request, [&](batch::Batch rows) {
    const int64_t bytes = batch::BytesOf(rows);
    has_room = has_room && Reserve(bytes);
    if (has_room) {
      listing.bytes += bytes;
      listing.rows.push_back(rows);
    } else {
      listing.rows.clear();
    }
    return sink(std::move(rows));
  });
  if (listed.ok() && has_room) {
    Keep(std::move(listing));
  } else {
    Release(listing.bytes);
  }
  return listed;
}

}  // namespace tidemill::selector
