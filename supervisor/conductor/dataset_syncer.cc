#include "supervisor/conductor/dataset_syncer.h"

#include <algorithm>

#include "storage/client/left_out_text.h"
#include "supervisor/conductor/live_stream.h"
#include "supervisor/measuring/windows.h"
#include "supervisor/runs/cuts.h"
#include "supervisor/runs/progress.h"

namespace tidemill::supervisor {
namespace {

// The snapshot is that with which storage counted the samples.
v1::RunEvent SyncedEvent(const storage::v1::Dataset& dataset) {
  v1::RunEvent event;
  v1::DatasetSynced& synced = *event.mutable_dataset_synced();
  synced.set_name(dataset.name());
  synced.set_spec(dataset.spec());
  *synced.mutable_snapshot() = dataset.snapshot();
  synced.set_num_samples(dataset.num_samples());
  *synced.mutable_left_out() = dataset.left_out();
  synced.mutable_from()->set_event_time(dataset.first_event_time());
  synced.mutable_to()->set_event_time(dataset.last_event_time() + 1);
  return event;
}

// What `replay` takes of the stream. Its windows reach from there to the end of the dataset.
absl::Status ClipToReplay(const ReplaySpec& replay, v1::DatasetSynced& synced) {
  const int64_t begin = synced.from().event_time();
  const int64_t end = synced.to().event_time();
  if (replay.from) {
    *synced.mutable_replay_from() = ToProto(Cut{*replay.from, {}});
    synced.mutable_from()->set_event_time(std::max(begin, replay.from->micros));
  }
  if (replay.to) *synced.mutable_replay_to() = ToProto(Cut{*replay.to, {}});
  if ((replay.from && replay.from->micros >= end) || (replay.to && replay.to->micros <= begin)) {
    return FailedPrecondition(
        "none of its samples, which are from {} to {}, is in the pipeline's replay",
        FormatTimestamp({begin}), FormatTimestamp({end - 1}));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status DatasetSyncer::Sync(const std::string& name) {
  const PipelineSpec& spec = record_.spec();
  ASSIGN_OR_RETURN(const storage::v1::Dataset dataset, LookForFiles(name));
  if (dataset.num_samples() == 0 && spec.live) {
    WaitForSamples();
    return absl::OkStatus();  // It is synced again.
  }
  if (dataset.num_samples() == 0) {
    return FailedPrecondition("{}",
                              storage::WhyEmpty(name, dataset.num_files(), dataset.left_out()));
  }
  v1::RunEvent synced = SyncedEvent(dataset);
  if (name == spec.preprocess.dataset) {
    const absl::Status clipped = ClipToReplay(spec.replay, *synced.mutable_dataset_synced());
    // A live run waits for samples.
    if (!spec.live) RETURN_IF_ERROR(clipped);
  }
  for (const evaluator::EvaluationSpec& evaluation : spec.evaluation) {
    if (evaluation.dataset != name) continue;
    RETURN_IF_ERROR(CheckNumWindows(evaluation.windows, synced.dataset_synced()));
  }
  return record_.Record(synced);
}

absl::StatusOr<storage::v1::Dataset> DatasetSyncer::LookForFiles(const std::string& name) {
  storage::v1::Dataset dataset;
  rpc::v1::FilesNotTaken not_taken;
  RETURN_IF_ERROR(patience_.RetryTransient([&]() -> absl::Status {
    ASSIGN_OR_RETURN(dataset, downstream_.GetDataset(name));
    RETURN_IF_ERROR(CheckIsTheSame(dataset));
    const auto report = [&](const storage::v1::SyncDatasetResponse& update) {
      v1::Progress progress =
          ProgressOf("sync", update.num_files_done(), update.num_files_found(), "files");
      if (update.num_awaited() > 0) {
        progress.set_waiting_for(storage::AwaitedText(update.num_awaited(), name));
      }
      record_.Report(std::move(progress));
      not_taken = update.not_taken();
    };
    RETURN_IF_ERROR(downstream_.SyncDataset({dataset.dataset_id()}, std::nullopt, report).status());
    ASSIGN_OR_RETURN(dataset, downstream_.GetDataset(name));
    return absl::OkStatus();
  }));
  // A live run that continues takes them later.
  const bool continues = record_.spec().live && !record_.state().stream_ended();
  if (not_taken.num_files() > 0 && !continues) {
    *dataset.mutable_left_out()->mutable_not_taken() = std::move(not_taken);
  }
  return dataset;
}

absl::Status DatasetSyncer::CheckIsTheSame(const storage::v1::Dataset& dataset) const {
  const auto known = record_.state().datasets().find(dataset.name());
  if (known == record_.state().datasets().end()) return absl::OkStatus();
  if (known->second.snapshot().dataset_id() == dataset.dataset_id()) return absl::OkStatus();
  return FailedPrecondition(
      "dataset {} is no longer the one that this run began with: it was replaced, or has a new "
      "version; run the pipeline again",
      dataset.name());
}

void DatasetSyncer::WaitForSamples() {
  record_.Report(ProgressOf("follow", 0, 0, "samples"));
  patience_.Pause(PollInterval(*record_.spec().live));
}

}  // namespace tidemill::supervisor
