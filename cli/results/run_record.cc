#include "cli/results/run_record.h"

#include <utility>

#include "cli/results/selection_report.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

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
  supervisor::v1::GetRunRequest request;
  request.set_run_id(run);
  request.set_with_events(true);
  RETURN_IF_ERROR(session.Call<supervisor::v1::SupervisorService>(
      "supervisor", &supervisor::v1::SupervisorService::Stub::GetRun, request, &record.run));
  for (const auto& [name, synced] : DatasetsOf(record.run)) {
    storage::v1::GetDatasetStatisticsRequest statistics;
    statistics.set_dataset_id(synced.snapshot().dataset_id());
    statistics.set_num_intervals(kIntervals);
    storage::v1::GetDatasetStatisticsResponse response;
    if (session
            .Call<storage::v1::StorageService>(
                "storage", &storage::v1::StorageService::Stub::GetDatasetStatistics, statistics,
                &response)
            .ok()) {
      record.statistics[name] = std::move(response);
    }
  }
  if (auto sets = FetchTrainingSets(session, run); sets.ok()) {
    record.training_sets = *std::move(sets);
  }
  return record;
}

}  // namespace tidemill::cli
