// Listings of candidates that are read again and asked for once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "batch/batch.h"
#include "selector/candidate_listing.h"

namespace tidemill::selector {

// A selection passes over its candidates once to choose, and a second time to summarise what it
// chose. Another selection may choose from the same candidates: those of another seed, policy or
// setting on the same data. The rows come from storage, which takes most of the time of each pass.
//
// The rows of complete listings are kept, together up to a number of bytes, and an equal request is
// answered from them. A request names its snapshot, so that equal requests have equal answers; one
// with a condition, which reads records, is not kept. The listing that was used least recently
// makes room for another, and a dataset's listings end when it is asked about in another snapshot.
// Thread-safe.
class RememberedListings {
 public:
  explicit RememberedListings(int64_t most_bytes) : most_bytes_(most_bytes) {}

  // Calls `list_samples` with the request, or answers as it did before.
  absl::Status List(const SampleLister& list_samples,
                    const storage::v1::ListSamplesRequest& request,
                    const std::function<absl::Status(batch::Batch)>& sink)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Listing {
    std::string request;   // Serialised.
    std::string snapshot;  // Serialised.
    int64_t dataset = 0;
    std::vector<batch::Batch> rows = {};
    int64_t bytes = 0;
  };

  // Returns nullptr when it is not kept. Ends the listings of other snapshots of the dataset.
  std::shared_ptr<const Listing> Find(const Listing& wanted) ABSL_LOCKS_EXCLUDED(mutex_);
  // Makes room for more bytes of a listing, or returns false.
  bool Reserve(int64_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  void Release(int64_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  // Its bytes are reserved. When an equal listing was kept meanwhile, that one stays.
  void Keep(Listing listing) ABSL_LOCKS_EXCLUDED(mutex_);

  const int64_t most_bytes_;
  Mutex mutex_;
  // Those used most recently are the last.
  std::vector<std::shared_ptr<const Listing>> kept_ ABSL_GUARDED_BY(mutex_);
  int64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // Kept and reserved bytes.
};

}  // namespace tidemill::selector
