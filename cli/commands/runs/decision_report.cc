#include "cli/commands/runs/decision_report.h"

#include <cmath>
#include <map>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/printable.h"
#include "base/time.h"
#include "cli/terminal/text.h"
#include "config/printed/abridged.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using nlohmann::ordered_json;

std::string ShortTimeOf(const rpc::v1::Cut& cut) {
  return FormatTimestampShort({cut.event_time()});
}

std::string Number(double value) {
  if (std::abs(value) < 1e15 && (value == std::floor(value) || std::abs(value) >= 1000)) {
    return WithThousands(std::llround(value));
  }
  return fmt::format("{:.4g}", value);
}

// A setting; lengths of time are kept in seconds.
std::string SettingOf(const std::string& key, double value) {
  const bool is_length = key.ends_with("every") || key.ends_with("accepted_delay");
  return is_length ? Elapsed(value) : Number(value);
}

// "trigger 4 of run 7 (elec2) fired at 2026-01-31".
std::string Headline(const v1::GetDecisionResponse& response) {
  const v1::Decision& decision = response.decision();
  const std::string run = fmt::format("run {} ({})", response.run().run_id(),
                                      Printable(response.run().pipeline_name()));
  if (decision.fired()) {
    return fmt::format("Trigger {} of {} fired at {}", decision.trigger(), run,
                       ShortTimeOf(decision.at()));
  }
  return fmt::format("{} did not retrain at {}", run, ShortTimeOf(decision.at()));
}

std::string SinceWhen(const v1::GetDecisionResponse& response) {
  const std::string come = WithThousands(response.decision().num_new()) +
                           (response.decision().num_new() == 1 ? " sample" : " samples");
  if (!response.has_trigger_before()) {
    return fmt::format("  {} had come since the beginning of the stream.\n", come);
  }
  return fmt::format("  {} had come since trigger {} at {}.\n", come,
                     response.trigger_before().trigger(),
                     ShortTimeOf(response.trigger_before().at()));
}

// The members of an ensemble, one a line, their own members below them.
std::string DescribeVotes(const v1::Verdict& verdict, int depth) {
  std::string text;
  for (const v1::Verdict& member : verdict.members()) {
    std::string vote = "no";
    if (member.has_voted_at()) vote = "yes";
    text += fmt::format("{:{}}{:3}  {:9} {}", "", 2 * depth, vote, member.policy(),
                        Printable(member.text()));
    if (member.has_voted_at() && member.passed_over()) {
      text += fmt::format(", given at {}", ShortTimeOf(member.voted_at()));
    }
    text += "\n" + DescribeVotes(member, depth + 3);
  }
  return text;
}

std::string DescribeNearest(const v1::Verdict& verdict) {
  if (!verdict.has_nearest()) return "";
  const v1::Change& nearest = verdict.nearest();
  const std::string from = SettingOf(nearest.key(), nearest.from());
  const std::string to = SettingOf(nearest.key(), nearest.to());
  if (verdict.fired()) {
    const char* side = nearest.to() < nearest.from() ? "below" : "above";
    return fmt::format("  It would not have fired with `{}` {} {}{}.\n", nearest.key(), side, to,
                       from == to ? "" : " (it is " + from + ")");
  }
  return fmt::format("  It would have fired with `{}` at {} (it is {}).\n", nearest.key(), to,
                     from);
}

std::string DescribeMargin(const v1::Verdict& verdict) {
  // The sentence has already listed the votes.
  if (!verdict.has_comparison() || verdict.members_size() > 0) return "";
  const v1::Comparison& compared = verdict.comparison();
  const double margin = compared.value() - compared.threshold();
  if (margin == 0) return "";
  const bool is_time = compared.unit() == "seconds";
  const auto figure = [&](double value) { return is_time ? Elapsed(value) : Number(value); };
  // The names are a plug-in's, perhaps.
  const std::string unit =
      is_time || compared.unit().empty() ? "" : " " + Printable(compared.unit());
  return fmt::format("  {}: {}, {} {} than the {} that fire.\n", Printable(compared.quantity()),
                     figure(compared.value()) + unit, figure(std::abs(margin)),
                     margin < 0 ? "less" : "more", figure(compared.threshold()));
}

// How the requested time relates to the decision that is shown.
std::string DescribePlace(const v1::GetDecisionResponse& response,
                          const v1::GetDecisionRequest& request) {
  if (request.which_case() != v1::GetDecisionRequest::kEventTime ||
      response.decision().at().event_time() == request.event_time()) {
    return "";
  }
  return fmt::format("The last decision by {}:\n", FormatTimestampShort({request.event_time()}));
}

std::string DescribeNext(const v1::GetDecisionResponse& response) {
  if (response.decision().fired() || !response.has_next()) return "";
  const v1::Decision& next = response.next();
  const std::string answer =
      next.fired() ? fmt::format("trigger {} fired", next.trigger()) : "again no";
  return fmt::format("  The next decision was at {}: {}.\n", ShortTimeOf(next.at()), answer);
}

// The state when the stream ended, before the policy would have decided again.
std::string DescribeEnd(const v1::StreamEnded& ended) {
  const bool one = ended.num_leftover() == 1;
  std::string text = fmt::format("  The stream ended with {} {} that no trigger has trained on",
                                 WithThousands(ended.num_leftover()), one ? "sample" : "samples");
  if (!ended.standing().empty()) text += ": " + Printable(ended.standing());
  return text + ".\n";
}

