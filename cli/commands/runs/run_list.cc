#include "cli/commands/runs/run_list.h"

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line/list_flags.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/runs/run_entry.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "cli/terminal/view.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;

const std::vector<std::pair<std::string, v1::RunState>> kStates = {
    {"running", v1::RUN_STATE_RUNNING},
    {"succeeded", v1::RUN_STATE_SUCCEEDED},
    {"failed", v1::RUN_STATE_FAILED},
    {"stopped", v1::RUN_STATE_STOPPED}};

const std::vector<std::pair<std::string, v1::RunOrder>> kKeys = {
    {"run", v1::RUN_ORDER_RUN},           {"pipeline", v1::RUN_ORDER_PIPELINE},
    {"state", v1::RUN_ORDER_STATE},       {"started", v1::RUN_ORDER_STARTED},
    {"duration", v1::RUN_ORDER_DURATION}, {"triggers", v1::RUN_ORDER_TRIGGERS},
    {"samples", v1::RUN_ORDER_SAMPLES},   {"score", v1::RUN_ORDER_SCORE}};

template <typename Value>
std::vector<std::string> WordsOf(const std::vector<std::pair<std::string, Value>>& named) {
  std::vector<std::string> words;
  for (const auto& [word, value] : named) words.push_back(word);
  return words;
}

template <typename Value>
Value ValueOf(const std::vector<std::pair<std::string, Value>>& named, const std::string& wanted) {
  for (const auto& [word, value] : named) {
    if (word == wanted) return value;
  }
  return named.front().second;
}

v1::ListRunsRequest RequestOf(const ListFlags& flags) {
  v1::ListRunsRequest request;
  request.set_pipeline_name(flags.pipeline);
  for (const std::string& state : flags.states) request.add_states(ValueOf(kStates, state));
  request.mutable_tags()->Add(flags.tags.begin(), flags.tags.end());
  request.set_order(ValueOf(kKeys, flags.SortKey()));
  request.set_descending(flags.IsDescending(/*by_default=*/true));
  request.set_limit(flags.limit);
  request.set_with_scores(true);
  return request;
}

// What the list lacks.
void PrintNotes(const v1::ListRunsResponse& listed) {
  PrintToStderr(DescribeLeftOut(listed.num_left_out()));
  if (listed.num_unscored() > 0) {
    PrintToStderr(fmt::format("{} without a score: {}\n", WithThousands(listed.num_unscored()),
                              Printable(listed.why_unscored())));
  }
  for (const v1::Run& run : listed.runs()) {
    if (!run.score().is_of_last_model()) continue;
    PrintToStderr("* no model was in use in any window: the score is that of the last model\n");
    return;
  }
}

int List(GlobalFlags global, ListFlags flags) {
  const absl::Status settled = SettleListFlags(WordsOf(kStates), global, flags);
  if (!settled.ok()) return ReportUsage(std::string(settled.message()));
  return WithSession(global, [&](const Session& session) -> int {
    const auto listed = session.Ask(&supervisor::SupervisorClient::FindRuns, RequestOf(flags));
    if (!listed.ok()) return Report(listed.status());
    const double now =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    std::vector<ListEntry> entries;
    for (const v1::Run& run : listed->runs()) entries.push_back(EntryOf(run, now));
    fmt::print("{}", DescribeList(RunColumns(), entries, FormatNamed(flags.format)));
    if (!global.quiet) PrintNotes(*listed);
    return kDone;
  });
}

}  // namespace

void AddRunListCommand(Command& runs) {
  Command& list = runs.AddSubcommand(
      "list", "List runs with their scores beside those of rules without a model");
  static ListFlags flags;
  AddListFlags(list, flags, "runs", WordsOf(kStates), WordsOf(kKeys));
  SetAction(list, [](const GlobalFlags& global) { return List(global, flags); });
  list.AddExample("tidemill runs list --pipeline elec2 --only failed");
  list.AddExample("tidemill runs list --tag nightly --sort -score -o csv");
}

}  // namespace tidemill::cli
