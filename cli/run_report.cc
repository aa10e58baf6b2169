#include "cli/run_report.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/exit_codes.h"
#include "cli/matrix.h"
#include "cli/run_json.h"
#include "cli/text.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;

double SecondsOf(const v1::Trigger& trigger) {
  double seconds = 0;
  for (const auto& [stage, spent] : trigger.stage_seconds()) seconds += spent;
  return seconds;
}

// How many samples of a live run came late, by trigger, and what became of them.
std::string DescribeLate(const v1::GetRunResponse& run) {
  int64_t total = 0;
  std::string by_trigger;
  for (const v1::Trigger& trigger : run.triggers()) {
    if (trigger.num_late() == 0) continue;
    total += trigger.num_late();
    by_trigger += fmt::format("{} {} for trigger {}", by_trigger.empty() ? ":" : ",",
                              WithThousands(trigger.num_late()), trigger.number());
  }
  if (total == 0) return "";
  const std::string& late = run.triggers(0).late();
  const char* fate = late == "accept"   ? "trained on by the next trigger"
                     : late == "window" ? "measured, not trained on"
                                        : "set aside";
  return fmt::format("{} samples came late and were {}{}\n", WithThousands(total), fate,
                     by_trigger);
}

// What limited the training of each trigger, as far as it is known.
std::string DescribeVerdicts(const v1::GetRunResponse& run) {
  Table table({"TRIGGER", "WHAT LIMITED ITS TRAINING"});
  bool is_known = false;
  for (const v1::Trigger& trigger : run.triggers()) {
    if (trigger.verdict().empty()) continue;
    table.Add({std::to_string(trigger.number()), trigger.verdict()});
    is_known = true;
  }
  return is_known ? "\n" + table.ToString() : "";
}

std::string DescribeTriggers(const v1::GetRunResponse& run) {
  Table table({"TRIGGER", "AT", "SAMPLES", "MODEL", "SECONDS", "SKIPPED"});
  for (const v1::Trigger& trigger : run.triggers()) {
    table.Add({std::to_string(trigger.number()), FormatTimestampShort({trigger.at().event_time()}),
               WithThousands(trigger.num_samples()),
               trigger.model_id() == 0 ? "-" : std::to_string(trigger.model_id()),
               fmt::format("{:.2f}", SecondsOf(trigger)), std::to_string(trigger.num_skipped())});
  }
  return table.ToString() + DescribeLate(run) + DescribeVerdicts(run);
}

absl::StatusOr<v1::GetRunResponse> Fetch(const Session& session, int64_t run, bool with_events) {
  v1::GetRunRequest request;
  request.set_run_id(run);
  request.set_with_events(with_events);
  v1::GetRunResponse response;
  RETURN_IF_ERROR(session.Call<v1::SupervisorService>(
      "supervisor", &v1::SupervisorService::Stub::GetRun, request, &response));
  return response;
}

ExitCode ExitCodeOf(const v1::GetRunResponse& run) {
  if (run.run().state() != v1::RUN_STATE_SUCCEEDED) return kFailed;
  const auto lost = [](const v1::EvaluationValue& value) { return !value.failure().empty(); };
  const auto& values = run.evaluations();
  return std::any_of(values.begin(), values.end(), lost) ? kPartial : kDone;
}

}  // namespace

absl::StatusOr<v1::GetRunResponse> FetchRun(const Session& session, int64_t run) {
  return Fetch(session, run, /*with_events=*/false);
}

absl::StatusOr<v1::GetRunResponse> FetchRunWithEvents(const Session& session, int64_t run) {
  return Fetch(session, run, /*with_events=*/true);
}

std::string DescribeRun(const v1::GetRunResponse& run, bool paint) {
  std::string text = DescribeTriggers(run);
  const std::string matrices = DrawMatrices(run, paint);
  if (!matrices.empty()) text += "\n" + matrices;
  std::set<std::string> failures;
  for (const v1::EvaluationValue& value : run.evaluations()) {
    if (!value.failure().empty()) failures.insert(value.failure());
  }
  for (const std::string& failure : failures) text += "  lost: " + Printable(failure) + "\n";
  text += fmt::format("\nrun {} of {}: {}, {} triggers", run.run().run_id(),
                      Printable(run.run().pipeline_name()), StateName(run.run().state()),
                      run.run().num_triggers());
  if (run.run().has_finished_at()) {
    const double seconds =
        static_cast<double>(run.run().finished_at().seconds() - run.run().started_at().seconds()) +
        1e-9 * (run.run().finished_at().nanos() - run.run().started_at().nanos());
    text += fmt::format(", {}", Elapsed(seconds));
  }
  text += "\n";
  if (!run.run().error().empty()) text += "  " + Printable(run.run().error()) + "\n";
  return text;
}

int PrintRun(const Session& session, int64_t run, bool json) {
  const auto response = FetchRun(session, run);
  if (!response.ok()) return Report(response.status());
  if (json) {
    fmt::print("{}\n", RunToJson(*response).dump());
  } else {
    fmt::print("{}", DescribeRun(*response, IsTerminal(STDOUT_FILENO)));
  }
  return ExitCodeOf(*response);
}

}  // namespace tidemill::cli
