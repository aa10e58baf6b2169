#include <cstdio>

#include "nlohmann/json.hpp"

#include "cli/command_line/action.h"
#include "cli/command_line/names.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/models/commands.h"
#include "cli/commands/models/model_export.h"
#include "cli/commands/models/model_json.h"
#include "cli/commands/models/model_list.h"
#include "cli/commands/models/model_use.h"
#include "cli/results/run_report.h"
#include "cli/results/worth.h"
#include "cli/terminal/text.h"
#include "model_store/client/model_store_client.h"
#include "supervisor_client/model_change_json.h"

namespace tidemill::cli {
namespace {

using model_store::ModelStoreClient;

struct ModelsFlags {
  std::string model;
  std::string format = "safetensors";
  std::string output;
  std::string rows;
};

ModelsFlags& FlagsOfModels() {
  static ModelsFlags flags;
  return flags;
}

// The run's measurement of which columns matter to this model. A deleted run has none.
void AddImportances(const Session& session, const model_store::v1::Model& model,
                    nlohmann::ordered_json& json) {
  const auto run = FetchRun(session, model.run_id());
  if (!run.ok()) return;
  for (nlohmann::ordered_json& importances : ImportancesToJson(*run)) {
    if (importances.at("trigger") == model.trigger()) json["importances"].push_back(importances);
  }
}

int ShowModel(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto named = FindModel(session, FlagsOfModels().model);
    if (!named.ok()) return Report(named.status());
    const auto model = session.Ask(&ModelStoreClient::GetModel, named->id);
    if (!model.ok()) return Report(model.status());
    auto json = ModelToJson(*model);
    const absl::Status use = AddUseOfModel(session, *model, json);
    if (!use.ok()) return Report(use);
    AddImportances(session, *model, json);
    fmt::print("{}\n", json.dump(flags.json ? -1 : 2));
    return kDone;
  });
}

int Export(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    ModelStoreClient store(session.PeerOf("model_store"));
    const ExportFormat format = FlagsOfModels().format == "torchscript" ? ExportFormat::kTorchScript
                                : FlagsOfModels().format == "onnx"      ? ExportFormat::kOnnx
                                                                   : ExportFormat::kSafetensors;
    if (format == ExportFormat::kSafetensors && !FlagsOfModels().rows.empty()) {
      return Report(InvalidArgument("--rows has no effect on weights alone; leave it out"));
    }
    const auto model = FindModel(session, FlagsOfModels().model);
    if (!model.ok()) return Report(model.status());
    const absl::Status status =
        ExportModel(store, model->id, format, FlagsOfModels().output, FlagsOfModels().rows);
    if (!status.ok()) return Report(status);
    if (flags.json) {
      nlohmann::ordered_json json = {{"model", model->id.value},
                                     {"format", FlagsOfModels().format},
                                     {"output", FlagsOfModels().output}};
      if (model->in_use) json["in_use"] = supervisor::ModelInUseToJson(*model->in_use);
      fmt::print("{}\n", json.dump());
    } else if (!flags.quiet) {
      fmt::print(stderr, "model {} exported to {}{}\n", model->id.value, FlagsOfModels().output,
                 format == ExportFormat::kSafetensors
                     ? ": the network without preprocessing; its inputs must be made as the graph "
                       "of the pipeline makes them"
                     : "; its README.md says how to use it");
    }
    return kDone;
  });
}

}  // namespace

void AddModelsCommands(Command& app) {
  Command& models = app.AddSubcommand("models", "Models that were trained");
  models.RequireSubcommand();
  AddModelListCommand(models);
  AddModelUseCommands(models);
  Command& show = models.AddSubcommand("show", "Show a model's parts, parent, spec and use");
  show.AddOption("model", FlagsOfModels().model, kModelMeaning).Required().TypeName("MODEL");
  SetAction(show, ShowModel);
  show.AddExample("tidemill models show 1012003");
  Command& to_files = models.AddSubcommand("export", "Write a model for other programs");
  to_files.AddOption("model", FlagsOfModels().model, kModelMeaning).Required().TypeName("MODEL");
  to_files
      .AddOption("--format", FlagsOfModels().format,
                 "Weights alone, or a program that takes columns as they are in the data")
      .OneOf({"safetensors", "torchscript", "onnx"});
  to_files
      .AddOption("-o,--output", FlagsOfModels().output, "Folder to write; it must not exist yet")
      .Required()
      .TypeName("FOLDER");
  to_files
      .AddOption("--rows", FlagsOfModels().rows,
                 "File of the dataset, for the row to try; by default that of the pipeline")
      .TypeName("FILE");
  SetAction(to_files, Export);
  to_files.AddExample("tidemill models export 1012003 --format torchscript --output exported");
}

}  // namespace tidemill::cli
