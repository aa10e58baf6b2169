// CSV and TSV files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "records/csv_splitter.h"
#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"

namespace tidemill::storage {

// One record, which may span lines, is a sample; its payload is the record without its line end.
class CsvFiles : public Format {
 public:
  // `spec` names the columns; see CompleteSpec.
  static absl::StatusOr<std::unique_ptr<CsvFiles>> Create(const DatasetSpec& spec,
                                                          UnpackedCache& files);

  absl::StatusOr<IndexedFile> Index(const FileInput& input) const override;
  bool CanAppend() const override { return spec_.append; }
  bool ReadsInPieces() const override { return true; }

 private:
  class Indexing;
  CsvFiles(const DatasetSpec& spec, TimeReader times, UnpackedCache& files);

  const DatasetSpec spec_;
  const CsvFormat format_;
  const CsvSplitter splitter_;
  const TimeReader times_;
  const LabelReader labels_;
  std::vector<size_t> time_columns_;
  std::optional<size_t> label_column_;
  std::optional<size_t> group_column_;  // Of a series.
  UnpackedCache& files_;
};

// The column names in the first record of a file. INVALID_ARGUMENT unless they are UTF-8 texts,
// each another one.
absl::StatusOr<std::vector<std::string>> ReadCsvHeader(const CsvFormat& format,
                                                       const OpenFile& file);

}  // namespace tidemill::storage
