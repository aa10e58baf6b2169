// Labels and raw columns of samples, as storage has them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "batch/batch.h"
#include "storage/client/dataset_spec.h"
#include "supervisor/downstream.h"
#include "transform/graph.h"

namespace tidemill::supervisor {

// Reads samples of one dataset in blocks of bounded size. Thread-compatible.
class SampleValues {
 public:
  // `downstream` must outlive it.
  SampleValues(Downstream& downstream, DatasetId dataset, storage::DatasetSpec spec)
      : downstream_(downstream), dataset_(dataset), spec_(std::move(spec)) {}

  // What blocks of samples hold, as a batch with `key` and kValuesColumn; samples without a value
  // are left out.
  static constexpr std::string_view kValuesColumn = "values";
  using Sink = std::function<absl::Status(const batch::Batch&)>;

  // The label: a real number, or the number of a class.
  absl::Status ReadLabels(std::span<const int64_t> keys, const Sink& sink);
  // Fields of the records as numbers. FAILED_PRECONDITION for a dataset whose records have no
  // columns, INVALID_ARGUMENT for columns that it has not.
  absl::Status ReadColumns(std::span<const int64_t> keys, const std::vector<std::string>& columns,
                           const Sink& sink);

 private:
  absl::StatusOr<transform::Graph> GraphOf(const std::vector<std::string>& columns) const;

  Downstream& downstream_;
  const DatasetId dataset_;
  const storage::DatasetSpec spec_;
};

}  // namespace tidemill::supervisor
