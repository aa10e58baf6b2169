#include "cli/results/run_report.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/ranges.h"
#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/results/ledger.h"
#include "cli/results/left_out.h"
#include "cli/results/matrix.h"
#include "cli/results/remarks/graph_warnings.h"
#include "cli/results/remarks/prepared_samples.h"
#include "cli/results/remarks/untrained.h"
#include "cli/results/result_tables.h"
#include "cli/results/run_costs.h"
#include "cli/results/run_json.h"
#include "cli/results/set_values.h"
#include "cli/results/slices_table.h"
#include "cli/results/training_limit.h"
#include "cli/results/worth.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "cli/terminal/tone.h"
#include "supervisor_client/model_change_text.h"
#include "supervisor_client/supervisor_client.h"

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
  std::string text;
  if (const int64_t waiting = run.stream_ended().num_late(); waiting > 0) {
    text = fmt::format("{} samples came late after the last trigger, so none has taken them\n",
                       WithThousands(waiting));
  }
  if (total == 0) return text;
  const std::string& late = run.triggers(0).late();
  const char* fate = late == "accept"   ? "trained on by the next trigger"
                     : late == "window" ? "measured, not trained on"
                                        : "set aside";
  return fmt::format("{} samples came late and were {}{}\n", WithThousands(total), fate,
                     by_trigger) +
         text;
}

// "the training itself" of "12 % of the time waiting for data; limit: the training itself".
std::string CauseOf(const std::string& verdict) {
  constexpr std::string_view kLimit = "limit: ";
  const size_t at = verdict.find(kLimit);
  const std::string cause = at == std::string::npos ? verdict : verdict.substr(at + kLimit.size());
  return cause.substr(0, cause.find(" ("));
}

// "; triggers 3, 17"; empty when they are many.
std::string NamesOf(const std::vector<int64_t>& triggers) {
  constexpr size_t kMaxNamed = 5;
  if (triggers.size() > kMaxNamed) return "";
  return fmt::format(" ({} {})", triggers.size() == 1 ? "trigger" : "triggers",
                     fmt::join(triggers, ", "));
}

// The known limits of trainings, and how many trainings each limited, the most frequent first.
std::string SummariseVerdicts(const v1::GetRunResponse& run, const View& view) {
  std::map<std::string, std::vector<int64_t>> by_cause;
  for (const v1::Trigger& trigger : run.triggers()) {
    if (!trigger.result().verdict().empty())
      by_cause[CauseOf(trigger.result().verdict())].push_back(trigger.number());
  }
  if (by_cause.empty()) return "";
  std::vector<std::pair<std::string, std::vector<int64_t>>> causes(by_cause.begin(),
                                                                   by_cause.end());
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  std::string text = "what limited training:";
  for (const auto& [cause, triggers] : causes) {
    text += fmt::format("{} {} in {}{}", text.back() == ':' ? "" : ";", Printable(cause),
                        triggers.size(), NamesOf(triggers));
  }
  return Wrapped(text, view, 0);
}

// The known limit of the training of each trigger.
std::string ListVerdicts(const v1::GetRunResponse& run) {
  Table table({"TRIGGER", "WHAT LIMITED ITS TRAINING"});
  bool is_known = false;
  for (const v1::Trigger& trigger : run.triggers()) {
    if (trigger.result().verdict().empty()) continue;
    table.Add({std::to_string(trigger.number()), DescribeLimit(trigger.result())});
    is_known = true;
  }
  return is_known ? "\n" + table.ToString() : "";
}

std::string ModelOf(const v1::Trigger& trigger) {
  if (!trigger.skip_reason().empty()) return "none";
  return trigger.model_id() == 0 ? "-" : std::to_string(trigger.model_id());
}

// "4.21", or "4.21 reused" where another trigger has spent them.
std::string SecondsCell(const v1::Trigger& trigger) {
  return fmt::format("{:.2f}{}", SecondsOf(trigger), trigger.has_reused_from() ? " reused" : "");
}

std::vector<std::string> RowOf(const v1::Trigger& trigger) {
  return {std::to_string(trigger.number()),
          FormatTimestampShort({trigger.at().event_time()}),
          WithThousands(trigger.num_samples()),
          ModelOf(trigger),
          SecondsCell(trigger),
          WithThousands(trigger.ledger().num_bad())};
}

