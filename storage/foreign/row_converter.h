// Converts rows of text to the form of a dataset's records.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::storage {

// A row that gave no record.
struct UnansweredRow {
  int64_t row = 0;
  std::string reason;
  // Whether the dataset's spec filters it, so that it is not an error.
  bool filtered = false;
};

// Converted text.
struct ConvertedRows {
  // Records, each with its line end.
  std::string text = {};
  // The row of each record, and the rows that gave no record.
  std::vector<int64_t> rows = {};
  std::vector<UnansweredRow> left_out = {};
};

// Numbers rows from 1, in the order of the calls. Thread-compatible.
class RowConverter {
 public:
  virtual ~RowConverter() = default;

  // Converts the whole rows at the front of `text` and appends them. `last` says that nothing
  // follows the text. Returns the number of bytes consumed.
  virtual size_t Convert(std::string_view text, bool last, ConvertedRows& into) = 0;
};

// The form of delimited text, and its columns. The header does not count as a row.
struct RowLayout {
  std::string delimiter = ",";
  std::optional<char> quote = '"';
  std::vector<std::string> columns = {};
};

// The converters. `spec` is the spec of the dataset, which must be CSV (with its columns) or JSON
// Lines. A column that the rows do not have is empty in CSV and absent in JSON. Columns that the
// dataset does not have are left out of CSV. A row may be as long as a record of the dataset.
std::unique_ptr<RowConverter> ConvertCsv(const RowLayout& layout, const DatasetSpec& spec);
std::unique_ptr<RowConverter> ConvertJson(const DatasetSpec& spec);

// Returns the delimiter of the first row of a text. It is the usual delimiter by which most fields
// are `columns`, or else the most frequent one.
std::string DelimiterOf(std::string_view text, const std::vector<std::string>& columns);

// Whether the first row of a text, which must not begin with a line end, is there as a whole.
bool HasFirstRow(std::string_view text, const std::vector<std::string>& columns);

// Returns the fields of the first row, without quotes. It may go over several lines.
std::vector<std::string> FieldsOf(std::string_view text, const RowLayout& layout);

// The most bytes of a header.
inline constexpr size_t kMaxHeader = size_t{1} << 20;

}  // namespace tidemill::storage
