// Networks over categories and, beside them, numbers: recommendation and advertising.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "models/spec/text_models.h"

namespace tidemill::models {

inline constexpr std::string_view kCategoriesDoc =
    "How many ids each category has, in the order of the columns; ids lie below it.";

struct Dlrm {
  static constexpr std::string_view kType = "dlrm";
  static constexpr std::string_view kDoc =
      "DLRM (Naumov et al., 2019): numbers (`input`, float32 [d]) through layers of their own, "
      "categories (`input_categories`, int64 [k]) through embeddings, the products of all pairs, "
      "then the upper layers.";
  std::vector<int64_t> categories = {};
  int64_t width = 16;
  std::vector<int64_t> bottom = {64};
  std::vector<int64_t> top = {64};
  bool sparse = false;
  int64_t outputs = 1;

  void Fields(auto&& field) {
    field("categories", categories, kCategoriesDoc,
          {.min = 1, .max = 1e9, .required = true, .example = "[1000, 50]", .min_items = 1});
    field("width", width, "Numbers that stand for a category.", {.min = 1, .max = 1024});
    field("bottom", bottom, "Units of the hidden layers under the numbers.",
          {.min = 1, .max = 65536});
    field("top", top, "Units of the hidden layers over the products.", {.min = 1, .max = 65536});
    field("sparse", sparse, kSparseDoc);
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
  }
  friend bool operator==(const Dlrm&, const Dlrm&) = default;
};

struct FactorizationMachine {
  static constexpr std::string_view kType = "factorization_machine";
  static constexpr std::string_view kDoc =
      "A factorization machine (Rendle, 2010): a linear model plus the products of all pairs of "
      "features, by low-rank factors. Categories are `input_categories` beside numbers in "
      "`input`, or `input` (int64 [k]) alone.";
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
  friend bool operator==(const FactorizationMachine&, const FactorizationMachine&) = default;
};

}  // namespace tidemill::models
