// Reads records that are not in a dataset, in the form of a dataset's records: the rows of a file,
// or of standard input, for predictions.
//
//    file or pipe --> sniff --> convert --> spool --> format of the dataset --> block
//                      |          |           |
//        delimiter, header        |           +-- in memory; read bytes are freed
//                                 +-- columns moved to their places, JSON to CSV and back;
//                                     nothing to do for the form of the dataset
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"
#include "storage/foreign/row_converter.h"
#include "storage/foreign/spool.h"
#include "storage/formats/format.h"
#include "storage/formats/unknown_fact.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::storage {

// Some records, in their order. Rows are numbered from 1. Headers and blank lines are not rows.
struct ForeignBlock {
  // As the dataset stores them, with their rows, event times (microseconds UTC) and labels.
  std::vector<std::string> records = {};
  std::vector<int64_t> rows = {};
  std::vector<int64_t> event_times = {};
  std::vector<std::optional<int64_t>> class_labels = {};
  std::vector<std::optional<double>> real_labels = {};
  // The rows that could not be read as records, in their order.
  std::vector<UnansweredRow> left_out = {};
  // The unknown facts about the records, each named by its row, in order.
  std::vector<UnknownFact> unknown = {};
};

struct ForeignOptions {
  // Paths of files; "-" is standard input. In a dataset whose samples are whole files, each is a
  // record. Otherwise there is one.
  std::vector<std::string> inputs = {};
  // Whether CSV text begins with the names of its columns. Absent: it does when its first line has
  // a name of a column of the dataset.
  std::optional<bool> header = std::nullopt;
  // The fields that the model reads. They tell a header of CSV from other text where the dataset's
  // spec names no columns.
  std::vector<std::string> fields = {};
};

// Thread-compatible. Memory is bounded by a few MiB beside the block, for a series by the file.
class ForeignRecords {
 public:
  // Begins to read. INVALID_ARGUMENT when the input cannot be read in the form of the dataset: a
  // packed or binary file, text without a column of the dataset, JSON that is not one object a
  // line, no bytes at all. NOT_FOUND and PERMISSION_DENIED for the file.
  static absl::StatusOr<std::unique_ptr<ForeignRecords>> Open(const DatasetSpec& spec,
                                                              ForeignOptions options);
  ~ForeignRecords();

  // Returns what is wrong with inputs whatever the dataset is: the only one does not exist, may not
  // be read, or is an empty file.
  static absl::Status Check(const std::vector<std::string>& inputs);

  // Replaces `block` by the next records, at most `most`; fewer when a pipe has no more at the
  // moment. Returns false at the end. A status other
  // than OK concerns the input as a whole. CANCELLED when `stop` is requested while the input, a
  // pipe, has nothing to read.
  absl::StatusOr<bool> Next(int64_t most, ForeignBlock& block, const std::stop_token& stop = {});

  // The columns of the dataset that the input does not have.
  const std::vector<std::string>& missing_columns() const { return missing_columns_; }
  // Remarks for the user about the reading of the input: "the delimiter is ';'".
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  ForeignRecords(DatasetSpec spec, ForeignOptions options);

  absl::Status OpenInput();
  // Reads the beginning and chooses its layout.
  absl::Status Sniff();
  absl::StatusOr<bool> NextFile(ForeignBlock& block, int64_t most);
  // Reads and converts more. `is_at_end_` says whether there was any.
  absl::Status Fill(const std::stop_token& stop);
  // Does so until it is worth while to look for records again: what has no end yet is read over
  // and over, so it has to grow to the double, unless there is nothing to read now.
  absl::Status FillMore(const std::stop_token& stop);
  // Removes from the front of `bytes_` what belongs to a row that was given up.
  void SkipRest();
  // The bytes in which no record has been found yet.
  int64_t NumPending() const { return spool_.size() - piece_.from_byte; }
  // Gives up a record that is longer than any may be, and whose end has not come.
  absl::Status GiveUpRecord();
  // Finds the next records, at most `most`: all of a series.
  absl::Status Index(int64_t most, const std::stop_token& stop);
  // Moves found records to the block, at most `most`.
  absl::Status Take(int64_t most, ForeignBlock& block);
  // Moves what is not known of the record at `position`, the last of the block, to the block.
  void TakeUnknown(int64_t position, ForeignBlock& block);
  // Frees the bytes of the found records, all of which have been taken.
  void EndPiece();
  // Moves the results of the rows before the next record to the block.
  void Release(ForeignBlock& block);
  // Whether the next record needs bytes that have not been read.
  bool NeedsInput() const;
  int64_t RowOf(int64_t position) const;

  DatasetSpec spec_;
  const ForeignOptions options_;
  Descriptor input_;
  size_t next_input_ = 0;  // The next file, where each file is a record.
  std::string bytes_;      // Read, and not converted yet.
  bool is_sniffed_used_ = false;
  bool skips_row_ = false;  // What comes next belongs to a row that was given up.
  bool is_at_end_ = false;  // Nothing follows the bytes in the spool.
  bool is_done_ = false;    // Nothing follows the returned records.
  std::unique_ptr<RowConverter> converter_;
  // The rows of the spool's records from `first_position_` on. Unused where they are equal.
  std::deque<int64_t> rows_;
  int64_t first_position_ = 0;
  // Rows that could not be converted, some of them after the next record.
  std::deque<UnansweredRow> pending_;
  Spool spool_;
  std::unique_ptr<UnpackedCache> files_;  // Over `spool_`.
  std::unique_ptr<Format> growing_;
  std::unique_ptr<Format> complete_;
  FileInput piece_;
  IndexedFile found_;  // The records of the piece, and where the next ones of each kind are.
  int64_t next_position_ = 0;
  size_t next_good_ = 0;
  size_t next_bad_ = 0;
  size_t next_unknown_ = 0;
  std::vector<std::string> missing_columns_;
  std::vector<std::string> notes_;
};

}  // namespace tidemill::storage
