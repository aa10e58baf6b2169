// The part `spec.yaml` of a model: all that is needed to use its weights.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "models/model_spec.h"
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

  void Fields(auto&& field) {
    field("model", model, "The network.", {.required = true});
    field("graph", graph, "The ops that make its input of a sample.", {.required = true});
    field("dataset", dataset, "The dataset it was trained on.", {.required = true});
    field("classes", classes, "Names of the classes, by output of the network.");
  }
};

}  // namespace tidemill::models
