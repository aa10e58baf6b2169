// All data of the services about one run. Run directories and reports are made from it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/stack/session.h"
#include "tidemill/selector/v1/selector.pb.h"
#include "tidemill/storage/v1/storage.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

struct RunRecord {
  supervisor::v1::GetRunResponse run;
  // The current statistics, by name, of the run's datasets that still exist.
  std::map<std::string, storage::v1::GetDatasetStatisticsResponse> statistics = {};
  // Ordered by trigger. Empty when the selector cannot be reached.
  std::vector<selector::v1::TrainingSet> training_sets = {};
};

// Returns the datasets that the run reads, by name, in their last known state.
std::map<std::string, supervisor::v1::DatasetSynced> DatasetsOf(
    const supervisor::v1::GetRunResponse& run);

// Asks the supervisor for the run with its events, storage for the distribution of samples over
// time, and the selector for the training sets. Statistics and sets that cannot be read are left
// out. NOT_FOUND when the run is unknown.
absl::StatusOr<RunRecord> FetchRecord(const Session& session, int64_t run);

}  // namespace tidemill::cli
