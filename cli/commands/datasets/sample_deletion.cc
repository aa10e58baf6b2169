#include "cli/commands/datasets/sample_deletion.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "nlohmann/json.hpp"

#include "cli/command_line/named_samples.h"
#include "cli/commands/datasets/models_that_saw.h"
#include "cli/commands/datasets/record_rows.h"
#include "cli/commands/datasets/records.h"
#include "cli/terminal/text.h"
#include "config/config.h"
#include "model_store/client/model_store_client.h"
#include "rpc/commands.h"
#include "selector/client/selector_client.h"
#include "storage/client/storage_client.h"
#include "storage/spec/dataset_spec.h"
#include "supervisor_client/model_use_client.h"
#include "supervisor_client/supervisor_client.h"

// How a plan is made. Only `living` is deleted, and only with --yes or after an answer.
//
//   --keys -----------------------> keys --.
//   --where ----> ListRecords ----> keys --+--> FindSamples --> living, deleted before, unknown
//   --records --> keys -------------------'|                           |
//            `--> places --> FindSamples --'                    FindTrainingSets
//                                                                      |
//                  in use <-- models of pipelines <-- ListRuns <-- ListModels: those that saw them

namespace tidemill::cli {
namespace {

using storage::StorageClient;

// The limit of one call.
constexpr size_t kKeysPerCall = 100'000;
constexpr size_t kKeysPerSearch = 1'000'000;
constexpr size_t kMaxShown = 20;

// Calls `use` with one part after another.
template <typename T, typename Use>
absl::Status InParts(const std::vector<T>& all, size_t most, const Use& use) {
  for (size_t from = 0; from < all.size(); from += most) {
    RETURN_IF_ERROR(use(std::span(all).subspan(from, std::min(most, all.size() - from))));
  }
  return absl::OkStatus();
}

// Records by which people see whether a condition says what they mean.
struct Examples {
  static constexpr size_t kMost = 3;
  // A deletion of more than one part in this many of a dataset is shown with them.
  static constexpr int64_t kShownFrom = 100;

  RecordListEnd end;
  std::vector<std::string> classes;
  std::vector<Record> matching;

  int64_t num_samples() const { return end.last.num_samples(); }
};

// What a deletion is about.
struct DeletionPlan {
  std::vector<int64_t> living;
  std::vector<int64_t> deleted;  // Before.
  int64_t num_unknown = 0;
  std::vector<std::string> unknown;  // The first of them.
  std::map<std::string, int64_t> files;
  int64_t num_unreadable = 0;
  std::string doubts;
  std::optional<Examples> examples;  // Given with a condition.
  std::vector<ModelThatSaw> models;
  std::map<int64_t, std::string> pipelines;  // The pipelines of the models' runs.
  std::set<int64_t> in_use;                  // The models among them that answer.
};

// Finds out what a deletion is about.
class DeletionPlanner {
 public:
  DeletionPlanner(const Session& session, const storage::v1::Dataset& dataset, bool quiet)
      : session_(session), about_(dataset), dataset_(dataset.dataset_id()), quiet_(quiet) {}

  absl::StatusOr<DeletionPlan> Make(const SampleChoice& choice) {
    ASSIGN_OR_RETURN(NamedSamples named, Name(choice));
    RemoveRepetitions(named);
    RETURN_IF_ERROR(AddPlaces(named));
    RemoveRepetitions(named);
    RETURN_IF_ERROR(Sort(named.keys));
    RETURN_IF_ERROR(FindModels());
    return std::move(plan_);
  }

 private:
  absl::StatusOr<NamedSamples> Name(const SampleChoice& choice) {
    if (!choice.keys.empty()) return ReadKeys(choice.keys);
    if (!choice.where.empty()) return Search(choice.where);
    return ReadSampleFile(choice.records);
  }

  absl::StatusOr<NamedSamples> Search(const std::string& where) {
    storage::v1::ListRecordsRequest request;
    request.set_dataset_id(dataset_);
    request.set_condition(where);
    NamedSamples named;
    Examples examples;
    const auto add = [&](const RecordListEnd&, const storage::v1::ListRecordsResponse& message) {
      for (const auto& record : message.records()) {
        named.keys.push_back(record.sample_key());
        if (examples.matching.size() < Examples::kMost) examples.matching.push_back(record);
      }
    };
    ASSIGN_OR_RETURN(examples.end, ListRecords(session_, request, quiet_, add));
    const auto spec = config::ReadKept<storage::DatasetSpec>(about_.spec(), about_.name());
    if (spec.ok()) examples.classes = spec->label.classes;
    plan_.num_unreadable = examples.end.last.num_unreadable();
    plan_.doubts = DoubtsOf(examples.end);
    plan_.examples = std::move(examples);
    return named;
  }

