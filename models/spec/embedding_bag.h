// A bag of words over sequences of token ids. Rows are int64 [length]; 0 is padding.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "models/spec/input_checks.h"
#include "models/spec/model_spec.h"
#include "models/spec/network_docs.h"

namespace tidemill::models {

enum class Pooling { kMean, kSum };

struct EmbeddingBag {
  static constexpr std::string_view kType = "embedding_bag";
  static constexpr std::string_view kDoc =
      "A bag of words: the mean or the sum of the tokens' embeddings, then layers of ReLU units.";
  static constexpr RowLengths kLengths = RowLengths::kRagged;
  int64_t vocabulary = 2;
  int64_t width = 64;
  Pooling pooling = Pooling::kMean;
  bool sparse = false;
  std::vector<int64_t> hidden = {};
  int64_t outputs = 1;
  double dropout = 0;

  void Fields(auto&& field) {
    field("vocabulary", vocabulary, "Number of ids: 0, the padding, and those of tokens.",
          {.min = 2, .max = 1e8, .required = true, .example = "20000"});
    field("width", width, "Length of the embedding of a token.", {.min = 1, .max = 8192});
    field("pooling", pooling, "How to combine the tokens of a row.");
    field("sparse", sparse, kSparseDoc);
    field("hidden", hidden, "Units of each hidden layer; [] for a linear model.",
          {.min = 1, .max = 65536});
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
    field("dropout", dropout, kDropoutDoc, {.min = 0, .max = 0.95});
  }

  std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const {
    return CheckTokens("an embedding_bag", inputs);
  }
  std::vector<int64_t> IdLimits(std::string_view /*column*/) const { return {vocabulary}; }
  bool HasSparseGradients() const { return sparse; }
  bool IsSmall() const { return false; }

  friend bool operator==(const EmbeddingBag&, const EmbeddingBag&) = default;
};

absl::StatusOr<ModulePtr> MakeModule(const EmbeddingBag& spec, const NetworkParts& parts);

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::Pooling> {
  static constexpr std::pair<tidemill::models::Pooling, std::string_view> kNames[] = {
      {tidemill::models::Pooling::kMean, "mean"}, {tidemill::models::Pooling::kSum, "sum"}};
};