// Lists many triggers by the first and the last ones.
std::string ListTriggers(const v1::GetRunResponse& run, const View& view) {
  const std::vector<std::string> header = {"TRIGGER", "AT", "SAMPLES", "MODEL", "SECONDS", "BAD"};
  Table table(header);
  const auto size = static_cast<size_t>(run.triggers_size());
  const bool all = view.full || size <= kMaxListed;
  const size_t left_out = all ? 0 : size - kFirstListed - kLastListed;
  for (size_t i = 0; i < size; ++i) {
    if (all || i < kFirstListed || i >= size - kLastListed) {
      table.Add(RowOf(run.triggers(static_cast<int>(i))));
    } else if (i == kFirstListed) {
      table.Add(std::vector<std::string>(header.size(), "..."));
    }
  }
  std::string text = table.ToString();
  if (left_out > 0) text += fmt::format("  {} more triggers; --full shows all\n", left_out);
  return text;
}

// Where the samples of the training dataset are. They are not mentioned when all of them were used.
std::string DescribeSamples(const v1::GetRunResponse& run, const View& view) {
  if (!run.has_ledger() || run.ledger().num_known() == run.ledger().num_used()) return "";
  return Wrapped(DescribeLedger(run.ledger()), view, 0);
}

// The warnings of the trainings' graphs.
std::string DescribeWarnings(const v1::GetRunResponse& run, const View& view) {
  std::string text;
  for (const std::string& warning : GraphWarningsOf(run)) {
    text += Wrapped("warning: " + Printable(warning), view, 0);
  }
  return text;
}

// How many models were trained before, and why those of other triggers could not be.
std::string DescribeReuse(const v1::GetRunResponse& run, const View& view) {
  int64_t num_reused = 0;
  double seconds = 0;
  std::map<std::string, int64_t> reasons;
  for (const v1::Trigger& trigger : run.triggers()) {
    if (!trigger.why_not_reusable().empty()) ++reasons[trigger.why_not_reusable()];
    if (!trigger.has_reused_from()) continue;
    ++num_reused;
    const auto train = trigger.stage_seconds().find("train");
    if (train != trigger.stage_seconds().end()) seconds += train->second;
  }
  std::string text;
  if (num_reused > 0) {
    text =
        Wrapped(fmt::format("{} of {} models were trained before and are reused; their trainings "
                            "count with the {} that they took then",
                            num_reused, run.triggers_size(), Elapsed(seconds)),
                view, 0);
  }
  for (const auto& [reason, count] : reasons) {
    text +=
        Wrapped(Printable(fmt::format("{} trainings had to be made: {}", count, reason)), view, 0);
  }
  return text;
}

std::string DescribeTriggers(const v1::GetRunResponse& run, const View& view) {
  return ListTriggers(run, view) + DescribeReuse(run, view) + DescribeSamples(run, view) +
         DescribeLate(run) + DescribeLeftOut(run, view) + DescribeWarnings(run, view) +
         (view.full ? ListVerdicts(run) : SummariseVerdicts(run, view));
}

// "run 7 of weather: succeeded, 12 triggers, 3.4 s".
std::string DescribeEnd(const v1::Run& run, const View& view) {
  const std::string state = StateName(run.state());
  std::string text =
      fmt::format("run {} of {}: {}, {} {}", run.run_id(), Printable(run.pipeline_name()),
                  InTone(state, ToneOfState(state), view.paint), run.num_triggers(),
                  run.num_triggers() == 1 ? "trigger" : "triggers");
  if (!run.has_finished_at()) return text + "\n";
  const double seconds =
      static_cast<double>(run.finished_at().seconds() - run.started_at().seconds()) +
      1e-9 * (run.finished_at().nanos() - run.started_at().nanos());
  return text + fmt::format(", {}\n", Elapsed(seconds));
}

absl::StatusOr<v1::GetRunResponse> Fetch(const Session& session, int64_t run, bool with_events) {
  return session.Ask(&supervisor::SupervisorClient::GetRun, RunId{run}, with_events);
}

// "tags: nightly, best" and "note: with more data", a line for each.
std::string DescribeAnnotations(const v1::Run& run, const View& view) {
  std::string text;
  if (!run.tags().empty()) text = fmt::format("tags: {}\n", fmt::join(run.tags(), ", "));
  if (!run.note().empty()) text += Wrapped("note: " + Printable(run.note()), view, 0);
  return text;
}

// "plug-ins: unsure.py:Unsure 1.0 (numpy 1.24.2, python 3.11.2; sandbox: bwrap)", a line for each.
std::string DescribePlugins(const v1::GetRunResponse& run) {
  std::string text;
  for (const v1::RecordedEvent& recorded : run.events()) {
    for (const std::string& plugin : recorded.event().run_started().plugins()) {
      text += fmt::format("{}{}\n", text.empty() ? "plug-ins: " : "          ", Printable(plugin));
    }
    for (const std::string& plugin : recorded.event().plugins_changed().plugins()) {
      text += fmt::format("  later:  {}\n", Printable(plugin));
    }
  }
  return text;
}

