// How much each column of the records matters to the models in use: what a measure loses when the
// samples exchange their values of that column (Breiman, "Random Forests", 2001; Fisher et al.,
// "All Models are Wrong, but Many are Useful", 2019).
//
//   key   wind  rain          wind  rain
//    17    3.1   0.0    ->     2.2   0.0     the rest of the graph, the model, the measure
//    19    0.4   5.5           3.1   5.5
//    23    2.2   0.0           0.4   0.0
//
// A column counts as the user knows it: it is exchanged where it is read out of a record, before
// the graph turns it into one_hot or into differences. Two columns that say the same share their
// importance: with one of them exchanged, the other still tells the model.
#pragma once

#include <cstdint>
#include <span>

#include "base/id.h"
#include "base/status.h"
#include "evaluator/client/evaluation_spec.h"
#include "evaluator/windows/model_cache.h"
#include "storage/client/storage_client.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

// At most as many samples are drawn by their keys, and as many columns are looked at.
inline constexpr int64_t kMostImportanceSamples = 2000;
inline constexpr int64_t kMostImportanceColumns = 64;
// Samples times columns: what bounds the cost.
inline constexpr int64_t kMostExchanges = 65'536;
// Windows are added, from the last one backwards, until there are as many samples.
inline constexpr int64_t kEnoughImportanceSamples = 500;

// The inputs that all windows of a job share. All must outlive the call.
struct ImportanceParts {
  const EvaluationSpec& spec;
  const storage::StorageClient& storage;
  const rpc::v1::Snapshot& snapshot;
  bool has_labels = true;
  ModelCache& models;
};

// Measures the columns by the first measure of the spec that has a value. Each window has its model
// in use. The columns come with the most important one first. Without columns, as for images, the
// result is empty; `missing` says why there is none where there could be one. Fails only with
// errors that another attempt may fix. Time grows with samples x columns.
absl::StatusOr<v1::ColumnImportances> MeasureImportance(std::span<const v1::JobWindow> windows,
                                                        const ImportanceParts& parts);

}  // namespace tidemill::evaluator
