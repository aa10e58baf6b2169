// fill_missing: replaces missing numbers.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "config/column_list.h"
#include "transform/engine/op_spec.h"

namespace tidemill::config {
class Problems;
}

namespace tidemill::transform {

enum class Filling { kNumber, kMean, kMedian };

struct FillMissingSpec {
  static constexpr std::string_view kType = "fill_missing";
  static constexpr std::string_view kDoc =
      "Replaces missing numbers (NaN) of float columns by a number, or by the mean or median of "
      "the selected samples' numbers in the same place. The mean or median is learned before "
      "training and stored with the model. Read the fields with `parse_csv: {missing: [\"\"]}`, "
      "which turns empty fields into NaN. The median is exact for up to 131,072 samples. For more "
      "samples it is the median of a uniform draw.";
  static constexpr bool kIsRandom = false;
  config::ColumnList columns = config::ColumnList::All();
  Filling with = Filling::kNumber;
  double number = 0;
  bool indicator = false;

  void Fields(auto&& field) {
    field("columns", columns, "`all` columns of floats, or a list of columns of numbers.",
          config::Limits{.example = "[pm25]"});
    field("with", with, "What to put in the place of a missing number.");
    field("number", number, "The number to put there, for `with: number`.");
    field("indicator", indicator,
          "Also makes a float32 column c_missing for every column c. It is 1 where a number was "
          "missing, else 0.");
  }
  void Check(config::Problems& problems) const;
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const FillMissingSpec&, const FillMissingSpec&) = default;
};

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::Filling> {
  static constexpr std::pair<tidemill::transform::Filling, std::string_view> kNames[] = {
      {tidemill::transform::Filling::kNumber, "number"},
      {tidemill::transform::Filling::kMean, "mean"},
      {tidemill::transform::Filling::kMedian, "median"}};
};
