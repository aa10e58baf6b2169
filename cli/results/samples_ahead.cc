#include "cli/results/samples_ahead.h"

#include "fmt/format.h"

#include "base/time.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {

std::string DescribeAhead(const supervisor::v1::GetRunResponse& run) {
  if (!run.has_samples_ahead()) return "";
  const supervisor::v1::SamplesAhead& ahead = run.samples_ahead();
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

void AddAhead(const supervisor::v1::GetRunResponse& run, nlohmann::ordered_json& json) {
  if (!run.has_samples_ahead()) return;
  const supervisor::v1::SamplesAhead& ahead = run.samples_ahead();
  json["ahead"] = {{"samples", ahead.num_samples()},
                   {"first", FormatTimestamp({ahead.first_event_time()})}};
  if (ahead.has_reached_event_time()) {
    json["ahead"]["reached"] = FormatTimestamp({ahead.reached_event_time()});
  }
}

}  // namespace tidemill::cli