  absl::StatusOr<storage::v1::FindSamplesResponse> Find(
      const storage::v1::FindSamplesRequest& request) {
    ASSIGN_OR_RETURN(storage::v1::FindSamplesResponse response,
                     session_.Ask(&StorageClient::FindSamples, request));
    plan_.num_unknown += response.num_unknown();
    for (const std::string& unknown : response.unknown()) {
      if (plan_.unknown.size() < kMaxShown) plan_.unknown.push_back(unknown);
    }
    return response;
  }

  // Replaces places by keys.
  absl::Status AddPlaces(NamedSamples& named) {
    return InParts(named.places, kKeysPerCall, [&](const auto& places) -> absl::Status {
      storage::v1::FindSamplesRequest request;
      request.set_dataset_id(dataset_);
      for (const auto& [path, position] : places) {
        auto* const place = request.add_places();
        place->set_path(path);
        place->set_position(position);
      }
      ASSIGN_OR_RETURN(const storage::v1::FindSamplesResponse found, Find(request));
      for (const auto* keys : {&found.living_keys(), &found.deleted_keys()}) {
        named.keys.insert(named.keys.end(), keys->begin(), keys->end());
      }
      return absl::OkStatus();
    });
  }

  absl::Status Sort(const std::vector<int64_t>& all) {
    return InParts(all, kKeysPerCall, [&](const auto& keys) -> absl::Status {
      storage::v1::FindSamplesRequest request;
      request.set_dataset_id(dataset_);
      request.mutable_sample_keys()->Add(keys.begin(), keys.end());
      ASSIGN_OR_RETURN(const storage::v1::FindSamplesResponse found, Find(request));
      plan_.living.insert(plan_.living.end(), found.living_keys().begin(),
                          found.living_keys().end());
      plan_.deleted.insert(plan_.deleted.end(), found.deleted_keys().begin(),
                           found.deleted_keys().end());
      for (const auto& file : found.files()) plan_.files[file.path()] += file.num_samples();
      return absl::OkStatus();
    });
  }

  // Finds the models of samples deleted before, too: the models have seen them nevertheless.
  absl::Status FindModels() {
    std::vector<int64_t> keys = plan_.living;
    keys.insert(keys.end(), plan_.deleted.begin(), plan_.deleted.end());
    std::vector<TrainingSetMatch> matches;
    RETURN_IF_ERROR(InParts(keys, kKeysPerSearch, [&](const auto& part) -> absl::Status {
      selector::v1::FindTrainingSetsRequest request;
      request.set_dataset_id(dataset_);
      request.mutable_sample_keys()->Add(part.begin(), part.end());
      ASSIGN_OR_RETURN(const std::vector<TrainingSetMatch> found,
                       session_.Follow(&selector::SelectorClient::FindTrainingSets, request));
      for (const TrainingSetMatch& match : found) AddMatch(match, matches);
      return absl::OkStatus();
    }));
    if (matches.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const auto models,
                     session_.Ask(&model_store::ModelStoreClient::ListModels, RunId{0}));
    plan_.models = ModelsThatSaw(matches, models);
    return NamePipelines();
  }

  absl::Status NamePipelines() {
    ASSIGN_OR_RETURN(const auto runs, session_.Ask(&supervisor::SupervisorClient::ListRuns, ""));
    for (const supervisor::v1::Run& run : runs.runs()) {
      plan_.pipelines[run.run_id()] = run.pipeline_name();
    }
    return FindModelsInUse();
  }

  absl::Status FindModelsInUse() {
    std::set<std::string> names;
    for (const ModelThatSaw& model : plan_.models) {
      const auto known = plan_.pipelines.find(model.run);
      if (known != plan_.pipelines.end()) names.insert(known->second);
    }
    for (const std::string& name : names) {
      const auto in_use = session_.Ask(&supervisor::ModelUseClient::Get, name, "");
      if (absl::IsFailedPrecondition(in_use.status()) || absl::IsNotFound(in_use.status())) {
        continue;  // It has none, or was deleted meanwhile.
      }
      RETURN_IF_ERROR(in_use.status());
      const auto& saw = plan_.models;
      if (std::ranges::find(saw, in_use->model_id(), &ModelThatSaw::model) != saw.end()) {
        plan_.in_use.insert(in_use->model_id());
      }
    }
    return absl::OkStatus();
  }

