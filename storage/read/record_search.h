// Finds the samples of a dataset whose records match a condition.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/fields/record_condition.h"
#include "storage/fields/record_fields.h"
#include "storage/index/dataset_index.h"
#include "storage/index/sample_index.h"
#include "storage/read/known_columns.h"
#include "storage/read/open_files.h"
#include "storage/read/sample_block_reader.h"
#include "storage/read/tar_fields.h"

namespace tidemill::storage {

// One search. Thread-compatible. Time: every sample is read once, in the order of keys, which is
// the order of the files. Nothing is read when there is no condition, or one that names only
// columns with @. Memory: one block of samples, and the matches of one step.
//
// A sample of a series matches when one of its rows does. A sample that cannot be read is counted,
// because it is unknown whether it matches.
class RecordSearch {
 public:
  struct Match {
    SampleLocation sample;
    // The text of each column of the condition, at most 500 bytes.
    std::vector<std::optional<std::string>> fields;
  };
  // About one column of the condition, in samples.
  struct ColumnCounts {
    int64_t num_lacking = 0;  // They have no single value of that name.
    int64_t num_null = 0;     // They lack it, or it is empty or a word for a missing value.
    int64_t num_unfit = 0;    // It is not what the condition needs, such as a number.
  };
  // The matches of some thousands of samples. The counts cover the whole search so far.
  struct Step {
    std::vector<Match> matches;
    std::vector<Match> others;  // The first samples that do not match, at most kMaxOthers in all.
    int64_t num_done = 0;
    int64_t num_samples = 0;
    int64_t num_unreadable = 0;
    std::optional<MissingKey> first_unreadable;
    int64_t num_undecided = 0;  // The condition is null for them, so that they do not match.
    std::vector<ColumnCounts> columns;
  };
  static constexpr size_t kMaxOthers = 3;

  // `indexes` and `files` must outlive this object. Deleted samples in `index` are left out.
  // `condition` is empty for all samples; otherwise INVALID_ARGUMENT is returned as by
  // samples::RecordCondition::Make.
  static absl::StatusOr<std::unique_ptr<RecordSearch>> Make(
      SampleIndex& indexes, std::shared_ptr<const DatasetIndex> index, UnpackedCache& files,
      const std::string& condition, int64_t block_bytes);

  // Returns std::nullopt after the last sample. INVALID_ARGUMENT at the end when every sample lacks
  // a column. Also returns the errors of SampleBlockReader::Next.
  absl::StatusOr<std::optional<Step>> Next();

  const DatasetIndex& index() const { return *index_; }
  const std::vector<std::string>& columns() const { return columns_; }
  // By column, what its first unfit field is; empty while there is none.
  std::span<const std::string> first_unfit() const;

 private:
  RecordSearch(SampleIndex& indexes, std::shared_ptr<const DatasetIndex> index,
               UnpackedCache& files, std::optional<samples::RecordCondition> condition,
               samples::RecordFields fields, int64_t block_bytes);

  std::vector<int64_t> NextKeys();
  absl::Status Read(std::vector<int64_t> keys);
  absl::Status NoteMissing(const std::vector<MissingKey>& missing);
  // Does the same as Read() for samples of archives, whose fields are in other members.
  absl::Status ReadArchives(const std::vector<int64_t>& keys);
  void NoteUnreadable(MissingKey key);
  // Adds the sample to the matches if it is one. `payload` is empty when nothing is read.
  void Try(int64_t key, std::string_view payload);
  // Visits the records of a sample, until one of them matches.
  using Visitor = std::function<bool(samples::RecordFields::Fields)>;
  void Judge(const SampleLocation& sample,
             const std::function<void(const Visitor&)>& visit_records);
  expressions::Truth JudgeRecord(const SampleLocation& sample);
  Match MatchOf(const SampleLocation& sample) const;
  void Count(expressions::Truth truth);
  absl::Status CheckColumns() const;

  SampleIndex& indexes_;
  const std::shared_ptr<const DatasetIndex> index_;  // Shared with readers and the SampleIndex.
  OpenFiles files_;
  std::optional<samples::RecordCondition> condition_;
  const std::vector<std::string> columns_;
  KnownColumns known_;
  samples::RecordFields fields_;
  TarFields tar_fields_;
  const std::vector<size_t>
      field_places_;  // The places of `fields_` among the condition's columns.
  const int64_t block_bytes_;
  int64_t row_ = 0;
  std::vector<std::optional<std::string_view>> values_;
  // The values of the columns in the records of one sample.
  struct ColumnFacts {
    bool is_lacking = true;
    bool is_null = true;
    bool is_unfit = false;
  };
  std::vector<ColumnFacts> facts_;
  size_t num_others_ = 0;
  std::vector<std::string> names_in_first_;
  int64_t num_tried_ = 0;
  Step step_;
};

}  // namespace tidemill::storage
