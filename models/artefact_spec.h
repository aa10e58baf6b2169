// The part `spec.yaml` of a model: all that is needed to use its weights. Whoever writes or reads
// an artefact does it with the functions below, which need no torch.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "config/config.h"
#include "models/spec/class_outputs.h"
#include "models/spec/model_spec.h"
#include "storage/client/dataset_spec.h"
#include "transform/graph_spec.h"
#include "transform/target_scale.h"

namespace tidemill::models {

// Names of the parts of a model in the model store.
inline constexpr std::string_view kWeightsPart = "weights.safetensors";
inline constexpr std::string_view kFittedPart = "fitted.batch";
inline constexpr std::string_view kSpecPart = "spec.yaml";

struct ArtefactSpec {
  ModelSpec model;
  transform::GraphSpec graph;
  // The dataset that the model was trained on.
  storage::DatasetSpec dataset;
  // Class names by output; empty for a real label.
  std::vector<std::string> classes;
  // As the loss took the outputs; artefacts from before it was written down do not say.
  std::optional<ClassOutputs> class_outputs = std::nullopt;

  void Fields(auto&& field) {
    field("model", model, "The network.", {.required = true});
    field("graph", graph, "The ops that make the model's input from a sample.", {.required = true});
    field("dataset", dataset, "The dataset that the model was trained on.", {.required = true});
    field("classes", classes, "Names of the classes, in the order of the network's outputs.");
    field("class_outputs", class_outputs, "How outputs become probabilities of classes.");
  }
};

// Without a word about it, one output stands for two classes, unless there is but one.
inline ClassOutputs ClassOutputsOf(const ArtefactSpec& spec) {
  const ClassOutputs likely =
      spec.classes.size() == 1 ? ClassOutputs::kSoftmax : ClassOutputs::kSigmoid;
  return spec.class_outputs.value_or(likely);
}

// The bytes of the part, and back. INVALID_ARGUMENT lists what is wrong with them.
std::string EncodeArtefactSpec(const ArtefactSpec& spec);
absl::StatusOr<ArtefactSpec> DecodeArtefactSpec(std::string_view part);

// Of an artefact whose parts are files of a folder. NOT_FOUND, or as above.
absl::StatusOr<ArtefactSpec> ReadArtefactSpec(const std::string& folder);

// How an answer of such an artefact becomes a label. DATA_LOSS where the fitted part is damaged.
absl::StatusOr<transform::TargetScale> ReadTargetScale(const ArtefactSpec& spec,
                                                       const std::string& folder);

}  // namespace tidemill::models
