#include <cctype>
#include <cstdio>
#include <optional>
#include <string>

#include "nlohmann/json.hpp"

#include "cli/command_line/action.h"
#include "cli/command_line/names.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/runs/commands.h"
#include "cli/commands/runs/decision_report.h"
#include "cli/results/remarks/kept_samples.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "cli/terminal/time_flag.h"
#include "supervisor_client/model_change_json.h"
#include "supervisor_client/model_change_text.h"
#include "supervisor_client/model_use_client.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

struct WhyFlags {
  std::string which;
  std::string at;
};

// "12", "12/3", "latest".
absl::StatusOr<supervisor::v1::GetDecisionRequest> DecisionRequestOf(const Session& session,
                                                                     const WhyFlags& flags) {
  ASSIGN_OR_RETURN(const auto at, TimeOf("--at", flags.at));
  ASSIGN_OR_RETURN(const RunTrigger place, FindRunTrigger(session, flags.which));
  supervisor::v1::GetDecisionRequest request;
  request.set_run_id(place.run);
  if (place.trigger && at) {
    return InvalidArgument("--at can be used only with a run, not with a trigger");
  }
  if (place.trigger) request.set_trigger(*place.trigger);
  if (at) request.set_event_time(at->micros);
  return request;
}

// How the training that the decision fired changed the model in use; std::nullopt when there was no
// training, or no record of a change.
absl::StatusOr<std::optional<supervisor::v1::ModelChange>> ChangeAfter(
    const Session& session, const supervisor::v1::GetDecisionResponse& found) {
  const int64_t trigger = found.decision().trigger();
  if (trigger == 0) return std::optional<supervisor::v1::ModelChange>();
  ASSIGN_OR_RETURN(const auto listed, session.Ask(&supervisor::ModelUseClient::ListOfRun,
                                                  RunId{found.run().run_id()}, 0));
  for (const supervisor::v1::ModelChange& change : listed.changes()) {
    if (change.caused_by_trigger() == trigger) return std::optional(change);
  }
  return std::optional<supervisor::v1::ModelChange>();
}

// What the training that the decision fired decided about keeping prepared samples; std::nullopt
// when it decided nothing, or when the trigger took the model of an earlier training.
absl::StatusOr<std::optional<rpc::v1::PreparedSummary>> KeptBy(
    const Session& session, const supervisor::v1::GetDecisionResponse& found) {
  const int64_t trigger = found.decision().trigger();
  if (trigger == 0) return std::optional<rpc::v1::PreparedSummary>();
  ASSIGN_OR_RETURN(const auto run, session.Ask(&supervisor::SupervisorClient::GetRun,
                                               RunId{found.run().run_id()}, false));
  for (const supervisor::v1::Trigger& fired : run.triggers()) {
    if (fired.number() != trigger || fired.has_reused_from()) continue;
    if (fired.result().has_prepared()) return std::optional(fired.result().prepared());
  }
  return std::optional<rpc::v1::PreparedSummary>();
}

std::string Capitalised(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(text.front()));
  return text + ".";
}

// A sentence, and the points that were compared.
std::string DescribeCacheDecision(const rpc::v1::PreparedSummary& kept) {
  const std::string text = DescribeKeptSamples(kept);
  if (text.empty()) return "";
  return Printable(Capitalised(text)) + "\n" + DescribeComparedPoints(kept);
}

int Why(const GlobalFlags& flags, const WhyFlags& why) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto request = DecisionRequestOf(session, why);
    if (!request.ok()) return Report(request.status());
    const auto found = session.Ask(&supervisor::SupervisorClient::GetDecision, *request);
    if (!found.ok()) return Report(found.status());
    const auto change = ChangeAfter(session, *found);
    if (!change.ok()) return Report(change.status());
    const auto kept = KeptBy(session, *found);
    if (!kept.ok()) return Report(kept.status());
    if (flags.json) {
      auto json = DecisionToJson(*found);
      if (*kept) json["prepared"] = KeptSamplesToJson(**kept);
      if (*change) json["model_change"] = supervisor::ModelChangeToJson(**change);
      fmt::print("{}\n", json.dump());
    } else {
      fmt::print("{}", DescribeDecision(*found, *request));
      if (*change) fmt::print("{}\n", Printable(Capitalised(supervisor::ChangeText(**change))));
      if (*kept) fmt::print("{}", DescribeCacheDecision(**kept));
    }
    return kDone;
  });
}

}  // namespace

void AddWhyCommand(Command& app) {
  Command& why = app.AddSubcommand(
      "why", "Explain why a trigger fired, or why none did: the last decision of a run by default");
  static WhyFlags flags;
  why.AddOption("run", flags.which, "A run, or a trigger of it such as 12/3 or latest/3")
      .Required()
      .TypeName("RUN");
  why.AddOption("--at", flags.at, "The decision that counted at this event time").TypeName("TIME");
  SetAction(why, [](const GlobalFlags& global) { return Why(global, flags); });
  why.AddExample("tidemill why 12");
  why.AddExample("tidemill why 12/3");
  why.AddExample("tidemill why 12 --at 2026-01-31T08:00:00Z");
}

}  // namespace tidemill::cli
