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

namespace v1 = model_store::v1;
using Stub = v1::ModelStoreService::Stub;

struct ModelsFlags {
  int64_t model = 0;
  int64_t run = 0;
  std::string format = "safetensors";
  std::string output;
};

ModelsFlags& Flags() {
  static ModelsFlags flags;
  return flags;
}

int64_t BytesOf(const v1::Model& model) {
  int64_t bytes = 0;
  for (const v1::ModelPart& part : model.parts()) bytes += part.size_bytes();
  return bytes;
}

nlohmann::ordered_json ModelToJson(const v1::Model& model) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const v1::ModelPart& part : model.parts()) {
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

int List(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    v1::ListModelsRequest request;
    request.set_run_id(Flags().run);
    v1::ListModelsResponse response;
    const absl::Status status =
        session.Call<v1::ModelStoreService>("model_store", &Stub::ListModels, request, &response);
    if (!status.ok()) return Report(status);
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    Table table({"MODEL", "RUN", "TRIGGER", "PARENT", "SAMPLES", "BYTES", "CREATED"});
    for (const v1::Model& model : response.models()) {
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

int Show(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    v1::GetModelRequest request;
    request.set_model_id(Flags().model);
    v1::GetModelResponse response;
    const absl::Status status =
        session.Call<v1::ModelStoreService>("model_store", &Stub::GetModel, request, &response);
    if (!status.ok()) return Report(status);
    fmt::print("{}\n", ModelToJson(response.model()).dump(flags.json ? -1 : 2));
    return kDone;
  });
}

int Export(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    model_store::ModelStoreClient store(session.PeerOf("model_store"));
    const ExportFormat format =
        Flags().format == "torchscript" ? ExportFormat::kTorchScript : ExportFormat::kSafetensors;
    const absl::Status status = ExportModel(store, {Flags().model}, format, Flags().output);
    if (!status.ok()) return Report(status);
    if (flags.json) {
      const nlohmann::ordered_json json = {
          {"model", Flags().model}, {"format", Flags().format}, {"output", Flags().output}};
      fmt::print("{}\n", json.dump());
    } else if (!flags.quiet) {
      fmt::print(stderr,
                 "model {} exported to {}: the network without preprocessing; its inputs must be "
                 "made as the graph of the pipeline makes them\n",
                 Flags().model, Flags().output);
    }
    return kDone;
  });
}

}  // namespace

void AddModelsCommands(Command& app) {
  Command& models = app.AddSubcommand("models", "Models that were trained");
  models.RequireSubcommand();
  Command& list = models.AddSubcommand("list", "List models with their lineage");
  list.AddOption("--run", Flags().run, "Only models of this run").TypeName("RUN");
  SetAction(list, List);
  Command& show = models.AddSubcommand("show", "Show a model's parts, parent and spec");
  show.AddOption("model", Flags().model, "Model id").Required().TypeName("MODEL");
  SetAction(show, Show);
  Command& to_files = models.AddSubcommand("export", "Write a model for other programs");
  to_files.AddOption("model", Flags().model, "Model id").Required().TypeName("MODEL");
  to_files.AddOption("--format", Flags().format, "A folder with weights, or one program file")
      .OneOf({"safetensors", "torchscript"});
  to_files.AddOption("-o,--output", Flags().output, "Path to write; it must not exist yet")
      .Required()
      .TypeName("FILE");
  SetAction(to_files, Export);
}

}  // namespace tidemill::cli
