// The part `spec.yaml` of a model: everything that is needed to use its weights. The functions
// below read and write it. They need no torch.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "config/config.h"
#include "models/spec/class_outputs.h"
#include "models/spec/model_spec.h"
#include "models/training/program_spec.h"
#include "storage/spec/dataset_spec.h"
#include "transform/graph_spec.h"
#include "transform/target_scale.h"

namespace tidemill::models {

// The names of the parts of a model in the model store.
inline constexpr std::string_view kWeightsPart = "weights.safetensors";
inline constexpr std::string_view kFittedPart = "fitted.batch";
inline constexpr std::string_view kSpecPart = "spec.yaml";

struct ArtefactSpec {
  ModelSpec model;
  transform::GraphSpec graph;
  // The dataset that the model was trained on.
  storage::DatasetSpec dataset;
  // The names of the classes, in the order of the outputs. Empty for a real label.
  std::vector<std::string> classes;
  // How the loss read the outputs. Older artefacts do not say.
  std::optional<ClassOutputs> class_outputs = std::nullopt;
  // The program that has returned the model, where it is an object of this program.
  std::optional<ProgramSpec> program = std::nullopt;

  void Fields(auto&& field) {
    field("model", model, "The network.", {.required = true});
    field("graph", graph, "The ops that make the model's input from a sample.", {.required = true});
    field("dataset", dataset, "The dataset that the model was trained on.", {.required = true});
    field("classes", classes, "Names of the classes, in the order of the network's outputs.");
    field("class_outputs", class_outputs, "How outputs become probabilities of classes.");
    field("program", program, "The program that answers with the model, where it is an object.");
  }
};

// Returns how outputs become probabilities. When the spec does not say, a single output stands for
// two classes, unless there is only one class.
inline ClassOutputs ClassOutputsOf(const ArtefactSpec& spec) {
  const ClassOutputs likely =
      spec.classes.size() == 1 ? ClassOutputs::kSoftmax : ClassOutputs::kSigmoid;
  return spec.class_outputs.value_or(likely);
}

// Converts the spec to the bytes of the part, and back. INVALID_ARGUMENT lists the problems of the
// bytes.
std::string EncodeArtefactSpec(const ArtefactSpec& spec);
absl::StatusOr<ArtefactSpec> DecodeArtefactSpec(std::string_view part);

// Reads the spec of an artefact whose parts are files of a folder. NOT_FOUND without the file;
// otherwise as above.
absl::StatusOr<ArtefactSpec> ReadArtefactSpec(const std::string& folder);

// Returns the conversion from the model's answers to labels. DATA_LOSS when the fitted part is
// damaged.
absl::StatusOr<transform::TargetScale> ReadTargetScale(const ArtefactSpec& spec,
                                                       const std::string& folder);

}  // namespace tidemill::models
