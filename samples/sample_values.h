// Reads labels and raw columns of samples from storage.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "batch/batch.h"
#include "storage/spec/dataset_spec.h"
#include "transform/graph.h"

namespace tidemill::samples {

// Gives `sink` the samples of the keys, in their order, in batches with payload and labels. Samples
// that cannot be read are left out. Behaves as StorageClient::ReadSamples.
using DatasetReader =
    std::function<absl::Status(DatasetId, std::span<const int64_t> keys,
                               const std::function<absl::Status(batch::Batch)>& sink)>;

// Reads samples of one dataset in blocks of bounded size. Thread-compatible.
class SampleValues {
 public:
  SampleValues(DatasetReader read_samples, DatasetId dataset, storage::DatasetSpec spec)
      : read_samples_(std::move(read_samples)), dataset_(dataset), spec_(std::move(spec)) {}

  // The column with the values in a batch. The other column is `key`. Samples without a value are
  // left out.
  static constexpr std::string_view kValuesColumn = "values";
  using Sink = std::function<absl::Status(const batch::Batch&)>;

  // Reads the label: a real number, or the number of a class.
  absl::Status ReadLabels(std::span<const int64_t> keys, const Sink& sink);
  // Reads fields of the records as numbers, float32, in the order of `columns`. FAILED_PRECONDITION
  // when the records of the dataset have no columns. INVALID_ARGUMENT when they lack one of these
  // columns. With kKeep, a field that is not a number is NaN, and its sample is kept.
  enum class Lacking { kLeaveOut, kKeep };
  absl::Status ReadColumns(std::span<const int64_t> keys, const std::vector<std::string>& columns,
                           const Sink& sink, Lacking lacking = Lacking::kLeaveOut);

 private:
  absl::StatusOr<transform::Graph> GraphOf(const std::vector<std::string>& columns) const;

  const DatasetReader read_samples_;
  const DatasetId dataset_;
  const storage::DatasetSpec spec_;
};

}  // namespace tidemill::samples
