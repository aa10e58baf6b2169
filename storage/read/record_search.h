// Finds the samples of a dataset whose records match a condition.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "records/condition.h"
#include "samples/fields/record_fields.h"
#include "storage/index/dataset_index.h"
#include "storage/index/sample_index.h"
#include "storage/read/known_columns.h"
#include "storage/read/open_files.h"
#include "storage/read/sample_block_reader.h"
#include "storage/read/tar_fields.h"

namespace tidemill::storage {

// One search. Thread-compatible. Time: every sample is read once, in the order of keys, which is
// the order of the files. Nothing is read when the condition names only columns with @. Memory: one
// block of samples, and the matches of one step.
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
  // The matches of some thousands of samples. The counts cover the whole search so far.
  struct Step {
    std::vector<Match> matches;
    int64_t num_done = 0;
    int64_t num_samples = 0;
    int64_t num_unreadable = 0;
    std::optional<MissingKey> first_unreadable;
    std::vector<int64_t> num_lacking;  // The samples that lack each column.
  };

  // `indexes` and `files` must outlive this object. Deleted samples in `index` are left out.
  // INVALID_ARGUMENT when the condition names a column that the samples do not have.
  static absl::StatusOr<std::unique_ptr<RecordSearch>> Make(
      SampleIndex& indexes, std::shared_ptr<const DatasetIndex> index, UnpackedCache& files,
      Condition condition, int64_t block_bytes);

  // Returns std::nullopt after the last sample. INVALID_ARGUMENT at the end when every sample lacks
  // a column. Also returns the errors of SampleBlockReader::Next.
  absl::StatusOr<std::optional<Step>> Next();

  const DatasetIndex& index() const { return *index_; }
  const std::vector<std::string>& columns() const { return condition_.columns(); }

 private:
  RecordSearch(SampleIndex& indexes, std::shared_ptr<const DatasetIndex> index,
               UnpackedCache& files, Condition condition, KnownColumns known,
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
  absl::Status CheckColumns() const;

  SampleIndex& indexes_;
  const std::shared_ptr<const DatasetIndex> index_;  // Shared with readers and the SampleIndex.
  OpenFiles files_;
  const Condition condition_;
  KnownColumns known_;
  samples::RecordFields fields_;
  TarFields tar_fields_;
  const std::vector<size_t>
      field_places_;  // The places of `fields_` among the condition's columns.
  const int64_t block_bytes_;
  int64_t row_ = 0;
  std::vector<std::optional<std::string_view>> values_;
  std::vector<bool> is_lacking_;
  std::vector<std::string> names_in_first_;
  int64_t num_tried_ = 0;
  Step step_;
};

}  // namespace tidemill::storage
