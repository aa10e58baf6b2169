// The `model` section of a pipeline: which network to train.
//
//   model: {type: mlp, hidden: [64, 64], outputs: 2}
//   model: {type: resnet18, outputs: 10}
//   model: {type: embedding_bag, vocabulary: 20000, outputs: 40}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "models/spec/dense_models.h"
#include "models/spec/image_models.h"
#include "models/spec/script_model.h"
#include "models/spec/series_models.h"
#include "models/spec/table_models.h"
#include "models/spec/text_models.h"

namespace tidemill::models {

// A new network is one struct in the header of its family, one builder in <family>_networks.cc, and
// what it takes in model_inputs.cc.
using ModelSpec = std::variant<Mlp, Convnet, Logistic, Resnet18, EmbeddingBag, TextTransformer,
                               Dlrm, FactorizationMachine, Gru, Tcn, TorchScript>;

// Numbers that a network of this spec gives for each sample.
inline int64_t NumOutputs(const ModelSpec& spec) {
  return std::visit([](const auto& network) { return network.outputs; }, spec);
}

// "mlp", "convnet" ...
inline std::string TypeName(const ModelSpec& spec) {
  return std::string(std::visit([](const auto& network) { return network.kType; }, spec));
}

// Whether the gradients of its embeddings are sparse.
inline bool HasSparseGradients(const ModelSpec& spec) {
  return std::visit(
      [](const auto& network) {
        if constexpr (requires { network.sparse; }) return network.sparse;
        return false;
      },
      spec);
}

}  // namespace tidemill::models

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::models::ModelSpec);
