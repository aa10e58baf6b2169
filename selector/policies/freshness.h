// How a mix of fresh and used samples is made up.
#pragma once

#include <cstdint>
#include <optional>

namespace tidemill::selector {

struct Mix {
  int64_t num_fresh = 0;
  int64_t num_used = 0;
  friend bool operator==(const Mix&, const Mix&) = default;
};

// The largest mix of which the share `fresh`, in (0, 1), is fresh, of at most `limit` samples. When
// there are none of one kind, all of the other, up to the limit.
Mix MixOf(int64_t num_fresh, int64_t num_used, double fresh, std::optional<int64_t> limit);

}  // namespace tidemill::selector
