// The part `spec.yaml` of a model: all that is needed to use its weights.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "models/spec/class_outputs.h"
#include "models/spec/model_spec.h"
#include "storage/client/dataset_spec.h"
#include "transform/graph_spec.h"

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
    field("graph", graph, "The ops that make its input of a sample.", {.required = true});
    field("dataset", dataset, "The dataset it was trained on.", {.required = true});
    field("classes", classes, "Names of the classes, by output of the network.");
    field("class_outputs", class_outputs, "How outputs become probabilities of classes.");
  }
};

// Without a word about it, one output stands for two classes, unless there is but one.
inline ClassOutputs ClassOutputsOf(const ArtefactSpec& spec) {
  const ClassOutputs likely =
      spec.classes.size() == 1 ? ClassOutputs::kSoftmax : ClassOutputs::kSigmoid;
  return spec.class_outputs.value_or(likely);
}

}  // namespace tidemill::models
