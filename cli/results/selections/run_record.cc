#include "cli/results/selections/run_record.h"

#include <utility>

#include "cli/results/selections/selection_report.h"
#include "storage/client/storage_client.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

// As many bars as a timeline shows side by side.
constexpr int kIntervals = 200;

}  // namespace

std::map<std::string, supervisor::v1::DatasetSynced> DatasetsOf(
    const supervisor::v1::GetRunResponse& run) {
  std::map<std::string, supervisor::v1::DatasetSynced> datasets;
  for (const auto& recorded : run.events()) {
    if (!recorded.event().has_dataset_synced()) continue;
    datasets[recorded.event().dataset_synced().name()] = recorded.event().dataset_synced();
  }
  return datasets;
}

absl::StatusOr<RunRecord> FetchRecord(const Session& session, int64_t run) {
  RunRecord record;
  ASSIGN_OR_RETURN(record.run,
                   session.Ask(&supervisor::SupervisorClient::GetRun, RunId{run}, true));
  for (const auto& [name, synced] : DatasetsOf(record.run)) {
    auto statistics = session.Ask(&storage::StorageClient::GetStatistics,
                                  DatasetId{synced.snapshot().dataset_id()}, kIntervals);
    if (statistics.ok()) record.statistics[name] = *std::move(statistics);
  }
  if (auto sets = FetchTrainingSets(session, run); sets.ok()) {
    record.training_sets = *std::move(sets);
  }
  return record;
}

}  // namespace tidemill::cli
