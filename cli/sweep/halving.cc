#include "cli/sweep/halving.h"

#include <algorithm>

#include "base/check.h"

namespace tidemill::cli {

std::vector<Rung> RungsOf(size_t num_settings, int64_t first, std::optional<int64_t> most) {
  TIDEMILL_CHECK(first >= 1);
  std::vector<Rung> rungs;
  int64_t effort = first;
  while (num_settings > 1 && (!most || effort < *most)) {
    rungs.push_back({.effort = effort, .num_settings = num_settings});
    num_settings /= 2;
    effort *= 2;
  }
  rungs.push_back({.effort = std::nullopt, .num_settings = num_settings});
  return rungs;
}

int64_t FirstEffort(size_t num_settings, int64_t most) {
  int64_t first = most;
  for (; num_settings > 1 && first > 1; num_settings /= 2) first /= 2;
  return std::max<int64_t>(first, 1);
}

std::vector<Ranked> Rank(std::span<const Ranked> settings, bool lower_is_better) {
  std::vector<Ranked> ranked(settings.begin(), settings.end());
  std::ranges::stable_sort(ranked, [&](const Ranked& one, const Ranked& other) {
    if (!one.value || !other.value) return one.value.has_value() && !other.value.has_value();
    return lower_is_better ? *one.value < *other.value : *one.value > *other.value;
  });
  return ranked;
}

std::vector<size_t> Survivors(std::span<const Ranked> settings, bool lower_is_better, size_t keep) {
  std::vector<size_t> survivors;
  for (const Ranked& ranked : Rank(settings, lower_is_better)) {
    if (survivors.size() == keep || !ranked.value) break;
    survivors.push_back(ranked.setting);
  }
  std::ranges::sort(survivors);
  return survivors;
}

}  // namespace tidemill::cli
