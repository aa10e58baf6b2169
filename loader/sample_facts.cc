#include "loader/sample_facts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "storage/client/storage_client.h"

namespace tidemill::loader {
namespace {

// Collects the facts of ascending keys, each once.
class Collected {
 public:
  explicit Collected(size_t num_keys)
      : classes_(num_keys), files_(num_keys, 0), event_times_(num_keys, 0) {}

  absl::Status Add(const std::vector<int64_t>& keys, const batch::Batch& rows,
                   const std::vector<storage::v1::DescribeSamplesResponse::File>& files) {
    for (const auto& file : files) places_.try_emplace(file.file_id(), PlaceOf(file.path()));
    ASSIGN_OR_RETURN(const batch::Column* const file_column,
                     rows.Get("file", batch::DataType::kInt64));
    const auto ids = file_column->Values<int64_t>();
    ASSIGN_OR_RETURN(const batch::Column* const time_column,
                     rows.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
    const auto times = time_column->Values<int64_t>();
    const batch::Column* const classes = rows.Find(batch::kClassLabelColumn);
    has_classes_ = has_classes_ || classes != nullptr;
    for (int64_t row = 0; row < rows.num_rows(); ++row, ++at_) {
      const auto i = static_cast<size_t>(row);
      while (at_ < keys.size() && keys[at_] < rows.keys()[i]) ++at_;
      const auto place = places_.find(ids[i]);
      if (at_ == keys.size() || keys[at_] != rows.keys()[i] || place == places_.end()) {
        return Internal("storage described sample {}, which was not requested", rows.keys()[i]);
      }
      files_[at_] = place->second + 1;
      event_times_[at_] = times[i];
      if (classes != nullptr && classes->IsValid(row)) {
        classes_[at_] = classes->Values<int64_t>()[i];
      }
    }
    return absl::OkStatus();
  }

  // By ordinal, where the key of ordinal i is the position_of(i)-th.
  template <typename PositionOf>
  SampleFacts Finish(size_t num_ordinals, const PositionOf& position_of) const {
    SampleFacts facts;
    std::vector<int32_t> rank(numbers_.size());  // The ranks of paths by number.
    for (const auto& [path, number] : numbers_) {
      rank[static_cast<size_t>(number)] = static_cast<int32_t>(facts.paths.size());
      facts.paths.push_back(path);
    }
    for (size_t ordinal = 0; ordinal < num_ordinals; ++ordinal) {
      const size_t position = position_of(ordinal);
      const int32_t number = files_[position] - 1;
      facts.files.push_back(number < 0 ? SampleFacts::kNoFile : rank[static_cast<size_t>(number)]);
      facts.event_times.push_back(event_times_[position]);
      if (has_classes_) facts.classes.push_back(classes_[position]);
    }
    return facts;
  }

 private:
  // A file that was replaced has another id, and the same path.
  int32_t PlaceOf(const std::string& path) {
    return numbers_.try_emplace(path, static_cast<int32_t>(numbers_.size())).first->second;
  }

  std::map<std::string, int32_t> numbers_;
  std::map<int64_t, int32_t> places_;
  std::vector<std::optional<int64_t>> classes_;
  std::vector<int32_t> files_;  // The number and 1; 0: unknown.
  std::vector<int64_t> event_times_;
  bool has_classes_ = false;
  size_t at_ = 0;
};

}  // namespace

absl::StatusOr<SampleFacts> ReadSampleFacts(const storage::StorageClient& storage,
                                            DatasetId dataset, const TrainingSet& set) {
  std::vector<int64_t> keys = set.keys;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  Collected collected(keys.size());
  RETURN_IF_ERROR(storage.DescribeSamples(
      dataset, keys,
      [&](const batch::Batch& rows,
          const std::vector<storage::v1::DescribeSamplesResponse::File>& files) {
        return collected.Add(keys, rows, files);
      }));
  return collected.Finish(set.keys.size(), [&](size_t ordinal) {
    return static_cast<size_t>(std::lower_bound(keys.begin(), keys.end(), set.keys[ordinal]) -
                               keys.begin());
  });
}

}  // namespace tidemill::loader