ExitCode ExitCodeOf(const v1::GetRunResponse& run) {
  if (run.run().state() != v1::RUN_STATE_SUCCEEDED) return kFailed;
  const bool any_replaced = NumReplacedSelections(run) > 0 || NumReplacedDecisions(run) > 0;
  if (TrainedTooLittle(run) || any_replaced) return kPartial;
  const bool any_lost = AnyLost(run) || !FailuresOf(run).empty();
  return any_lost ? kPartial : kDone;
}

// More of them are listed by `tidemill models changes`.
constexpr int kMaxShown = 5;

// Says which model the pipeline has in use, and lists the changes that the run has caused, the last
// ones where they are many.
std::string DescribeModelUse(const v1::GetRunResponse& run, const View& view) {
  std::string text;
  if (run.has_model_in_use()) {
    const v1::ModelChange& in_use = run.model_in_use();
    text = Wrapped(
        Printable(fmt::format("{} answers with {}, {}", run.run().pipeline_name(),
                              supervisor::ModelText(in_use), supervisor::InUseText(in_use))),
        view, 2);
  }
  // A run that only put its own models to use, one after the other, has said so by its triggers.
  int num_told = 0;
  for (const v1::ModelChange& change : run.model_changes()) {
    if (change.kind() == v1::MODEL_CHANGE_KIND_TRAINED) continue;
    if (++num_told > kMaxShown) break;
    text += Wrapped(Printable(fmt::format("trigger {}: {}", change.caused_by_trigger(),
                                          supervisor::ChangeText(change))),
                    view, 4);
  }
  if (num_told > kMaxShown) {
    text += fmt::format("    `tidemill models changes {}` lists more\n", run.run().pipeline_name());
  }
  return text;
}

}  // namespace

absl::StatusOr<v1::GetRunResponse> FetchRun(const Session& session, int64_t run) {
  return Fetch(session, run, /*with_events=*/false);
}

absl::StatusOr<v1::GetRunResponse> FetchRunWithEvents(const Session& session, int64_t run) {
  return Fetch(session, run, /*with_events=*/true);
}

std::string DescribeRun(const v1::GetRunResponse& run, const View& view) {
  std::string text;
  if (const std::string lost = MuchLost(run); !lost.empty()) {
    text = Wrapped("warning: " + Printable(lost), view, 0) + "\n";
  }
  if (const std::string replaced = DescribeReplacedSelections(run); !replaced.empty()) {
    text += Wrapped("warning: " + replaced, view, 0) + "\n";
  }
  if (const std::string replaced = DescribeReplacedDecisions(run); !replaced.empty()) {
    text += Wrapped("warning: " + replaced, view, 0) + "\n";
  }
  text += DescribeTriggers(run, view);
  const std::string matrices = DrawMatrices(run, view);
  if (!matrices.empty()) text += "\n" + matrices;
  text += DescribeDifferences(run, view);
  text += DescribeImportances(run, view);
  for (const std::string& failure : FailuresOf(run)) text += "  lost: " + Printable(failure) + "\n";
  text += WrappedLines(DescribeBeyondLimits(run), view);
  if (const std::string costs = DescribeCosts(run.run().costs(), view); !costs.empty()) {
    text += "\n" + costs;
  }
  text += "\n" + DescribeEnd(run.run(), view);
  if (!run.run().error().empty()) text += "  " + Printable(run.run().error()) + "\n";
  text += DescribeAnnotations(run.run(), view);
  text += WrappedLines(DescribeAhead(run) + DescribeUntrained(run), view);
  text += WrappedLines(DescribePreparedSamples(run), view);
  text += DescribeSetValues(run);
  text += WrappedLines(DescribeTrial(run.run()), view);
  text += DescribePlugins(run);
  text += DescribeModelUse(run, view);
  if (run.run().state() == v1::RUN_STATE_FAILED) return text;
  return text + Wrapped(Printable(Headline(run, ResultTables(run))), view, 2);
}

int PrintRun(const Session& session, int64_t run, bool json, bool full) {
  const auto response = FetchRunWithEvents(session, run);
  if (!response.ok()) return Report(response.status());
  if (json) {
    fmt::print("{}\n", RunToJson(*response).dump());
  } else {
    fmt::print("{}", DescribeRun(*response, ViewOf(STDOUT_FILENO, full)));
  }
  return ExitCodeOf(*response);
}

}  // namespace tidemill::cli
