// Reads named fields out of the bytes of samples, whatever their format.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "records/csv_splitter.h"
#include "records/json_fields.h"
#include "records/tf_example.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::samples {

// The fields of one record after another. Thread-compatible.
class RecordFields {
 public:
  // The field for each name; std::nullopt when the record lacks the field, or when it is not a
  // single value.
  using Fields = std::span<const std::optional<std::string_view>>;
  // Returns whether to continue.
  using Visitor = std::function<bool(Fields)>;

  // INVALID_ARGUMENT when there is no such column.
  static absl::StatusOr<RecordFields> Make(const storage::DatasetSpec& spec,
                                           std::vector<std::string> names);

  // Visits the records of a sample: each row of a window where the dataset is a series, otherwise
  // one. Views are valid during the visit.
  void Visit(std::string_view payload, const Visitor& visit);

  // Returns the names of the fields in a sample's first record, as far as its format names them.
  std::vector<std::string> NamesIn(std::string_view payload) const;

  const std::vector<std::string>& names() const { return names_; }

 private:
  RecordFields(const storage::DatasetSpec& spec, std::vector<std::string> names);

  void VisitCsv(std::string_view payload, const Visitor& visit);
  void VisitJson(std::string_view payload, const Visitor& visit);
  void VisitExample(std::string_view payload, const Visitor& visit);

  const batch::PayloadKind payload_;
  const std::vector<std::string> names_;
  const std::vector<std::string> columns_;  // For CSV files.
  const storage::DelimitedText delimited_;
  std::vector<size_t> places_;  // The places of the names among the columns.
  CsvSplitter splitter_;
  CsvRecord record_;
  JsonFields json_;
  ExampleFeatures example_;
  std::vector<std::string> texts_;  // Decoded fields, whose bytes are not in the payload.
  std::vector<std::optional<std::string_view>> fields_;
};

}  // namespace tidemill::samples