  const Session& session_;
  const storage::v1::Dataset& about_;
  const int64_t dataset_;
  const bool quiet_;
  DeletionPlan plan_;
};

std::string PipelineOf(const DeletionPlan& plan, int64_t run) {
  const auto known = plan.pipelines.find(run);
  return known == plan.pipelines.end() ? "-" : known->second;
}

void AddExamples(const Examples& examples, nlohmann::ordered_json& json) {
  const auto list = [&](const std::vector<Record>& records) {
    auto listed = nlohmann::ordered_json::array();
    for (const Record& record : records) {
      listed.push_back(RecordToJson(record, examples.end.columns, examples.classes));
    }
    return listed;
  };
  json["undecided"] = examples.end.last.num_undecided();
  json.update(CountsToJson(examples.end));
  json["matching"] = list(examples.matching);
  json["not_matching"] = list(examples.end.others);
}

nlohmann::ordered_json ToJson(const DeletionPlan& plan, const std::string& dataset) {
  nlohmann::ordered_json json = {{"dataset", dataset},
                                 {"samples", plan.living.size()},
                                 {"deleted_before", plan.deleted.size()},
                                 {"unknown", plan.num_unknown},
                                 {"first_unknown", plan.unknown},
                                 {"unreadable", plan.num_unreadable},
                                 {"files", nlohmann::ordered_json::array()},
                                 {"models", nlohmann::ordered_json::array()}};
  for (const auto& [path, count] : plan.files) {
    json["files"].push_back({{"file", path}, {"samples", count}});
  }
  for (const ModelThatSaw& model : plan.models) {
    json["models"].push_back(
        {{"model", model.model},
         {"run", model.run},
         {"pipeline", PipelineOf(plan, model.run)},
         {"trigger", model.trigger},
         {"samples", model.num_samples},
         {"is_sure", !model.is_unsure},
         {"through", model.through == 0 ? nlohmann::ordered_json(nullptr)
                                        : nlohmann::ordered_json(model.through)},
         {"removed", model.is_removed},
         {"in_use", plan.in_use.contains(model.model)}});
  }
  if (plan.examples) AddExamples(*plan.examples, json);
  return json;
}

// Empty when the deletion is of a small part of the dataset, or not by a condition.
std::string ShowExamples(const DeletionPlan& plan) {
  const auto num_living = static_cast<int64_t>(plan.living.size());
  if (!plan.examples || num_living * Examples::kShownFrom <= plan.examples->num_samples()) {
    return "";
  }
  const Examples& examples = *plan.examples;
  const auto table = [&](const std::vector<Record>& records) {
    return records.empty() ? "none\n"
                           : RecordTable(records, examples.end.columns, examples.classes);
  };
  return fmt::format(
      "the condition matches {} of {} samples ({:.1f} %). Records that match:\n{}Records that do "
      "not match:\n{}",
      WithThousands(num_living), WithThousands(examples.num_samples()),
      100.0 * static_cast<double>(num_living) / static_cast<double>(examples.num_samples()),
      table(examples.matching), table(examples.end.others));
}

void PrintFiles(const DeletionPlan& plan) {
  if (plan.files.empty()) return;
  Table table({"FILE", "SAMPLES"});
  size_t num_shown = 0;
  for (const auto& [path, count] : plan.files) {
    if (++num_shown > kMaxShown) break;
    table.Add({OneLine(path), WithThousands(count)});
  }
  fmt::print("{}", table.ToString());
  if (plan.files.size() > kMaxShown) {
    fmt::print("and {} more files; --json shows all\n",
               WithThousands(static_cast<int64_t>(plan.files.size() - kMaxShown)));
  }
}

std::string HowSeen(const ModelThatSaw& model, bool is_in_use) {
  std::string text =
      model.through != 0 ? fmt::format("through model {}", model.through) : "in its training set";
  if (model.is_unsure) text = "perhaps, " + text + ": the entries of that set are removed";
  if (model.is_removed) text += "; its weights are removed";
  if (is_in_use) text += "; it is in use";
  return text;
}

void PrintModels(const DeletionPlan& plan) {
  if (plan.models.empty()) {
    fmt::print("no model has seen them\n");
    return;
  }
  Table table({"MODEL", "RUN", "PIPELINE", "TRIGGER", "SAMPLES", "SEEN"});
  for (const ModelThatSaw& model : plan.models) {
    table.Add({std::to_string(model.model), std::to_string(model.run),
               OneLine(PipelineOf(plan, model.run)), std::to_string(model.trigger),
               (model.is_unsure ? "<= " : "") + WithThousands(model.num_samples),
               HowSeen(model, plan.in_use.contains(model.model))});
  }
  fmt::print("{}", table.ToString());
  fmt::print(
      "a deletion does not change these models; start a new run to train without the samples, and "
      "delete the old one: tidemill runs delete RUN\n");
  if (plan.in_use.empty()) return;
  fmt::print(
      "until then models that have seen them answer; `tidemill models use` chooses others\n");
}

void Print(const DeletionPlan& plan) {
  if (!plan.deleted.empty()) {
    fmt::print("{} samples were deleted before\n",
               WithThousands(static_cast<int64_t>(plan.deleted.size())));
  }
  if (plan.num_unknown > 0) {
    fmt::print("{} do not exist, such as {}\n", WithThousands(plan.num_unknown),
               OneLine(plan.unknown.front()));
  }
  fmt::print("{}", Printable(plan.doubts));
  PrintFiles(plan);
  if (!plan.living.empty() || !plan.deleted.empty()) PrintModels(plan);
}

absl::StatusOr<int64_t> Delete(const Session& session, int64_t dataset,
                               const std::vector<int64_t>& all) {
  rpc::v1::Command command;
  command.set_request_id(rpc::NewRequestId());
  ASSIGN_OR_RETURN(const auto response,
                   session.Ask(&StorageClient::DeleteSamples, DatasetId{dataset}, all, command));
  return response.num_deleted();
}

}  // namespace

void AddSampleChoice(Command& command, SampleChoice& choice) {
  // An empty variable of a script must not mean the whole dataset.
  const auto is_blank = [](const std::string& text) {
    return text.find_first_not_of(" \t\r\n,") == std::string::npos
               ? "it names no samples; leave the option out to delete the whole dataset"
               : "";
  };
  command.AddOption("--keys", choice.keys, "Only these sample keys, separated by commas")
      .Check(is_blank);
  command
      .AddOption("--where", choice.where,
                 "Only the samples whose records match, such as \"user = 17\"")
      .Check(is_blank);
  command
      .AddOption("--records", choice.records,
                 "Only the samples that a file names, as `datasets records --json` prints them: "
                 "one key per line, or a file and the number of a record; - for stdin")
      .TypeName("FILE")
      .Check(is_blank);
}

int DeleteSamples(const GlobalFlags& flags, const Session& session,
                  const storage::v1::Dataset& dataset, const SampleChoice& choice,
                  const DeletionFlags& deletion) {
  const int num_given = (choice.keys.empty() ? 0 : 1) + (choice.where.empty() ? 0 : 1) +
                        (choice.records.empty() ? 0 : 1);
  if (num_given > 1) {
    return Report(InvalidArgument("--keys, --where and --records exclude one another; give one"));
  }
  auto plan = DeletionPlanner(session, dataset, flags.quiet).Make(choice);
  if (!plan.ok()) return Report(plan.status());
  const auto num_living = static_cast<int64_t>(plan->living.size());
  const std::string what =
      fmt::format("{} samples of dataset {}", WithThousands(num_living), dataset.name());
  nlohmann::ordered_json json = ToJson(*plan, dataset.name());
  const ExitCode end = plan->num_unknown > 0 || plan->num_unreadable > 0 ? kPartial : kDone;
  if (!flags.json) Print(*plan);
  // Whoever does not look at the plan sees at least what the condition takes for a match.
  const bool is_aside = deletion.yes && !deletion.dry_run;
  const std::string examples = ShowExamples(*plan);
  if (is_aside || !flags.json) fmt::print(is_aside ? stderr : stdout, "{}", examples);
  if (deletion.dry_run) {
    json["would_delete"] = num_living;
    fmt::print("{}\n", flags.json ? json.dump()
                                  : "would delete " + Printable(what) + "; nothing was deleted");
    return end;
  }
  if (num_living > 0) {
    std::fflush(stdout);
    if (const auto answer = SettleDeletion(flags, deletion, what)) return *answer;
  }
  const auto num_deleted = Delete(session, dataset.dataset_id(), plan->living);
  if (!num_deleted.ok()) return Report(num_deleted.status());
  json["deleted"] = *num_deleted;
  fmt::print("{}\n", flags.json ? json.dump() : WithThousands(*num_deleted) + " samples deleted");
  return end;
}

}  // namespace tidemill::cli
