#include "storage/read/sample_descriptions.h"

#include <string_view>

#include "storage/read/known_columns.h"

namespace tidemill::storage {

namespace {

// The limits of a batch: both together stay far below rpc::kMaxMessageBytes.
constexpr size_t kMaxRows = 65'536;
constexpr size_t kMaxPathBytes = size_t{4} << 20;
constexpr size_t kRowBytes = 32;

// The class labels of some rows.
class ClassLabels {
 public:
  void Add(const SampleLocation& sample) {
    const std::optional<int64_t> label =
        ValueAt<int64_t>(*sample.segment->columns->class_label, sample.row);
    const size_t row = values_.size();
    values_.push_back(label.value_or(0));
    validity_.resize(row / 8 + 1);
    if (!label) return;
    validity_[row / 8] = static_cast<uint8_t>(validity_[row / 8] | 1U << row % 8);
    ++num_valid_;
  }

  absl::Status SetIn(batch::Batch& batch) const {
    if (num_valid_ == 0) return absl::OkStatus();
    batch::Column column = batch::MakeColumn<int64_t>(batch::kClassLabelColumn, values_);
    if (num_valid_ < values_.size()) {
      column.validity = batch::Buffer::FromString({validity_.begin(), validity_.end()});
    }
    return batch.Set(std::move(column));
  }

 private:
  std::vector<int64_t> values_;
  std::vector<uint8_t> validity_;
  size_t num_valid_ = 0;
};

}  // namespace

absl::StatusOr<std::optional<DescribedSamples>> SampleDescriptions::Next(int64_t most_bytes) {
  if (position_ == keys_.size()) return std::optional<DescribedSamples>();
  DescribedSamples described;
  path_bytes_ = 0;
  std::vector<int64_t> keys;
  std::vector<int64_t> files;
  std::vector<int64_t> event_times;
  ClassLabels labels;
  const auto most = static_cast<size_t>(most_bytes) / 2;
  const size_t max_rows = std::min(kMaxRows, most / kRowBytes);
  const size_t max_path_bytes = std::min(kMaxPathBytes, most);
  for (; position_ < keys_.size() && keys.size() < max_rows && path_bytes_ < max_path_bytes;
       ++position_) {
    const std::optional<SampleLocation> sample = index_->Find(keys_[position_]);
    if (!sample) continue;
    keys.push_back(keys_[position_]);
    files.push_back(sample->file().value);
    event_times.push_back(sample->event_time());
    labels.Add(*sample);
    NameFile(sample->file(), described);
  }
  described.batch = batch::Batch(std::ssize(keys));
  RETURN_IF_ERROR(described.batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
  RETURN_IF_ERROR(described.batch.Set(batch::MakeColumn<int64_t>("file", files)));
  RETURN_IF_ERROR(
      described.batch.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, event_times)));
  RETURN_IF_ERROR(labels.SetIn(described.batch));
  return std::optional<DescribedSamples>(std::move(described));
}

void SampleDescriptions::NameFile(FileId file, DescribedSamples& described) {
  if (!described.files.empty() && described.files.back().first == file) return;
  if (!named_.insert(file).second) return;
  const std::string* const path = index_->PathOf(file);
  described.files.emplace_back(
      file, path == nullptr ? "" : std::string(BelowFolder(index_->spec().path, *path)));
  path_bytes_ += described.files.back().second.size();
}

}  // namespace tidemill::storage
