// Listings that are read twice and asked for once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "selector/candidate_listing.h"

namespace tidemill::selector {

// A selection passes over its candidates once to choose, and a second time to summarise what it
// chose. The rows come from storage, which takes most of the time of both. The rows of complete
// listings are kept, together up to a number of bytes, and an equal request is answered from them.
// A listing that has no room is read from storage again. Thread-compatible.
class RememberedListing {
 public:
  // `list_samples` must outlive this object.
  RememberedListing(const SampleLister& list_samples, int64_t most_bytes)
      : list_samples_(list_samples), most_bytes_(most_bytes) {}

  // As SampleLister.
  absl::Status List(const storage::v1::ListSamplesRequest& request,
                    const std::function<absl::Status(batch::Batch)>& sink);

 private:
  const SampleLister& list_samples_;
  const int64_t most_bytes_;
  std::map<std::string, std::vector<batch::Batch>> kept_;  // By serialised request.
  int64_t kept_bytes_ = 0;
};

}  // namespace tidemill::selector
