// parse_csv: makes columns from named fields of a CSV record.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/types.h"
#include "transform/engine/op_spec.h"
#include "transform/ops/rows.h"

namespace tidemill::transform {

enum class CsvType { kFloat32, kFloat64, kInt64, kString };

// Returns the type of the column that holds fields of the given type.
batch::DataType ColumnType(CsvType type);

struct ParseCsvSpec {
  static constexpr std::string_view kType = "parse_csv";
  static constexpr std::string_view kDoc =
      "Reads fields of a CSV or TSV record into columns of the same names. Quoted fields are "
      "unquoted as RFC 4180 says; spaces around a number do not matter. A record with another "
      "number of fields than the dataset has columns, or a field that is empty, not a number, not "
      "finite or too large for its type, makes a bad sample; `missing` lets some of them pass. "
      "A sample of a series holds `history` records: `rows` says of which to take the fields.";
  static constexpr bool kIsRandom = false;
  std::vector<std::string> columns = {};
  CsvType dtype = CsvType::kFloat32;
  Rows rows = Rows::kLast;
  std::string suffix = {};
  std::vector<std::string> missing = {};
  bool autocache = false;

  void Fields(auto&& field) {
    field("columns", columns, "Names of the fields to read.",
          config::Limits{.required = true, .example = "[temperature, wind]", .min_items = 1});
    field("dtype", dtype, "Type of all these columns; use several parse_csv for several types.");
    field(
        "rows", rows,
        "Rows of a series: the `last`, which is the sample's own; the `previous` one, such as for "
        "the class before; or `all`, the oldest first, which makes columns of shape [history].");
    field("suffix", suffix, "Added to the names of the columns made.",
          config::Limits{.example = "_before"});
    field("missing", missing,
          "Texts of float fields, blanks around them left out, that stand for a missing number: it "
          "becomes NaN, for fill_missing to replace.",
          config::Limits{.example = "[\"\", \"NA\"]"});
    field("autocache", autocache, kAutocacheDoc);
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;
  ReadFields Reads() const;
  std::optional<BadField> TryField(const std::string& text) const;

  friend bool operator==(const ParseCsvSpec&, const ParseCsvSpec&) = default;
};

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::CsvType> {
  static constexpr std::pair<tidemill::transform::CsvType, std::string_view> kNames[] = {
      {tidemill::transform::CsvType::kFloat32, "float32"},
      {tidemill::transform::CsvType::kFloat64, "float64"},
      {tidemill::transform::CsvType::kInt64, "int64"},
      {tidemill::transform::CsvType::kString, "string"}};
};
