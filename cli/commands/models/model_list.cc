#include "cli/commands/models/model_list.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fmt/ranges.h"

#include "base/time.h"
#include "cli/command_line/list_flags.h"
#include "cli/command_line/names.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/models/model_json.h"
#include "cli/commands/models/model_score.h"
#include "cli/results/run_report.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/list_text.h"
#include "cli/terminal/text.h"
#include "cli/terminal/view.h"
#include "model_store/client/model_store_client.h"
#include "supervisor_client/model_change_json.h"
#include "supervisor_client/model_change_text.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

namespace v1 = model_store::v1;
using supervisor::v1::GetRunResponse;

const std::vector<std::string> kStates = {"kept", "removed"};

const std::vector<std::pair<std::string, v1::ModelOrder>> kKeys = {
    {"model", v1::MODEL_ORDER_MODEL},
    {"run", v1::MODEL_ORDER_RUN},
    {"trigger", v1::MODEL_ORDER_TRIGGER},
    {"samples", v1::MODEL_ORDER_SAMPLES},
    {"duration", v1::MODEL_ORDER_DURATION}};

const std::vector<ListColumn> kColumns = {
    {.key = "model", .header = "MODEL"},
    {.key = "run", .header = "RUN"},
    {.key = "trigger", .header = "TRIGGER"},
    {.key = "pipeline", .header = "PIPELINE"},
    {.key = "state", .header = "STATE"},
    {.key = "measure", .header = "MEASURE"},
    {.key = "score", .header = "SCORE"},
    {.key = "baseline", .header = "BASELINE"},
    {.key = "baseline_name", .header = ""},
    {.key = "parent", .header = "PARENT", .only_wide = true},
    {.key = "samples", .header = "SAMPLES"},
    {.key = "seconds", .header = "DURATION"},
    {.key = "bytes", .header = "BYTES", .only_wide = true},
    {.key = "created_at", .header = "CREATED"},
    {.key = "tags", .header = "TAGS"},
    {.key = "why_in_use", .header = "WHY IN USE", .only_wide = true}};

// The model store does not know it.
constexpr char kScoreKey[] = "score";

struct ModelListFlags : ListFlags {
  std::string run;
  bool ByScore() const { return SortKey() == kScoreKey; }
};

std::vector<std::string> Keys() {
  std::vector<std::string> keys;
  for (const auto& [key, order] : kKeys) keys.push_back(key);
  keys.emplace_back(kScoreKey);
  return keys;
}

v1::ModelOrder OrderOf(const ListFlags& flags) {
  for (const auto& [key, order] : kKeys) {
    if (key == flags.SortKey()) return order;
  }
  return v1::MODEL_ORDER_MODEL;
}

// The runs that match the filters on runs; std::nullopt without such a filter.
absl::StatusOr<std::optional<std::vector<int64_t>>> MatchingRuns(const Session& session,
                                                                 const ListFlags& flags) {
  if (flags.pipeline.empty() && flags.tags.empty()) return std::nullopt;
  supervisor::v1::ListRunsRequest request;
  request.set_pipeline_name(flags.pipeline);
  request.mutable_tags()->Add(flags.tags.begin(), flags.tags.end());
  ASSIGN_OR_RETURN(const auto listed,
                   session.Ask(&supervisor::SupervisorClient::FindRuns, request));
  std::vector<int64_t> runs;
  for (const supervisor::v1::Run& run : listed.runs()) runs.push_back(run.run_id());
  return std::optional(std::move(runs));
}

absl::StatusOr<v1::ListModelsResponse> Fetch(const Session& session, const ModelListFlags& flags) {
  v1::ListModelsRequest request;
  if (!flags.run.empty()) {
    ASSIGN_OR_RETURN(const RunId run, FindRun(session, flags.run));
    request.set_run_id(run.value);
  }
  ASSIGN_OR_RETURN(const auto runs, MatchingRuns(session, flags));
  if (runs && runs->empty()) return v1::ListModelsResponse();
  if (runs) request.mutable_run_ids()->Add(runs->begin(), runs->end());
  if (flags.states.size() == 1) {
    request.set_state(flags.states.front() == "kept" ? v1::MODEL_STATE_KEPT
                                                     : v1::MODEL_STATE_REMOVED);
  }
  request.set_order(OrderOf(flags));
  request.set_descending(flags.IsDescending(/*by_default=*/true));
  // Which ones have the least or the greatest scores is known when all have one.
  request.set_limit(flags.ByScore() ? 0 : flags.limit);
  return session.Ask(&model_store::ModelStoreClient::FindModels, request);
}

