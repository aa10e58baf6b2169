// Attention over sequences of token ids. Rows are int64 [length]; 0 is padding.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "models/spec/input_checks.h"
#include "models/spec/model_spec.h"
#include "models/spec/network_docs.h"

namespace tidemill::models {

struct TextTransformer {
  static constexpr std::string_view kType = "text_transformer";
  static constexpr std::string_view kDoc =
      "A small transformer encoder (Vaswani et al., 2017; normalised before each part): token and "
      "position embedding, layers of self-attention, and a mean over the tokens.";
  static constexpr RowLengths kLengths = RowLengths::kPadded;
  int64_t vocabulary = 2;
  int64_t width = 64;
  int64_t heads = 4;
  int64_t layers = 2;
  int64_t outputs = 1;
  double dropout = 0.1;

  void Fields(auto&& field) {
    field("vocabulary", vocabulary, "Number of ids: 0, the padding, and those of tokens.",
          {.min = 2, .max = 1e8, .required = true, .example = "20000"});
    field("width", width, "Length of the embedding of a token.", {.min = 1, .max = 8192});
    field("heads", heads, "Number of heads of the attention. It must divide the width.",
          {.min = 1, .max = 256});
    field("layers", layers, "Number of layers of attention.", {.min = 1, .max = 48});
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
    field("dropout", dropout, kDropoutDoc, {.min = 0, .max = 0.95});
  }
  void Check(config::Problems& problems) const {
    if (heads > 0 && width % heads != 0) {
      problems.Add("heads", "must divide the width", "for example width: 64, heads: 4");
    }
  }

  std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const {
    return CheckTokens("a text_transformer", inputs);
  }
  std::vector<int64_t> IdLimits(std::string_view /*column*/) const { return {vocabulary}; }
  bool HasSparseGradients() const { return false; }
  bool IsSmall() const { return false; }

  friend bool operator==(const TextTransformer&, const TextTransformer&) = default;
};

absl::StatusOr<ModulePtr> MakeModule(const TextTransformer& spec, const NetworkParts& parts);

}  // namespace tidemill::models
