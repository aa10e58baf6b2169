// Decides how many samples are taken from each of several groups.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/numbers/random.h"

namespace tidemill::subsets {

// Returns the greatest whole number F with sum(min(F, count)) <= `capacity`; at most the greatest
// count. O(C log C).
int64_t FairShare(std::span<const int64_t> counts, int64_t capacity);

enum class QuotaRule {
  kFair,   // min(F, count) from each group.
  kExact,  // As kFair, and one more from some groups above F until `capacity` is met, if it can be.
  kEqual,  // The same number from each group that has any: F, or the size of the smallest one.
};

// Returns how many samples each group gives. Under kExact, RandomBits() of `ids` decides which
// groups give one more. There is one id per group (empty means the groups' numbers), so the result
// does not depend on their order.
std::vector<int64_t> Quotas(QuotaRule rule, std::span<const int64_t> counts, int64_t capacity,
                            const RandomKey& random, std::span<const int64_t> ids = {});

}  // namespace tidemill::subsets
