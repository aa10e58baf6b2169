#include "cli/commands/models.h"

#include <cstdio>

#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/command_line/action.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/model_export.h"
#include "cli/terminal/text.h"
#include "tidemill/model_store/v1/model_store.grpc.pb.h"

namespace tidemill::cli {
namespace {

using ModelStoreStub = model_store::v1::ModelStoreService::Stub;

struct ModelsFlags {
  int64_t model = 0;
  int64_t run = 0;
  std::string format = "safetensors";
  std::string output;
};

ModelsFlags& FlagsOfModels() {
  static ModelsFlags flags;
  return flags;
}

int64_t BytesOf(const model_store::v1::Model& model) {
  int64_t bytes = 0;
  for (const model_store::v1::ModelPart& part : model.parts()) bytes += part.size_bytes();
  return bytes;
}

nlohmann::ordered_json ModelToJson(const model_store::v1::Model& model) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const model_store::v1::ModelPart& part : model.parts()) {
    parts.push_back(
        {{"name", part.name()}, {"bytes", part.size_bytes()}, {"sha256", part.digest()}});
  }
  nlohmann::ordered_json json = {
      {"model", model.model_id()}, {"run", model.run_id()}, {"trigger", model.trigger()}};
  json["parent"] = model.parent_model_id() == 0 ? nlohmann::ordered_json(nullptr)
                                                : nlohmann::ordered_json(model.parent_model_id());
  json["samples"] = model.num_samples();
  json["training_set_digest"] = model.training_set_digest();
  json["classes"] = model.classes();
  json["spec"] = model.model();
  json["parts"] = parts;
  if (model.has_removed_at()) {
    json["removed_at"] = FormatTimestamp({model.removed_at().seconds() * 1'000'000});
  }
  return json;
}

int ListModels(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    model_store::v1::ListModelsRequest request;
    request.set_run_id(FlagsOfModels().run);
    model_store::v1::ListModelsResponse response;
    const absl::Status status = session.Call<model_store::v1::ModelStoreService>(
        "model_store", &ModelStoreStub::ListModels, request, &response);
    if (!status.ok()) return Report(status);
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    Table table({"MODEL", "RUN", "TRIGGER", "PARENT", "SAMPLES", "BYTES", "CREATED"});
    for (const model_store::v1::Model& model : response.models()) {
      json.push_back(ModelToJson(model));
      table.Add({std::to_string(model.model_id()), std::to_string(model.run_id()),
                 std::to_string(model.trigger()),
                 model.parent_model_id() == 0 ? "-" : std::to_string(model.parent_model_id()),
                 WithThousands(model.num_samples()),
                 model.has_removed_at() ? "removed" : WithThousands(BytesOf(model)),
                 FormatTimestamp({model.created_at().seconds() * 1'000'000})});
    }
    fmt::print("{}", flags.json ? json.dump() + "\n" : table.ToString());
    return kDone;
  });
}

int ShowModel(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    model_store::v1::GetModelRequest request;
    request.set_model_id(FlagsOfModels().model);
    model_store::v1::GetModelResponse response;
    const absl::Status status = session.Call<model_store::v1::ModelStoreService>(
        "model_store", &ModelStoreStub::GetModel, request, &response);
    if (!status.ok()) return Report(status);
    fmt::print("{}\n", ModelToJson(response.model()).dump(flags.json ? -1 : 2));
    return kDone;
  });
}

int Export(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    model_store::ModelStoreClient store(session.PeerOf("model_store"));
    const ExportFormat format = FlagsOfModels().format == "torchscript"
                                    ? ExportFormat::kTorchScript
                                    : ExportFormat::kSafetensors;
    const absl::Status status =
        ExportModel(store, {FlagsOfModels().model}, format, FlagsOfModels().output);
    if (!status.ok()) return Report(status);
    if (flags.json) {
      const nlohmann::ordered_json json = {{"model", FlagsOfModels().model},
                                           {"format", FlagsOfModels().format},
                                           {"output", FlagsOfModels().output}};
      fmt::print("{}\n", json.dump());
    } else if (!flags.quiet) {
      fmt::print(stderr,
                 "model {} exported to {}: the network without preprocessing; its inputs must be "
                 "made as the graph of the pipeline makes them\n",
                 FlagsOfModels().model, FlagsOfModels().output);
    }
    return kDone;
  });
}

}  // namespace

void AddModelsCommands(Command& app) {
  Command& models = app.AddSubcommand("models", "Models that were trained");
  models.RequireSubcommand();
  Command& list = models.AddSubcommand("list", "List models with their lineage");
  list.AddOption("--run", FlagsOfModels().run, "Only models of this run").TypeName("RUN");
  SetAction(list, ListModels);
  Command& show = models.AddSubcommand("show", "Show a model's parts, parent and spec");
  show.AddOption("model", FlagsOfModels().model, "Model id").Required().TypeName("MODEL");
  SetAction(show, ShowModel);
  Command& to_files = models.AddSubcommand("export", "Write a model for other programs");
  to_files.AddOption("model", FlagsOfModels().model, "Model id").Required().TypeName("MODEL");
  to_files
      .AddOption("--format", FlagsOfModels().format, "A folder with weights, or one program file")
      .OneOf({"safetensors", "torchscript"});
  to_files.AddOption("-o,--output", FlagsOfModels().output, "Path to write; it must not exist yet")
      .Required()
      .TypeName("FILE");
  SetAction(to_files, Export);
}

}  // namespace tidemill::cli
