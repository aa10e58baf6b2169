// The `replay` and `live` sections of a pipeline: which part of its dataset a run uses, and whether
// it continues with data that arrives later.
//
//   replay: {from: 2010-01-01, to: 2020-01-01}
//   live: {lateness: 10m, late: window}
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "base/time.h"
#include "config/config.h"

namespace tidemill::supervisor {

struct ReplaySpec {
  std::optional<Timestamp> from;
  std::optional<Timestamp> to;

  void Fields(auto&& field) {
    field("from", from,
          "Earlier samples have no part in the run: neither triggers, selection nor the evaluation "
          "of the dataset that is trained on see them.",
          {.example = "2010-01-01"});
    field("to", to,
          "Later samples, and those at that time, fire no trigger and are not trained on; the "
          "models are evaluated on them all the same.",
          {.example = "2020-01-01"});
  }
  void Check(config::Problems& problems) const {
    if (from && to && *from >= *to) problems.Add("to", "is not after from", "exchange them");
  }
};

enum class LiveClock { kEvent, kWall };
enum class LatePolicy { kAccept, kWindow, kQuarantine };

struct LiveSpec {
  static constexpr std::string_view kDoc =
      "Follows the dataset until the run is stopped, instead of ending where the dataset ends.";
  LiveClock clock = LiveClock::kEvent;
  Duration lateness{10'000'000};
  LatePolicy late = LatePolicy::kAccept;
  Duration idle{60'000'000};
  Duration poll{1'000'000};

  void Fields(auto&& field) {
    field("clock", clock,
          "What time it is in the stream: event, the greatest event time seen; wall, the time of "
          "day. Triggers see the samples before the clock less `lateness`.");
    field("lateness", lateness,
          "How much a sample may lag behind the clock and still be taken in order.", {.min = 0});
    field("late", late,
          "What is done with samples that lie before the last trigger and arrive after it: accept, "
          "the next trigger trains on them; window, they only count in evaluations; quarantine, "
          "they are set aside. They are counted and recorded in any case.");
    field("idle", idle,
          "With `clock: event`, how long after the last new sample `lateness` no longer holds back "
          "those that are there.",
          {.min = 0});
    field("poll", poll, "How often the dataset is looked at.", {.min = 0.001});
  }
};

}  // namespace tidemill::supervisor

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::LiveClock> {
  static constexpr std::pair<tidemill::supervisor::LiveClock, std::string_view> kNames[] = {
      {tidemill::supervisor::LiveClock::kEvent, "event"},
      {tidemill::supervisor::LiveClock::kWall, "wall"}};
};

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::LatePolicy> {
  static constexpr std::pair<tidemill::supervisor::LatePolicy, std::string_view> kNames[] = {
      {tidemill::supervisor::LatePolicy::kAccept, "accept"},
      {tidemill::supervisor::LatePolicy::kWindow, "window"},
      {tidemill::supervisor::LatePolicy::kQuarantine, "quarantine"}};
};

namespace tidemill::supervisor {

// Returns the name in the pipeline.
constexpr std::string_view NameOf(LatePolicy late) {
  for (const auto& [policy, name] : config::EnumNames<LatePolicy>::kNames) {
    if (policy == late) return name;
  }
  return "";
}

}  // namespace tidemill::supervisor
