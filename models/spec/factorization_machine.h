// Pairwise interactions of categories and, optionally, numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "models/spec/model_spec.h"
#include "models/spec/network_docs.h"

namespace tidemill::models {

struct FactorizationMachine {
  static constexpr std::string_view kType = "factorization_machine";
  static constexpr std::string_view kDoc =
      "A factorization machine (Rendle, 2010): a linear model plus the products of all pairs of "
      "features, by low-rank factors. Categories are in `input_categories` next to numbers in "
      "`input`, or in `input` (int64 [k]) alone.";
  static constexpr RowLengths kLengths = RowLengths::kOne;
  std::vector<int64_t> categories = {};
  int64_t factors = 8;
  bool sparse = false;
  int64_t outputs = 1;

  void Fields(auto&& field) {
    field("categories", categories, kCategoriesDoc,
          {.min = 1, .max = 1e9, .required = true, .example = "[1000, 50]", .min_items = 1});
    field("factors", factors, "Rank of the products.", {.min = 1, .max = 1024});
    field("sparse", sparse, kSparseDoc);
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 4096, .required = true});
  }

  std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const;
  std::vector<int64_t> IdLimits(std::string_view /*column*/) const { return categories; }
  bool HasSparseGradients() const { return sparse; }
  bool IsSmall() const { return false; }

  friend bool operator==(const FactorizationMachine&, const FactorizationMachine&) = default;
};

absl::StatusOr<ModulePtr> MakeModule(const FactorizationMachine& spec, const NetworkParts& parts);

}  // namespace tidemill::models
