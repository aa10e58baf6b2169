// A network for the numbers and categories of recommendation and advertising.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "models/spec/model_spec.h"
#include "models/spec/network_docs.h"

namespace tidemill::models {

struct Dlrm {
  static constexpr std::string_view kType = "dlrm";
  static constexpr std::string_view kDoc =
      "DLRM (Naumov et al., 2019). Numbers (`input`, float32 [d]) go through layers of their own, "
      "and categories (`input_categories`, int64 [k]) through embeddings. The products of all "
      "pairs then go through the upper layers.";
  static constexpr RowLengths kLengths = RowLengths::kOne;
  std::vector<int64_t> categories = {};
  int64_t width = 16;
  std::vector<int64_t> bottom = {64};
  std::vector<int64_t> top = {64};
  bool sparse = false;
  int64_t outputs = 1;

  void Fields(auto&& field) {
    field("categories", categories, kCategoriesDoc,
          {.min = 1, .max = 1e9, .required = true, .example = "[1000, 50]", .min_items = 1});
    field("width", width, "Length of the embedding of a category.", {.min = 1, .max = 1024});
    field("bottom", bottom, "Units of the hidden layers for the numbers.",
          {.min = 1, .max = 65536});
    field("top", top, "Units of the hidden layers for the products.", {.min = 1, .max = 65536});
    field("sparse", sparse, kSparseDoc);
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
  }

  std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const;
  std::vector<int64_t> IdLimits(std::string_view column) const {
    return column == kInputCategories ? categories : std::vector<int64_t>();
  }
  bool HasSparseGradients() const { return sparse; }
  bool IsSmall() const { return false; }

  friend bool operator==(const Dlrm&, const Dlrm&) = default;
};

absl::StatusOr<ModulePtr> MakeModule(const Dlrm& spec, const NetworkParts& parts);

}  // namespace tidemill::models
