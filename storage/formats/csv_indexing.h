// Finds the samples of one CSV file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "records/csv_header.h"
#include "records/csv_splitter.h"
#include "records/skipped_lines.h"
#include "records/time_reader.h"
#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"
#include "storage/formats/record_expressions.h"
#include "storage/formats/series_view.h"
#include "storage/spec/dataset_spec.h"
#include "storage/spec/formats/file_format.h"
#include "storage/spec/label_reader.h"

namespace tidemill::storage {

// How the files of a dataset are read. Immutable.
struct CsvReading {
  // The spec names the columns; see CompleteSpec. `times` is made from its event_time.
  CsvReading(const DelimitedText& delimited, const DatasetSpec& of, TimeReader time_reader,
             std::vector<CompiledExpression> compiled);

  const DatasetSpec spec;
  const std::vector<std::string> columns;
  const DelimitedText text;
  const CsvSplitter splitter;
  const CsvHeader header;
  const TimeReader times;
  const LabelReader labels;
  const std::vector<CompiledExpression> expressions;
  // The places of the columns that the spec names.
  std::vector<size_t> time_columns;
  std::optional<size_t> label_column;
  std::optional<size_t>
      group_column;  // For a series. Whether numbers that are times have a decimal comma.
  const bool times_have_comma;
};

// Takes the records of a file one after another. Thread-compatible.
class CsvIndexing {
 public:
  // `reading` and `input` must outlive it. `times` and `label` are shared by all records.
  // `expressions` must be made from `reading`.
  CsvIndexing(const CsvReading& reading, const FileInput& input,
              std::optional<FileTimes> file_times, std::optional<Label> file_label,
              RecordExpressions expressions);

  // A WindowConsumer. CANCELLED when the piece is full. INVALID_ARGUMENT when the file is not text,
  // or has another header.
  absl::StatusOr<size_t> Consume(std::string_view window, int64_t offset, bool last);

  // Returns what was found. It must not be used afterwards.
  IndexedFile Finish();

 private:
  absl::Status CheckKind(std::string_view start) const;
  void SkipRest(std::string_view window, size_t& at);
  // Takes zeros from the place where a record should begin. Returns whether there are any.
  bool TakeZeros(std::string_view window, size_t& at);
  // Adds these zeros as a bad record, together with the line after them. Returns whether the line
  // is whole.
  bool TakeZeroedLine(std::string_view window, bool last, size_t& at);
  // Treats the first line of the record at the beginning of `rest` as a bad record, if a stray
  // quote in it seems to have pulled the next lines into a field.
  void CutAtStrayQuote(std::string_view rest);
  bool IsSound(std::string_view line);

  absl::Status Take(std::string_view bytes, int64_t offset);
  absl::Status TakeHeader();
  void TakeRecord(std::string_view bytes, int64_t offset, int64_t position);
  // A crash left zeros in place of text; they may hide the ends of lines.
  void AddZeros(std::string_view bytes, int64_t position);
  void TakeSecondHeader(CsvHeader::Kind kind, int64_t position);
  absl::Status AddSample(std::string_view bytes, int64_t offset, int64_t position);

  // Returns std::nullopt for a record that the spec filters. A status when it is a bad record.
  absl::StatusOr<std::optional<SampleFacts>> FactsOf(
      const CsvRecord& record, int64_t position,
      const std::optional<ForeignRecord>& foreign = std::nullopt);
  absl::Status CheckCount(const CsvRecord& record) const;
  absl::StatusOr<Label> LabelOf(const CsvRecord& record);
  absl::StatusOr<Timestamp> TimeOf(const CsvRecord& record, int64_t position);
  // The field's text; valid until the next call.
  std::string_view Field(const CsvRecord& record, size_t column);

  const CsvReading& reading_;
  const FileInput& input_;
  const std::optional<FileTimes> file_times_;
  const std::optional<Label> file_label_;
  RecordExpressions expressions_;
  std::vector<size_t> expression_columns_;  // The places of the fields that the expressions read.
  const bool tells_records_;                // Whether a record can be told from other text.
  bool at_start_ = true;
  SkippedLines skipped_ = SkippedLines(0);
  bool expects_header_ = false;
  bool is_finished_ = false;
  bool runs_on_ = false;
  int64_t long_from_ = 0;  // Where the unfinished record begins.
  // The zeros before the record that begins next. They may be the last bytes of the file.
  int64_t num_zeros_ = 0;
  CsvRecord record_;
  CsvRecord line_;  // A line within it.
  std::string unquoted_;
  std::string joined_;
  GroupNumbers groups_;
  IndexedFile found_;
};

}  // namespace tidemill::storage
