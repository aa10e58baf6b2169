// parse_csv: makes columns from named fields of a CSV record.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/column_list.h"
#include "transform/engine/graph_op.h"
#include "transform/ops/records/rows.h"

namespace tidemill::transform {

enum class CsvType { kFloat32, kFloat64, kInt64, kString };

// Returns the type of the column that holds fields of the given type.
batch::DataType ColumnType(CsvType type);

struct ParseCsvSpec {
  static constexpr std::string_view kType = "parse_csv";
  static constexpr std::string_view kDoc =
      "Reads fields of a CSV or TSV record into columns with the same names. Quoted fields are "
      "unquoted as RFC 4180 says. Spaces around a number do not matter. The dataset's `decimal`, "
      "`thousands` and `units` say how numbers are written. A record makes a bad "
      "sample if its number of fields is not the dataset's number of columns, or if a field is "
      "empty, not a number, not finite or too large for its type. `missing` allows some of these "
      "fields. A sample of a series holds `history` records, and `rows` says which of them to take "
      "the fields from.";
  static constexpr bool kIsRandom = false;
  config::ColumnList columns = {};
  CsvType dtype = CsvType::kFloat32;
  Rows rows = Rows::kLast;
  std::string suffix = {};
  std::vector<std::string> missing = {};

  void Fields(auto&& field) {
    field("columns", columns,
          "The fields to read: a list of names, or rules over the names of the dataset's columns. "
          "`all` and rules leave out the column of the label.",
          config::Limits{.required = true, .example = "[temperature, wind]", .min_items = 1});
    field("dtype", dtype, "Type of all these columns. Use several parse_csv for several types.");
    field("rows", rows,
          "Which rows of a series to read. `last`: the sample's own row. `previous`: the row "
          "before it, for example for the previous class. `all`: all rows, the oldest first, which "
          "makes columns of shape [history].");
    field("suffix", suffix, "Text to add to the names of the columns that are made.",
          config::Limits{.example = "_before"});
    field("missing", missing,
          "Texts of float fields, without the blanks around them, that mean a missing number. It "
          "becomes NaN, which fill_missing can replace.",
          config::Limits{.example = "[\"\", \"NA\"]"});
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const ParseCsvSpec&, const ParseCsvSpec&) = default;
};

template <>
class GraphOpOf<ParseCsvSpec> final : public GraphOpBase<ParseCsvSpec> {
 public:
  ReadFields Reads() const override;
  std::optional<BadField> TryField(const std::string& column, const std::string& text,
                                   const batch::CsvDialect& csv) const override;
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
