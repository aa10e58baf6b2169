// parse_csv: fields of a CSV record, by name, as columns.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config_types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

enum class CsvType { kFloat32, kFloat64, kInt64, kString };

struct ParseCsvSpec {
  static constexpr std::string_view kType = "parse_csv";
  static constexpr std::string_view kDoc =
      "Reads fields of a CSV or TSV record into columns of the same names. Quoted fields are "
      "unquoted as RFC 4180 says; spaces around a number do not matter. A record with another "
      "number of fields than the dataset has columns, or a field that is empty, not a number, not "
      "finite or too large for its type, makes a bad sample.";
  std::vector<std::string> columns = {};
  CsvType dtype = CsvType::kFloat32;
  bool autocache = false;

  void Fields(auto&& field) {
    field("columns", columns, "Names of the fields to read.",
          config::Limits{.required = true, .example = "[temperature, wind]", .min_items = 1});
    field("dtype", dtype, "Type of all these columns; use several parse_csv for several types.");
    field("autocache", autocache, kAutocacheDoc);
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

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
