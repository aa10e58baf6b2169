#include "subsets/draws/quotas.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"

namespace tidemill::subsets {
namespace {

// Gives one more to `count` of the groups that have more than their share, those with the smallest
// bits.
void GiveOneMore(std::span<const int64_t> counts, int64_t count, const RandomKey& random,
                 std::span<const int64_t> ids, std::vector<int64_t>& quotas) {
  struct Group {
    uint64_t bits;
    int64_t id;
    size_t index;
  };
  std::vector<Group> groups;
  for (size_t i = 0; i < counts.size(); ++i) {
    const int64_t id = ids.empty() ? static_cast<int64_t>(i) : ids[i];
    if (counts[i] > quotas[i]) groups.push_back({RandomBits(random, id), id, i});
  }
  std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return a.bits != b.bits ? a.bits < b.bits : a.id < b.id;
  });
  const auto given = static_cast<size_t>(std::min(count, std::ssize(groups)));
  for (size_t i = 0; i < given; ++i) ++quotas[groups[i].index];
}

}  // namespace

int64_t FairShare(std::span<const int64_t> counts, int64_t capacity) {
  std::vector<int64_t> sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end());
  int64_t left = std::max<int64_t>(capacity, 0);
  int64_t share = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const auto groups = static_cast<int64_t>(sorted.size() - i);
    // Not sorted[i] * groups <= left, which may overflow.
    if (sorted[i] > left / groups) return left / groups;
    left -= sorted[i];
    share = sorted[i];
  }
  return share;
}

std::vector<int64_t> Quotas(QuotaRule rule, std::span<const int64_t> counts, int64_t capacity,
                            const RandomKey& random, std::span<const int64_t> ids) {
  TIDEMILL_CHECK(ids.empty() || ids.size() == counts.size());
  int64_t share = FairShare(counts, capacity);
  if (rule == QuotaRule::kEqual) {
    for (const int64_t count : counts) {
      if (count > 0) share = std::min(share, count);
    }
  }
  std::vector<int64_t> quotas(counts.size());
  int64_t left = std::max<int64_t>(capacity, 0);
  for (size_t i = 0; i < counts.size(); ++i) {
    quotas[i] = std::min(share, counts[i]);
    left -= quotas[i];
  }
  if (rule == QuotaRule::kExact) GiveOneMore(counts, left, random, ids, quotas);
  return quotas;
}

}  // namespace tidemill::subsets
