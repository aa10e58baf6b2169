// How many samples each of several groups gives.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"

namespace tidemill::subsets {

// The greatest whole number F for which sum(min(F, count)) is at most `capacity`, and at most the
// greatest count. O(C log C).
int64_t FairShare(std::span<const int64_t> counts, int64_t capacity);

enum class QuotaRule {
  kFair,   // min(F, count) of each group.
  kExact,  // As kFair, and one more of some groups above F until `capacity` is met, if it can be.
  kEqual,  // The same of each group that has any: F, or as many as the smallest one has.
};

// How many each group gives. Which groups give one more under kExact is decided by RandomBits() of
// `ids`, one a group (none: the groups' numbers), so it does not depend on their order.
std::vector<int64_t> Quotas(QuotaRule rule, std::span<const int64_t> counts, int64_t capacity,
                            const RandomKey& random, std::span<const int64_t> ids = {});

}  // namespace tidemill::subsets
