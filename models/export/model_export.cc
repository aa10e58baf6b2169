#include "models/export/model_export.h"

#include <unistd.h>

#include <filesystem>
#include <map>
#include <utility>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "config/config.h"
#include "models/artefact_spec.h"
#include "models/export/network_trace.h"
#include "models/network.h"
#include "models/safetensors.h"
#include "transform/target_scale.h"

namespace tidemill::models {
namespace {

constexpr char kNoPreprocessing[] =
    "\n**It has no preprocessing.** The network takes prepared inputs. Its outputs for raw "
    "features make no sense. First do what the ops in `spec.yaml` do, with the numbers that they "
    "learned (`fitted.batch`).\n";

constexpr char kProgramArray[] = "torchscript.program";

struct Artefact {
  ArtefactSpec spec;
  std::string spec_text;
  std::string weights;
  Network network;
  transform::TargetScale target_scale;
};

absl::StatusOr<Artefact> ReadArtefact(const std::string& folder) {
  Artefact artefact;
  ASSIGN_OR_RETURN(artefact.spec_text, files::Read(files::Join(folder, kSpecPart)));
  ASSIGN_OR_RETURN(artefact.spec, DecodeArtefactSpec(artefact.spec_text));
  ASSIGN_OR_RETURN(artefact.weights, files::Read(files::Join(folder, kWeightsPart)));
  ASSIGN_OR_RETURN(artefact.target_scale, ReadTargetScale(artefact.spec, folder));
  ASSIGN_OR_RETURN(artefact.network, DecodeNetwork(artefact.spec.model, artefact.weights));
  return artefact;
}

std::string ConfigOf(const Artefact& artefact) {
  nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
  for (const auto& [name, input] : artefact.network.inputs) {
    inputs.push_back({{"name", name},
                      {"dtype", input.is_integer ? "int64" : "float32"},
                      {"shape", input.shape}});
  }
  nlohmann::ordered_json json = {{"library_name", "tidemill"},
                                 {"model_type", artefact.spec.model.type()},
                                 {"network", config::Print(artefact.spec.model)},
                                 {"preprocessing", "none: see spec.yaml"},
                                 {"inputs", inputs},
                                 {"num_outputs", artefact.spec.model->NumOutputs()}};
  if (transform::StandardizesTarget(artefact.spec.graph)) {
    json["target"] = {{"mean", artefact.target_scale.mean},
                      {"deviation", artefact.target_scale.deviation}};
  }
  for (size_t i = 0; i < artefact.spec.classes.size(); ++i) {
    json["id2label"][std::to_string(i)] = artefact.spec.classes[i];
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string CardOf(const Artefact& artefact) {
  const std::string_view type = artefact.spec.model.type();
  std::string card = fmt::format(
      "---\nlibrary_name: tidemill\ntags:\n- tidemill\n- {0}\n---\n\n# A {0} model\n\n"
      "Trained by Tidemill.\n\n| input | type and shape of a row |\n|---|---|\n",
      type);
  for (const auto& [name, input] : artefact.network.inputs) {
    card += fmt::format("| `{}` | {} |\n", name, Describe(input));
  }
  card += fmt::format("\nIt gives {} numbers for each row", artefact.spec.model->NumOutputs());
  card += artefact.spec.classes.empty()
              ? std::string(".\n")
              : fmt::format(", one for each class: {}.\n", fmt::join(artefact.spec.classes, ", "));
  if (transform::StandardizesTarget(artefact.spec.graph)) {
    card += fmt::format(
        "The network was trained on standardised labels. A real label is its output times {} plus "
        "{}.\n",
        artefact.target_scale.deviation, artefact.target_scale.mean);
  }
  return card + kNoPreprocessing +
         fmt::format(
             "\n- `model.safetensors`: the weights; read them with the library safetensors.\n- "
             "`config.json`: the network, its inputs and classes.\n- `spec.yaml`: the network, the "
             "ops that make its input from a sample, the dataset.\n- `fitted.batch`: what the ops "
             "have learned from the training set.\n\n```yaml\n{}```\n",
             config::Print(artefact.spec.model));
}

// The arrays without the program of a TorchScript file, marked as others expect it.
absl::StatusOr<std::string> PlainWeights(const std::string& weights, std::string& program) {
  ASSIGN_OR_RETURN(TensorFile file, ReadTensorFile(weights));
  if (const auto it = file.tensors.find(kProgramArray); it != file.tensors.end()) {
    program = std::string(it->second.bytes);
    file.tensors.erase(it);
  }
  file.metadata["format"] = "pt";
  return WriteTensorFile(file);
}

absl::Status WriteFolder(const Artefact& artefact, const std::string& from,
                         const std::string& folder) {
  std::string program;
  ASSIGN_OR_RETURN(const std::string weights, PlainWeights(artefact.weights, program));
  std::map<std::string, std::string> contents = {{"model.safetensors", weights},
                                                 {"config.json", ConfigOf(artefact)},
                                                 {"README.md", CardOf(artefact)},
                                                 {std::string(kSpecPart), artefact.spec_text}};
  if (!program.empty()) contents["network.pt"] = std::move(program);
  const std::string fitted = files::Join(from, kFittedPart);
  if (files::Exists(fitted)) {
    ASSIGN_OR_RETURN(contents[std::string(kFittedPart)], files::Read(fitted));
  }
  RETURN_IF_ERROR(files::CreateFolder(folder));
  for (const auto& [name, text] : contents) {
    RETURN_IF_ERROR(files::WriteAtomically(files::Join(folder, name), text));
  }
  return absl::OkStatus();
}

// Lets `write` write beside `output` and renames what it wrote.
template <typename Write>
absl::Status Publish(const std::string& output, const Write& write) {
  if (files::Exists(output)) {
    return FailedPrecondition("{} is there already; remove it or name another path", output);
  }
  const std::string partial = fmt::format("{}.partial-{}", output, getpid());
  absl::Status status = write(partial);
  if (status.ok()) {
    std::error_code error;
    std::filesystem::rename(partial, output, error);
    if (error) status = Internal("cannot write {}: {}", output, error.message());
  }
  if (!status.ok()) files::Remove(partial).IgnoreError();
  return status;
}

}  // namespace

absl::Status ExportSafetensors(const std::string& artefact, const std::string& output) {
  ASSIGN_OR_RETURN(const Artefact read, ReadArtefact(artefact));
  return Publish(output,
                 [&](const std::string& partial) { return WriteFolder(read, artefact, partial); });
}

absl::Status ExportTorchScript(const std::string& artefact, const std::string& output) {
  ASSIGN_OR_RETURN(const Artefact read, ReadArtefact(artefact));
  return Publish(output, [&](const std::string& partial) -> absl::Status {
    RETURN_IF_ERROR(WriteTorchScript(
        read.network, {{"spec.yaml", read.spec_text}, {"config.json", ConfigOf(read)}}, partial));
    // A user's program is not to run on the machine that exports it.
    const bool is_program = !read.network.module->program().empty();
    return is_program ? absl::OkStatus() : CompareTorchScript(read.network, partial);
  });
}

}  // namespace tidemill::models
