#include "cli/commands/why.h"

#include <cstdio>

#include "nlohmann/json.hpp"

#include "cli/command_line/action.h"
#include "cli/command_line/with_session.h"
#include "cli/results/decision_report.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/time_flag.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::cli {
namespace {

struct WhyFlags {
  std::string which;
  std::string at;
};

// "12" or "12/3".
absl::StatusOr<supervisor::v1::GetDecisionRequest> DecisionRequestOf(const WhyFlags& flags) {
  supervisor::v1::GetDecisionRequest request;
  const size_t slash = flags.which.find('/');
  const auto run = config::ParseCount(flags.which.substr(0, slash));
  if (!run.ok()) return InvalidArgument("'{}' is neither RUN nor RUN/TRIGGER", flags.which);
  request.set_run_id(*run);
  if (slash != std::string::npos) {
    const auto trigger = config::ParseCount(flags.which.substr(slash + 1));
    if (!trigger.ok()) return InvalidArgument("'{}' is neither RUN nor RUN/TRIGGER", flags.which);
    if (!flags.at.empty()) return InvalidArgument("--at goes with a run, not with a trigger");
    request.set_trigger(*trigger);
  }
  ASSIGN_OR_RETURN(const auto at, TimeOf("--at", flags.at));
  if (at) request.set_event_time(at->micros);
  return request;
}

int Why(const GlobalFlags& flags, const WhyFlags& why) {
  return WithSession(flags, DecisionRequestOf(why),
                     [&](const Session& session, const auto& request) -> int {
                       supervisor::v1::GetDecisionResponse response;
                       const absl::Status status = session.Call<supervisor::v1::SupervisorService>(
                           "supervisor", &supervisor::v1::SupervisorService::Stub::GetDecision,
                           request, &response);
                       if (!status.ok()) return Report(status);
                       fmt::print("{}", flags.json ? DecisionToJson(response).dump() + "\n"
                                                   : DescribeDecision(response, request));
                       return kDone;
                     });
}

}  // namespace

void AddWhyCommand(Command& app) {
  Command& why = app.AddSubcommand(
      "why", "Explain why a trigger fired, or why none did: the last decision of a run by default");
  static WhyFlags flags;
  why.AddOption("run", flags.which, "A run, or a trigger of it such as 12/3")
      .Required()
      .TypeName("RUN");
  why.AddOption("--at", flags.at, "The decision that counted at this event time").TypeName("TIME");
  SetAction(why, [](const GlobalFlags& global) { return Why(global, flags); });
}

}  // namespace tidemill::cli
