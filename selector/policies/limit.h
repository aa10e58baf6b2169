// A limit on how many of its candidates a policy chooses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "config/config.h"
#include "selector/choosing/policy.h"

namespace tidemill::selector {

// Which samples a limit keeps.
enum class LimitBy { kLatest, kUniform };

inline int64_t AtMost(std::optional<int64_t> limit, int64_t available) {
  return std::min(available, limit.value_or(available));
}

// Chooses all candidates, or those that the limit keeps. For `into`, see ChooserFor() in chooser.h.
std::unique_ptr<Chooser> MakeLimitedChooser(std::optional<int64_t> limit, LimitBy by,
                                            const RandomKey& random, const Workplace& workplace,
                                            TrainingSetWriter& into);

}  // namespace tidemill::selector

template <>
struct tidemill::config::EnumNames<tidemill::selector::LimitBy> {
  static constexpr std::pair<tidemill::selector::LimitBy, std::string_view> kNames[] = {
      {tidemill::selector::LimitBy::kLatest, "latest"},
      {tidemill::selector::LimitBy::kUniform, "uniform"}};
};
