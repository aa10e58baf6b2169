#include "cli/results/remarks/untrained.h"

#include <algorithm>

#include "fmt/format.h"

#include "base/printable.h"
#include "base/time.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;

// This many skipped triggers are named; the others are counted.
constexpr int64_t kMaxNamed = 10;

bool IsSkipped(const v1::Trigger& trigger) { return !trigger.skip_reason().empty(); }

int64_t NumSkipped(const v1::GetRunResponse& run) {
  return std::count_if(run.triggers().begin(), run.triggers().end(), IsSkipped);
}

// The stream has ended, and nothing fired.
bool NeverFired(const v1::GetRunResponse& run) {
  return run.has_stream_ended() && run.triggers().empty();
}

std::string Standing(const v1::GetRunResponse& run) {
  const std::string& standing = run.stream_ended().standing();
  return standing.empty() ? "" : ": " + Printable(standing);
}

std::string NoTrigger(const v1::GetRunResponse& run) {
  return "no trigger fired, so nothing was trained" + Standing(run);
}

std::string Leftover(const v1::GetRunResponse& run) {
  const int64_t left = run.stream_ended().num_leftover();
  return fmt::format("{} {} after the last trigger {} not trained on{}", WithThousands(left),
                     left == 1 ? "sample" : "samples", left == 1 ? "was" : "were", Standing(run));
}

}  // namespace

bool TrainedTooLittle(const v1::GetRunResponse& run) {
  return NumSkipped(run) > 0 || NeverFired(run);
}

std::string DescribeUntrained(const v1::GetRunResponse& run) {
  std::string text;
  int64_t num_named = 0;
  for (const v1::Trigger& trigger : run.triggers()) {
    if (!IsSkipped(trigger) || ++num_named > kMaxNamed) continue;
    text += fmt::format("  warning: trigger {} was skipped: {}\n", trigger.number(),
                        Printable(trigger.skip_reason()));
  }
  if (num_named > kMaxNamed) {
    text += fmt::format("  warning: {} more triggers were skipped; see --json\n",
                        num_named - kMaxNamed);
  }
  if (NeverFired(run)) {
    text += fmt::format("  warning: {}\n", NoTrigger(run));
  } else if (run.stream_ended().num_leftover() > 0) {
    text += fmt::format("  {}\n", Leftover(run));
  }
  return text;
}

std::string UntrainedInBrief(const v1::GetRunResponse& run) {
  if (NeverFired(run)) return NoTrigger(run);
  std::string text;
  const int64_t num_skipped = NumSkipped(run);
  if (num_skipped > 0) {
    const auto first = std::find_if(run.triggers().begin(), run.triggers().end(), IsSkipped);
    text =
        num_skipped == 1
            ? fmt::format("trigger {} was skipped: {}", first->number(), first->skip_reason())
            : fmt::format("{} of {} triggers were skipped, the first, {}, because of {}",
                          num_skipped, run.triggers_size(), first->number(), first->skip_reason());
  }
  if (run.stream_ended().num_leftover() == 0) return text;
  return text + (text.empty() ? "" : "; ") + Leftover(run);
}

int64_t NumReplacedSelections(const v1::GetRunResponse& run) {
  int64_t count = 0;
  for (const v1::RecordedEvent& recorded : run.events()) {
    if (recorded.event().has_selection_faulted()) ++count;
  }
  return count;
}

std::string DescribeReplacedSelections(const v1::GetRunResponse& run) {
  const int64_t count = NumReplacedSelections(run);
  for (const v1::RecordedEvent& recorded : run.events()) {
    if (!recorded.event().has_selection_faulted()) continue;
    return fmt::format(
        "{} of {} selections were made in place of those of the plug-in, which failed: {}", count,
        run.triggers_size(), Printable(recorded.event().selection_faulted().fault().what()));
  }
  return "";
}

int64_t NumReplacedDecisions(const v1::GetRunResponse& run) {
  int64_t count = 0;
  for (const v1::RecordedEvent& recorded : run.events()) {
    count += recorded.event().policy_faulted().num_decisions();
  }
  return count;
}

std::string DescribeReplacedDecisions(const v1::GetRunResponse& run) {
  const int64_t count = NumReplacedDecisions(run);
  for (const v1::RecordedEvent& recorded : run.events()) {
    if (!recorded.event().has_policy_faulted()) continue;
    return fmt::format("{} {} made as `on_fault` says, because the plug-in failed: {}",
                       WithThousands(count), count == 1 ? "decision was" : "decisions were",
                       Printable(recorded.event().policy_faulted().fault().what()));
  }
  return "";
}

void AddReplaced(const v1::GetRunResponse& run, nlohmann::ordered_json& json) {
  json["num_replaced_selections"] = NumReplacedSelections(run);
  json["num_replaced_decisions"] = NumReplacedDecisions(run);
}

void AddUntrained(const v1::GetRunResponse& run, nlohmann::ordered_json& json) {
  json["num_skipped_triggers"] = NumSkipped(run);
  if (!run.has_stream_ended()) return;
  json["end_of_stream"] = {{"untrained_samples", run.stream_ended().num_leftover()},
                           {"standing", run.stream_ended().standing()}};
}

std::string DescribeAhead(const v1::GetRunResponse& run) {
  if (!run.has_samples_ahead()) return "";
  const v1::SamplesAhead& ahead = run.samples_ahead();
  std::string text = fmt::format("  warning: {} {} ahead of the others, the first at {}",
                                 WithThousands(ahead.num_samples()),
                                 ahead.num_samples() == 1 ? "sample is" : "samples are",
                                 FormatTimestampShort({ahead.first_event_time()}));
  if (ahead.has_reached_event_time()) {
    text += fmt::format(" where these have reached {}",
                        FormatTimestampShort({ahead.reached_event_time()}));
  }
  return text + "; they wait, and do not move the clock (`live.ahead`)\n";
}

void AddAhead(const v1::GetRunResponse& run, nlohmann::ordered_json& json) {
  if (!run.has_samples_ahead()) return;
  const v1::SamplesAhead& ahead = run.samples_ahead();
  json["ahead"] = {{"samples", ahead.num_samples()},
                   {"first", FormatTimestamp({ahead.first_event_time()})}};
  if (ahead.has_reached_event_time()) {
    json["ahead"]["reached"] = FormatTimestamp({ahead.reached_event_time()});
  }
}

}  // namespace tidemill::cli
