// Everything that the services tell about one run: what a run directory and a report are made of.
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
  // By name, of the datasets that the run reads and that are still there, as they are now.
  std::map<std::string, storage::v1::GetDatasetStatisticsResponse> statistics = {};
  // By trigger, as far as the selector is within reach.
  std::vector<selector::v1::TrainingSet> training_sets = {};
};

// The datasets that the run reads, by name, as it saw them last.
std::map<std::string, supervisor::v1::DatasetSynced> DatasetsOf(
    const supervisor::v1::GetRunResponse& run);

// Asks the supervisor for the run with its events, storage for how the samples lie in time and the
// selector for what was chosen. Statistics and sets that are not to be had are left out. NOT_FOUND
// for an unknown run.
absl::StatusOr<RunRecord> FetchRecord(const Session& session, int64_t run);

}  // namespace tidemill::cli
