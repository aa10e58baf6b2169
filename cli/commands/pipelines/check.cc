#include <unistd.h>

#include <cstdio>
#include <optional>

#include "nlohmann/json.hpp"

#include "base/printable.h"
#include "cli/command_line/action.h"
#include "cli/command_line/set_flag.h"
#include "cli/commands/pipelines/commands.h"
#include "cli/pipelines/dataset_difference.h"
#include "cli/pipelines/pipeline_file.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/tone.h"
#include "cli/terminal/view.h"
#include "supervisor/plans/device_check.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

// Refuses devices that the stack does not have, and warns where it cannot be asked.
void CompareDevices(const absl::StatusOr<Session>& session, supervisor::CheckedPipeline& checked) {
  if (!supervisor::NamesGpu(checked.value)) return;
  const auto there = session.ok()
                         ? session->Ask(&supervisor::SupervisorClient::ListDevices)
                         : absl::StatusOr<supervisor::v1::ListDevicesResponse>(session.status());
  if (there.ok()) {
    return supervisor::CheckDevices(checked.value, *there, checked.problems);
  }
  checked.warnings.Add("training.device",
                       fmt::format("whether there is such a device is looked at when the pipeline "
                                   "is submitted: {}",
                                   std::string(there.status().message())),
                       "tidemill up, or name a stack, to have it checked now");
}

// Warns of datasets that the local stack, where one runs, has with other specs.
void CompareDatasets(const Session& session, supervisor::CheckedPipeline& checked) {
  for (const auto& [name, spec] : checked.value.datasets) {
    if (!spec) continue;
    const std::optional<OtherDataset> other = FindOtherDataset(session, name, *spec);
    if (!other) continue;
    checked.warnings.Add(
        "datasets." + name,
        fmt::format(
            "the running stack has this dataset with another spec and will refuse a run: {}",
            other->difference),
        "run it with --new-dataset-version, which keeps the stack's dataset beside the new one, or "
        "with --replace-dataset, or choose another name");
  }
}

int CheckOne(const std::string& path, const std::vector<std::string>& set,
             const GlobalFlags& flags) {
  UsePluginSettings(flags);
  const bool json = flags.json;
  auto file = ReadPipelineFile(path);
  if (!file.ok()) return Report(file.status());
  file->overrides = OverridesOf(set);
  auto checked = CheckPipelineFile(*file);
  if (checked.problems.empty()) {
    const auto session = Session::Attach(flags);
    CompareDevices(session, checked);
    if (session.ok() && !session->remote()) CompareDatasets(*session, checked);
  }
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
    fmt::print("{}: {}\n", path, InTone("valid", Tone::kGood, TakesColour(STDOUT_FILENO)));
    for (const supervisor::ValuesSeen& seen : checked.values) {
      fmt::print("{}: {}: {}\n", path, seen.path, Printable(seen.text));
    }
    for (const supervisor::NotLooked& dataset : checked.not_looked) {
      fmt::print("{}: {}: no data was read: {}\n", path, dataset.path, Printable(dataset.reason));
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
  static std::vector<std::string> set;
  check.AddOption("files", paths, "Pipeline files (YAML), - for standard input")
      .Required()
      .TypeName("FILE");
  AddSetFlag(check, set);
  SetAction(check, [](const GlobalFlags& flags) {
    int worst = kDone;
    for (const std::string& path : paths) {
      if (const int code = CheckOne(path, set, flags); code != kDone) worst = code;
    }
    return worst;
  });
  check.AddExample("tidemill check pipeline.yaml");
  check.AddExample("tidemill check pipelines/*.yaml");
  check.AddExample("tidemill check pipeline.yaml --set trigger.samples=500 --json");
}

}  // namespace tidemill::cli
