// The samples from which a selection policy chooses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/config.h"

namespace tidemill::selector {

// Which samples of the stream a policy chooses from.
enum class Pool { kNew, kAll };

inline constexpr std::string_view kWhereDoc =
    "An expression over the records, @time and @label (docs/guides/columns.md). Only samples for "
    "which it is true are candidates. One that reads only @time and @label costs no reading.";
inline constexpr config::Limits kWhereLimits = {.example = "\"price > 0\""};

// Notes a mistake in the text of an expression.
void CheckWhere(const std::optional<std::string>& where, config::Problems& problems);

// The candidates of a trigger.
struct CandidatePool {
  Pool over = Pool::kNew;
  std::optional<int64_t> tail = std::nullopt;
  std::optional<std::string> where = std::nullopt;

  void Fields(auto&& field) {
    field("over", over,
          "Which samples are candidates: those since the previous trigger, or all so far.");
    field("tail", tail,
          "Instead of `over`: the samples of this trigger and of this many triggers before it; 0 "
          "for this trigger alone.",
          {.min = 0, .max = 1e6, .example = "3"});
    field("where", where, kWhereDoc, kWhereLimits);
  }
  void Check(config::Problems& problems) const {
    if (tail && over == Pool::kAll) {
      problems.Add("tail", "contradicts `over: all`", "leave one out");
    }
    CheckWhere(where, problems);
  }
};

}  // namespace tidemill::selector

template <>
struct tidemill::config::EnumNames<tidemill::selector::Pool> {
  static constexpr std::pair<tidemill::selector::Pool, std::string_view> kNames[] = {
      {tidemill::selector::Pool::kNew, "new"}, {tidemill::selector::Pool::kAll, "all"}};
};
