#include "cli/commands/check.h"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "nlohmann/json.hpp"

#include "cli/command_line/action.h"
#include "cli/pipelines/pipeline_file.h"
#include "cli/terminal/exit_codes.h"
#include "config/difference.h"
#include "storage/client/dataset_path.h"
#include "storage/client/storage_client.h"

namespace tidemill::cli {
namespace {

// What a submission would be refused for; empty: nothing.
std::string DifferenceOf(const storage::DatasetSpec& registered, storage::DatasetSpec spec) {
  std::error_code error;
  const auto folder = std::filesystem::weakly_canonical(spec.path, error);
  if (!error && !storage::IsObjectPath(spec.path)) spec.path = folder.string();
  // Storage fills in the columns that a header names.
  if (spec.format->LeavesColumnsOpen()) spec.format->SetColumns(registered.format->Columns());
  return config::DescribeDifference(config::Print(registered), config::Print(spec));
}

// Warns of datasets that the local stack, where one runs, has with other specs.
void CompareWithStack(const GlobalFlags& flags, supervisor::CheckedPipeline& checked) {
  const auto session = Session::Attach(flags);
  if (!session.ok() || session->remote()) return;
  const storage::StorageClient storage(session->PeerOf("storage"));
  for (const auto& [name, spec] : checked.value.datasets) {
    if (!spec) continue;
    const auto found = storage.GetDataset(name);
    if (!found.ok()) continue;
    const auto registered = config::Read<storage::DatasetSpec>(found->spec(), name);
    const std::string difference = registered.ok() ? DifferenceOf(*registered, *spec) : "";
    if (difference.empty()) continue;
    checked.warnings.Add(
        "datasets." + name,
        fmt::format(
            "the running stack has this dataset with another spec and will refuse a run: {}",
            difference),
        fmt::format(
            "choose another name, or delete the dataset of the stack: tidemill datasets delete {}",
            name));
  }
}

int CheckOne(const std::string& path, const GlobalFlags& flags) {
  const bool json = flags.json;
  const auto file = ReadPipelineFile(path);
  if (!file.ok()) return Report(file.status());
  auto checked = CheckPipelineFile(*file);
  if (checked.problems.empty()) CompareWithStack(flags, checked);
  if (!json) PrintWarnings(checked.warnings);
  if (!checked.problems.empty()) return ReportProblems(checked.problems, json);
  if (json) {
    nlohmann::ordered_json not_looked = nlohmann::ordered_json::array();
    for (const supervisor::NotLooked& dataset : checked.not_looked) {
      not_looked.push_back({{"path", dataset.path}, {"reason", dataset.reason}});
    }
    nlohmann::ordered_json values = nlohmann::ordered_json::array();
    for (const supervisor::ValuesSeen& seen : checked.values) {
      values.push_back({{"path", seen.path}, {"values", seen.text}});
    }
    nlohmann::ordered_json chosen = nlohmann::ordered_json::array();
    for (const supervisor::ChosenColumns& columns : checked.chosen) {
      chosen.push_back({{"path", columns.path}, {"columns", columns.names}});
    }
    const nlohmann::ordered_json document = {{"valid", true},
                                             {"file", path},
                                             {"warnings", checked.warnings.ToJson()},
                                             {"no_data_looked_at", not_looked},
                                             {"expressions", values},
                                             {"chosen_columns", chosen}};
    fmt::print("{}\n", document.dump());
  } else {
    fmt::print("{}: valid\n", path);
    for (const supervisor::ValuesSeen& seen : checked.values) {
      fmt::print("{}: {}: {}\n", path, seen.path, Printable(seen.text));
    }
    for (const supervisor::NotLooked& dataset : checked.not_looked) {
      fmt::print("{}: {}: no data looked at: {}\n", path, dataset.path, Printable(dataset.reason));
    }
    for (const supervisor::ChosenColumns& columns : checked.chosen) {
      fmt::print("{}: {}: {}\n", path, columns.path, Printable(columns.Describe()));
    }
  }
  return kDone;
}

}  // namespace

void AddCheckCommand(Command& app) {
  Command& check =
      app.AddSubcommand("check", "List every problem of a pipeline file; needs no stack");
  static std::vector<std::string> paths;
  check.AddOption("files", paths, "Pipeline files (YAML)").Required().TypeName("FILE");
  SetAction(check, [](const GlobalFlags& flags) {
    int worst = kDone;
    for (const std::string& path : paths) {
      if (const int code = CheckOne(path, flags); code != kDone) worst = code;
    }
    return worst;
  });
}

}  // namespace tidemill::cli
