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
#include "base/times/clock_time.h"
#include "config/config.h"

namespace tidemill::supervisor {

struct ReplaySpec {
  std::optional<ClockTime> from;
  std::optional<ClockTime> to;

  void Fields(auto&& field) {
    field("from", from,
          "Earlier samples take no part in the run. The triggers, the selection and the evaluation "
          "of the training dataset do not see them.",
          {.example = "2010-01-01"});
    field("to", to,
          "Samples at or after this time fire no trigger and are not trained on. The models are "
          "still evaluated on them.",
          {.example = "2020-01-01"});
  }
  void Check(config::Problems& problems) const {
    if (from && to && *from >= *to) problems.Add("to", "is not after `from`", "exchange them");
  }
};

enum class LiveClock { kEvent, kWall };
enum class LatePolicy { kAccept, kWindow, kQuarantine };

struct LiveSpec {
  static constexpr std::string_view kDoc =
      "Follows the dataset until the run is stopped. The run does not end where the dataset ends.";
  LiveClock clock = LiveClock::kEvent;
  Duration lateness{10'000'000};
  LatePolicy late = LatePolicy::kAccept;
  Duration idle{60'000'000};
  std::optional<Duration> ahead;
  Duration poll{1'000'000};

  void Fields(auto&& field) {
    field("clock", clock,
          "The clock of the stream. event: the greatest event time seen, without that of samples "
          "that are ahead of the others. wall: the time of day. Triggers see the samples before "
          "the clock minus `lateness`.");
    field("lateness", lateness,
          "How far a sample may be behind the clock and still be taken in order.", {.min = 0});
    field("late", late,
          "What to do with samples that belong before the last trigger but arrive after it. "
          "accept: the next trigger trains on them. window: they count only in evaluations. "
          "quarantine: they are set aside. They are always counted and recorded.");
    field("idle", idle,
          "With `clock: event`: how long after the last new sample `lateness` stops holding back "
          "the samples that have arrived.",
          {.min = 0});
    field("ahead", ahead,
          "With `clock: event`, 1h by default: how far a few samples may be ahead of the others, "
          "or of the time of day, and still move the clock. Those further ahead wait, and are "
          "reported, until five of them are there and more of them have come than of others.",
          {.min = 0, .example = "2h"});
    field("poll", poll, "How often to look at the dataset.", {.min = 0.001});
  }
  void Check(config::Problems& problems) const {
    if (ahead && clock == LiveClock::kWall) {
      problems.Add("ahead", "has no effect with `clock: wall`, which no sample moves",
                   "leave it out, or use clock: event");
    }
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

// Returns `ahead` or its default.
constexpr Duration EffectiveAhead(const LiveSpec& live) {
  return live.ahead.value_or(Duration{3'600'000'000});
}

// Returns the name in the pipeline.
constexpr std::string_view NameOf(LatePolicy late) {
  for (const auto& [policy, name] : config::EnumNames<LatePolicy>::kNames) {
    if (policy == late) return name;
  }
  return "";
}

}  // namespace tidemill::supervisor
