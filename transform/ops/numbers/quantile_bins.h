// quantile_bins: maps numbers to the quantile bin that they fall into.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

struct QuantileBinsSpec {
  static constexpr std::string_view kType = "quantile_bins";
  static constexpr std::string_view kDoc =
      "Replaces numbers by the number of their bin, an int64 from 0 to bins-1. Each bin holds "
      "about the same number of the selected samples. The bounds of the bins are learned before "
      "training and stored with the model. Bound i is the number at place i*n/bins, rounded down, "
      "of the n sorted numbers. A number's bin is the count of bounds that are not greater than "
      "the number. If there are more than 131,072 samples, the bounds come from a uniform draw. A "
      "missing number (NaN) makes a bad sample; put fill_missing first.";
  static constexpr bool kIsRandom = false;
  std::string column = {};
  int64_t bins = 0;
  bool one_hot = false;
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of numbers.",
          config::Limits{.required = true, .example = "age"});
    field("bins", bins, "Number of bins.",
          config::Limits{.min = 2, .max = 65536, .required = true, .example = "10"});
    field("one_hot", one_hot,
          "Makes float32 rows with a 1 at the place of the bin instead. For columns with one "
          "number in each row.");
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const QuantileBinsSpec&, const QuantileBinsSpec&) = default;
};

}  // namespace tidemill::transform