// The outcome of the decision, if it differs from its purpose.
std::string DescribeOutcome(const v1::GetDecisionResponse& response) {
  std::string text;
  if (!response.skip_reason().empty()) {
    text += fmt::format("  The trigger was skipped: {}. No other model came into use.\n",
                        Printable(response.skip_reason()));
  }
  const v1::StreamEnded& ended = response.stream_ended();
  if (response.has_stream_ended() && ended.num_leftover() > 0) text += DescribeEnd(ended);
  return text;
}

// The decision is a function of these versions, too.
std::string DescribePlugins(const v1::GetDecisionResponse& response) {
  std::string text;
  for (const std::string& plugin : response.plugins()) {
    text += fmt::format("{}{}", text.empty() ? "  With the plug-in " : "; ", Printable(plugin));
  }
  return text.empty() ? "" : text + ".\n";
}

// For a run whose stream ended before its policy decided once.
std::string DescribeNoDecision(const v1::GetDecisionResponse& response) {
  return fmt::format("Run {} ({}) made no decision: no trigger fired, and nothing was trained.\n{}",
                     response.run().run_id(), Printable(response.run().pipeline_name()),
                     DescribeEnd(response.stream_ended()));
}

std::string Capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
  return text;
}

ordered_json CutToJson(const rpc::v1::Cut& cut) {
  return {{"event_time", FormatTimestamp({cut.event_time()})}, {"key", cut.sample_key()}};
}

ordered_json VerdictToJson(const v1::Verdict& verdict) {
  ordered_json json = {{"policy", verdict.policy()},
                       {"fired", verdict.fired()},
                       {"text", verdict.text()},
                       {"observed", std::map<std::string, double>(verdict.observed().begin(),
                                                                  verdict.observed().end())}};
  if (verdict.has_comparison()) {
    const v1::Comparison& compared = verdict.comparison();
    json["quantity"] = compared.quantity();
    json["value"] = compared.value();
    json["threshold"] = compared.threshold();
    json["margin"] = compared.value() - compared.threshold();
    json["unit"] = compared.unit();
  }
  if (verdict.has_fault()) {
    json["fault"] = verdict.fault().what();
  }
  if (verdict.has_nearest()) {
    json["nearest"] = {{"key", verdict.nearest().key()},
                       {"from", verdict.nearest().from()},
                       {"to", verdict.nearest().to()}};
  }
  for (const v1::Verdict& member : verdict.members()) {
    ordered_json vote = VerdictToJson(member);
    vote["decided_here"] = !member.passed_over();
    vote["voted_at"] = member.has_voted_at() ? CutToJson(member.voted_at()) : ordered_json(nullptr);
    json["members"].push_back(std::move(vote));
  }
  return json;
}

const char* CauseName(v1::DecisionCause cause) {
  switch (cause) {
    case v1::DECISION_CAUSE_REQUEST:
      return "request";
    case v1::DECISION_CAUSE_NOTHING_NEW:
      return "nothing_new";
    default:
      return "policy";
  }
}

// Adds nothing if the stream continues, or if an earlier decision than the last was asked for.
void AddEnd(const v1::GetDecisionResponse& response, ordered_json& json) {
  if (!response.has_stream_ended()) return;
  json["end_of_stream"] = {{"untrained_samples", response.stream_ended().num_leftover()},
                           {"standing", response.stream_ended().standing()}};
}

}  // namespace

std::string DescribeDecision(const v1::GetDecisionResponse& response,
                             const v1::GetDecisionRequest& request) {
  if (!response.has_decision()) return DescribeNoDecision(response);
  const v1::Decision& decision = response.decision();
  const v1::Verdict& verdict = decision.verdict();
  std::string text = DescribePlace(response, request);
  text += fmt::format("{}: {}.\n", Capital(Headline(response)), Printable(verdict.text()));
  text += DescribeVotes(verdict, 2);
  text += SinceWhen(response);
  if (decision.cause() == v1::DECISION_CAUSE_UNSPECIFIED) {
    text += DescribeMargin(verdict) + DescribeNearest(verdict);
  }
  return text + DescribeOutcome(response) + DescribeNext(response) + DescribePlugins(response);
}

ordered_json DecisionToJson(const v1::GetDecisionResponse& response) {
  if (!response.has_decision()) {
    ordered_json none = {{"run", response.run().run_id()},
                         {"pipeline", response.run().pipeline_name()},
                         {"decision", nullptr},
                         {"fired", false},
                         {"policy", config::AbridgedDocument(response.policy())}};
    AddEnd(response, none);
    return none;
  }
  const v1::Decision& decision = response.decision();
  ordered_json json = {
      {"run", response.run().run_id()},
      {"pipeline", response.run().pipeline_name()},
      {"decision", decision.number()},
      {"at", CutToJson(decision.at())},
      {"fired", decision.fired()},
      {"trigger", decision.fired() ? ordered_json(decision.trigger()) : ordered_json(nullptr)},
      {"cause", CauseName(decision.cause())},
      {"samples", decision.num_samples()},
      {"new_samples", decision.num_new()},
      {"evaluation_seconds", decision.seconds()},
      {"verdict", VerdictToJson(decision.verdict())},
      {"policy", config::AbridgedDocument(response.policy())},
      {"plugins", response.plugins()}};
  if (response.has_trigger_before()) {
    json["trigger_before"] = {{"trigger", response.trigger_before().trigger()},
                              {"at", CutToJson(response.trigger_before().at())}};
  }
  if (response.has_next()) {
    json["next"] = {{"decision", response.next().number()},
                    {"at", CutToJson(response.next().at())},
                    {"fired", response.next().fired()}};
  }
  if (!response.skip_reason().empty()) json["skip_reason"] = response.skip_reason();
  AddEnd(response, json);
  return json;
}

}  // namespace tidemill::cli
