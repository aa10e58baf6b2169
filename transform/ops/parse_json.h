// parse_json: makes columns from named fields of a JSON object.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "transform/engine/op_spec.h"
#include "transform/ops/parse_csv.h"
#include "transform/ops/rows.h"

namespace tidemill::transform {

struct ParseJsonSpec {
  static constexpr std::string_view kType = "parse_json";
  static constexpr std::string_view kDoc =
      "Reads fields of a JSON object into columns of the same names; `a.b` is the field b of the "
      "object a. Numbers may also be written as texts, true is 1 and false 0. A sample that is no "
      "object, or a field that is not there, null, a list, an object, no number, not finite or too "
      "large for its type, makes a bad sample; `missing` lets some of them pass. A sample of a "
      "series holds `history` lines: `rows` says of which to take the fields.";
  static constexpr bool kIsRandom = false;
  std::vector<std::string> fields = {};
  CsvType dtype = CsvType::kFloat32;
  std::vector<std::string> missing = {};
  Rows rows = Rows::kLast;
  std::string suffix = {};
  bool autocache = false;

  void Fields(auto&& field) {
    field("fields", fields, "Names of the fields to read.",
          config::Limits{.required = true, .example = "[temperature, wind.speed]", .min_items = 1});
    field("dtype", dtype, "Type of all these columns; use several parse_json for several types.");
    field(
        "missing", missing,
        "Texts that stand for a missing value; \"null\" also stands for null and for a field that "
        "is not there. It becomes NaN, for fill_missing to replace; as a string, the empty one.",
        config::Limits{.example = "[\"null\", \"NA\"]"});
    field("rows", rows,
          "Rows of a series: the `last`, which is the sample's own; the `previous` one; or `all`, "
          "the oldest first, which makes columns of shape [history].");
    field("suffix", suffix, "Added to the names of the columns made.",
          config::Limits{.example = "_before"});
    field("autocache", autocache, kAutocacheDoc);
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const ParseJsonSpec&, const ParseJsonSpec&) = default;
};

}  // namespace tidemill::transform
