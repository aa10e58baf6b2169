// The samples from which a selection policy chooses.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "config/config.h"

namespace tidemill::selector {

// Which samples of the stream a policy chooses from.
enum class Pool { kNew, kAll };

// The candidates of a trigger.
struct CandidatePool {
  Pool over = Pool::kNew;
  std::optional<int64_t> tail = std::nullopt;

  void Fields(auto&& field) {
    field("over", over,
          "Which samples are candidates: those since the previous trigger, or all so far.");
    field("tail", tail,
          "Instead of `over`: the samples of this trigger and of this many triggers before it; 0 "
          "for this trigger alone.",
          {.min = 0, .max = 1e6, .example = "3"});
  }
  void Check(config::Problems& problems) const {
    if (tail && over == Pool::kAll) {
      problems.Add("tail", "contradicts `over: all`", "leave one out");
    }
  }
};

}  // namespace tidemill::selector

template <>
struct tidemill::config::EnumNames<tidemill::selector::Pool> {
  static constexpr std::pair<tidemill::selector::Pool, std::string_view> kNames[] = {
      {tidemill::selector::Pool::kNew, "new"}, {tidemill::selector::Pool::kAll, "all"}};
};
