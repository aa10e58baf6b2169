// log1p: takes the logarithm of one plus a number, for counts and amounts.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "config/column_list.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

enum class NegativeNumber { kBadSample, kZero };

struct Log1pSpec {
  static constexpr std::string_view kType = "log1p";
  static constexpr std::string_view kDoc =
      "Replaces numbers x, such as counts and amounts, by log(1 + x), computed in double "
      "precision. float64 stays float64; all other types become float32. A missing number (NaN) "
      "stays missing.";
  static constexpr bool kIsRandom = false;
  config::ColumnList columns = config::ColumnList::All();
  NegativeNumber negative = NegativeNumber::kBadSample;

  void Fields(auto&& field) {
    field("columns", columns, "`all` columns of floats, or a list of columns of numbers.",
          config::Limits{.example = "[amount]"});
    field("negative", negative,
          "What to do with numbers below 0. `bad_sample` leaves the sample out; `zero` treats them "
          "as 0.");
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const Log1pSpec&, const Log1pSpec&) = default;
};

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::NegativeNumber> {
  static constexpr std::pair<tidemill::transform::NegativeNumber, std::string_view> kNames[] = {
      {tidemill::transform::NegativeNumber::kBadSample, "bad_sample"},
      {tidemill::transform::NegativeNumber::kZero, "zero"}};
};