// Facts that the list shows beside the models. They are fetched once for each run and pipeline of
// the page.
class ModelSurroundings {
 public:
  explicit ModelSurroundings(const Session& session) : session_(session) {}

  // nullptr when the run cannot be fetched; why not goes to stderr, once.
  const GetRunResponse* RunOf(int64_t run) {
    auto& known = runs_[run];
    if (known) return known->ok() ? &**known : nullptr;
    known = FetchRun(session_, run);
    if (known->ok()) return &**known;
    PrintToStderr(fmt::format("run {} is not shown: {}\n", run,
                              Printable(std::string(known->status().message()))));
    return nullptr;
  }

  // How the pipeline of a run that RunOf() knows uses the model; nullptr when it does not.
  static const supervisor::v1::ModelChange* UseOf(const v1::Model& model,
                                                  const GetRunResponse& run) {
    const bool is_in_use =
        run.has_model_in_use() && run.model_in_use().model_id() == model.model_id();
    return is_in_use ? &run.model_in_use() : nullptr;
  }

 private:
  const Session& session_;
  std::map<int64_t, std::optional<absl::StatusOr<GetRunResponse>>> runs_;
};

nlohmann::ordered_json OrNull(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

// The part of a line that is not about the model's own figures.
struct ModelFacts {
  std::optional<ModelScore> score;
  std::string pipeline, state, created, parent, why_in_use;
  std::vector<std::string> tags;
  double seconds = 0;
  const supervisor::v1::ModelChange* in_use = nullptr;
};

ModelFacts FactsOf(const v1::Model& model, ModelSurroundings& around) {
  ModelFacts facts;
  const GetRunResponse* const run = around.RunOf(model.run_id());
  if (run != nullptr) {
    facts.score = ScoreOfModel(*run, model.trigger());
    facts.pipeline = run->run().pipeline_name();
    facts.tags.assign(run->run().tags().begin(), run->run().tags().end());
  }
  facts.state = "kept";
  if (run != nullptr) facts.in_use = ModelSurroundings::UseOf(model, *run);
  if (model.has_removed_at()) {
    facts.state = "removed";
  } else if (facts.in_use != nullptr) {
    facts.state = facts.in_use->pinned() ? "in use, pinned" : "in use";
    facts.why_in_use = supervisor::InUseText(*facts.in_use);
  }
  facts.seconds = model.fit_seconds() + model.train_seconds();
  facts.created = FormatTimestamp({model.created_at().seconds() * 1'000'000});
  if (model.parent_model_id() != 0) facts.parent = std::to_string(model.parent_model_id());
  return facts;
}

std::string Dashed(const std::string& text) { return text.empty() ? "-" : text; }

std::vector<std::string> CellsOf(const v1::Model& model, const ModelFacts& facts) {
  const auto& score = facts.score;
  std::string baseline = "-";
  if (score && score->baseline) {
    baseline = fmt::format("{} {}", Measure(score->baseline), score->baseline_name);
  }
  return {std::to_string(model.model_id()),
          std::to_string(model.run_id()),
          std::to_string(model.trigger()),
          Dashed(facts.pipeline),
          facts.state,
          score ? score->measure : "-",
          score ? Measure(score->value) : "-",
          baseline,
          "",
          Dashed(facts.parent),
          WithThousands(model.num_samples()),
          Elapsed(facts.seconds),
          WithThousands(BytesOf(model)),
          facts.created,
          Dashed(fmt::format("{}", fmt::join(facts.tags, " "))),
          Dashed(Printable(facts.why_in_use))};
}

std::vector<std::string> ValuesOf(const v1::Model& model, const ModelFacts& facts) {
  const auto& score = facts.score;
  return {std::to_string(model.model_id()),
          std::to_string(model.run_id()),
          std::to_string(model.trigger()),
          facts.pipeline,
          facts.state,
          score ? score->measure : "",
          score ? fmt::format("{}", score->value) : "",
          score && score->baseline ? fmt::format("{}", *score->baseline) : "",
          score ? score->baseline_name : "",
          facts.parent,
          std::to_string(model.num_samples()),
          fmt::format("{:.3f}", facts.seconds),
          std::to_string(BytesOf(model)),
          facts.created,
          fmt::format("{}", fmt::join(facts.tags, " ")),
          facts.why_in_use};
}

ListEntry EntryOf(const v1::Model& model, ModelSurroundings& around) {
  const ModelFacts facts = FactsOf(model, around);
  const auto& score = facts.score;
  ListEntry entry;
  entry.cells = CellsOf(model, facts);
  entry.values = ValuesOf(model, facts);
  nlohmann::ordered_json json = ModelToJson(model);
  json["pipeline"] = facts.pipeline;
  json["state"] = facts.state;
  json["in_use"] = facts.in_use == nullptr ? nlohmann::ordered_json(nullptr)
                                           : supervisor::ModelInUseToJson(*facts.in_use);
  json["seconds"] = facts.seconds;
  json["bytes"] = BytesOf(model);
  json["created_at"] = facts.created;
  json["tags"] = facts.tags;
  json["score"] = nullptr;
  if (score) {
    json["score"] = {{"dataset", score->dataset},
                     {"measure", score->measure},
                     {"value", score->value},
                     {"baseline", OrNull(score->baseline)}};
    if (score->baseline) json["score"]["baseline_name"] = score->baseline_name;
  }
  entry.json = json.dump();
  return entry;
}

// Puts the models in the order of their scores, and keeps `limit` of them; 0 for all. Scores of
// different measures do not compare, so each measure has its own part of the list. Models without a
// score are last. Returns the number of models left out.
int64_t SortByScore(const ModelListFlags& flags, ModelSurroundings& around,
                    v1::ListModelsResponse& listed) {
  std::map<int64_t, std::optional<ModelScore>> scores;
  for (const v1::Model& model : listed.models()) {
    const GetRunResponse* const run = around.RunOf(model.run_id());
    if (run != nullptr) scores[model.model_id()] = ScoreOfModel(*run, model.trigger());
  }
  const double sign = flags.IsDescending(/*by_default=*/false) ? -1 : 1;
  const auto place = [&](const v1::Model& model) {
    const auto& score = scores[model.model_id()];
    return std::tuple(!score, score ? score->measure : "", score ? sign * score->value : 0);
  };
  auto& models = *listed.mutable_models();
  std::ranges::stable_sort(models, std::less(), place);
  const int64_t num_models = models.size();
  if (flags.limit == 0 || num_models <= flags.limit) return 0;
  models.DeleteSubrange(static_cast<int>(flags.limit), static_cast<int>(num_models - flags.limit));
  return num_models - flags.limit;
}

int List(GlobalFlags global, ModelListFlags flags) {
  const absl::Status settled = SettleListFlags(kStates, global, flags);
  if (!settled.ok()) return ReportUsage(std::string(settled.message()));
  return WithSession(global, [&](const Session& session) -> int {
    auto listed = Fetch(session, flags);
    if (!listed.ok()) return Report(listed.status());
    ModelSurroundings around(session);
    if (flags.ByScore()) listed->set_num_left_out(SortByScore(flags, around, *listed));
    std::vector<ListEntry> entries;
    for (const v1::Model& model : listed->models()) entries.push_back(EntryOf(model, around));
    fmt::print("{}", DescribeList(kColumns, entries, FormatNamed(flags.format)));
    if (!global.quiet) PrintToStderr(DescribeLeftOut(listed->num_left_out()));
    return kDone;
  });
}

}  // namespace

void AddModelListCommand(Command& models) {
  Command& list = models.AddSubcommand(
      "list", "List models with their lineage, and their scores beside those of rules");
  static ModelListFlags flags;
  list.AddOption("--run", flags.run, "Only models of this run").TypeName("RUN");
  AddListFlags(list, flags, "models", kStates, Keys());
  SetAction(list, [](const GlobalFlags& global) { return List(global, flags); });
  list.AddExample("tidemill models list --run latest");
  list.AddExample("tidemill models list --pipeline elec2 --limit 5 -o wide");
}

}  // namespace tidemill::cli
