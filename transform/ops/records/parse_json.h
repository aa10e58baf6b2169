// parse_json: makes columns from named fields of a JSON object.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "transform/engine/graph_op.h"
#include "transform/engine/op_spec.h"
#include "transform/ops/records/parse_csv.h"
#include "transform/ops/records/rows.h"

namespace tidemill::transform {

struct ParseJsonSpec {
  static constexpr std::string_view kType = "parse_json";
  static constexpr std::string_view kDoc =
      "Reads fields of a JSON object into columns with the same names. `a.b` is the field b of the "
      "object a, `topics[0]` the first element of the list topics, `a[\"b c\"]` the field `b c` of "
      "the object a. Numbers may also be written as texts; true is 1 and false is 0. A sample is "
      "bad if it is not an object, or if a field is missing, null, a list, an object, not a "
      "number, not finite or too large for its type. `missing` allows some of these fields. A "
      "sample of a series holds `history` lines, and `rows` says which of them to take the fields "
      "from.";
  static constexpr bool kIsRandom = false;
  std::vector<std::string> fields = {};
  CsvType dtype = CsvType::kFloat32;
  std::vector<std::string> missing = {};
  Rows rows = Rows::kLast;
  std::string suffix = {};

  void Fields(auto&& field) {
    field("fields", fields, "Names of the fields to read.",
          config::Limits{.required = true, .example = "[temperature, wind.speed]", .min_items = 1});
    field("dtype", dtype, "Type of all these columns. Use several parse_json for several types.");
    field("missing", missing,
          "Texts that mean a missing value. \"null\" also means null and a field that does not "
          "exist. A missing value becomes NaN, which fill_missing can replace; a missing string "
          "becomes the empty string.",
          config::Limits{.example = "[\"null\", \"NA\"]"});
    field("rows", rows,
          "Which rows of a series to read. `last`: the sample's own row. `previous`: the row "
          "before it. `all`: all rows, the oldest first, which makes columns of shape [history].");
    field("suffix", suffix, "Text to add to the names of the columns that are made.",
          config::Limits{.example = "_before"});
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const ParseJsonSpec&, const ParseJsonSpec&) = default;
};

template <>
class GraphOpOf<ParseJsonSpec> final : public GraphOpBase<ParseJsonSpec> {
 public:
  ReadFields Reads() const override { return {.key = "fields", .names = spec_.fields}; }
};

}  // namespace tidemill::transform
