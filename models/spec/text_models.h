// Networks over sequences of token ids: rows of int64 [length], where 0 is padding.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "models/spec/dense_models.h"

namespace tidemill::models {

inline constexpr std::string_view kSparseDoc =
    "Keep gradients of the embedding for the rows that a batch touches only: faster for large "
    "vocabularies. Needs sgd without momentum or adagrad, both without weight decay.";

enum class Pooling { kMean, kSum };

struct EmbeddingBag {
  static constexpr std::string_view kType = "embedding_bag";
  static constexpr std::string_view kDoc =
      "A bag of words: the mean or sum of the tokens' embeddings, then layers of ReLU units.";
  int64_t vocabulary = 2;
  int64_t width = 64;
  Pooling pooling = Pooling::kMean;
  bool sparse = false;
  std::vector<int64_t> hidden = {};
  int64_t outputs = 1;
  double dropout = 0;

  void Fields(auto&& field) {
    field("vocabulary", vocabulary, "Ids that there are: 0, the padding, and those of tokens.",
          {.min = 2, .max = 1e8, .required = true, .example = "20000"});
    field("width", width, "Numbers that stand for a token.", {.min = 1, .max = 8192});
    field("pooling", pooling, "What becomes of the tokens of a row.");
    field("sparse", sparse, kSparseDoc);
    field("hidden", hidden, "Units of each hidden layer; [] for a linear model.",
          {.min = 1, .max = 65536});
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
    field("dropout", dropout, kDropoutDoc, {.min = 0, .max = 0.95});
  }
  friend bool operator==(const EmbeddingBag&, const EmbeddingBag&) = default;
};

struct TextTransformer {
  static constexpr std::string_view kType = "text_transformer";
  static constexpr std::string_view kDoc =
      "A small transformer encoder (Vaswani et al., 2017; normalised before each part): token and "
      "position embedding, layers of self-attention, mean over the tokens.";
  int64_t vocabulary = 2;
  int64_t width = 64;
  int64_t heads = 4;
  int64_t layers = 2;
  int64_t outputs = 1;
  double dropout = 0.1;

  void Fields(auto&& field) {
    field("vocabulary", vocabulary, "Ids that there are: 0, the padding, and those of tokens.",
          {.min = 2, .max = 1e8, .required = true, .example = "20000"});
    field("width", width, "Numbers that stand for a token.", {.min = 1, .max = 8192});
    field("heads", heads, "Heads of the attention; they divide the width.", {.min = 1, .max = 256});
    field("layers", layers, "Layers of attention.", {.min = 1, .max = 48});
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
    field("dropout", dropout, kDropoutDoc, {.min = 0, .max = 0.95});
  }
  void Check(config::Problems& problems) const {
    if (heads > 0 && width % heads != 0) {
      problems.Add("heads", "must divide the width", "for example width: 64, heads: 4");
    }
  }
  friend bool operator==(const TextTransformer&, const TextTransformer&) = default;
};

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::Pooling> {
  static constexpr std::pair<tidemill::models::Pooling, std::string_view> kNames[] = {
      {tidemill::models::Pooling::kMean, "mean"}, {tidemill::models::Pooling::kSum, "sum"}};
};
