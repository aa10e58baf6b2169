#include "cli/commands/models/dataset_records.h"

#include <algorithm>
#include <utility>

#include "batch/batch.h"
#include "cli/stack/sync_note.h"
#include "config/config.h"
#include "samples/dataset_schema.h"
#include "storage/client/left_out_text.h"

namespace tidemill::cli {
namespace {

void SetCut(Timestamp time, rpc::v1::Cut& cut) {
  cut.set_event_time(time.micros);
  cut.set_sample_key(0);
}

// Whether records of one form can be read as the other. Labels are not read.
bool HaveSameForm(const transform::SampleSchema& schema, const transform::SampleSchema& other) {
  return schema.payload == other.payload && schema.columns == other.columns &&
         schema.csv == other.csv && schema.record_bytes == other.record_bytes &&
         schema.history == other.history;
}

}  // namespace

absl::StatusOr<std::unique_ptr<DatasetRecords>> DatasetRecords::Open(
    const Session& session, const Options& options, const models::ArtefactSpec& spec) {
  ASSIGN_OR_RETURN(const storage::v1::Dataset dataset,
                   session.Ask(&storage::StorageClient::GetDataset, options.dataset));
  ASSIGN_OR_RETURN(const auto stored,
                   config::ReadKept<storage::DatasetSpec>(dataset.spec(), options.dataset));
  if (!HaveSameForm(samples::SchemaOf(stored), samples::SchemaOf(spec.dataset))) {
    return InvalidArgument(
        "the samples of {} have another form than those that the model was trained on; give their "
        "files with --input, which matches columns by name",
        options.dataset);
  }
  std::unique_ptr<DatasetRecords> records(new DatasetRecords(session.PeerOf("storage")));
  records->dataset_ = {dataset.dataset_id()};
  rpc::v1::FilesNotTaken not_taken;
  SyncNote note(session.quiet());
  ASSIGN_OR_RETURN(*records->list_.mutable_snapshot(),
                   session.Follow(&storage::StorageClient::SyncDataset, records->dataset_,
                                  [&](const storage::v1::SyncDatasetResponse& message) {
                                    note.Take(message);
                                    not_taken = message.not_taken();
                                  }));
  records->num_files_not_taken_ = not_taken.num_files();
  if (not_taken.num_files() > 0) records->notes_.push_back(storage::NotTakenText(not_taken));
  if (options.from) SetCut(*options.from, *records->list_.mutable_from());
  if (options.to) SetCut(*options.to, *records->list_.mutable_to());
  if (storage::EffectiveLabel(stored).classes != storage::EffectiveLabel(spec.dataset).classes) {
    records->has_labels_ = false;
    records->notes_.push_back("the dataset has other classes than the model; nothing is scored");
  }
  return records;
}

absl::StatusOr<std::vector<int64_t>> DatasetRecords::NextKeys(int64_t most) {
  std::vector<int64_t> keys;
  int64_t last_time = 0;
  const absl::Status listed = storage_.ListSamples(list_, [&](const batch::Batch& samples) {
    const auto count = std::min(most - std::ssize(keys), samples.num_rows());
    const auto some = samples.keys().first(static_cast<size_t>(count));
    keys.insert(keys.end(), some.begin(), some.end());
    if (count > 0) {
      const batch::Column& times = *samples.Find(batch::kEventTimeColumn);
      last_time = times.Values<int64_t>()[static_cast<size_t>(count - 1)];
    }
    return std::ssize(keys) < most ? absl::OkStatus() : Cancelled("these are enough");
  });
  if (std::ssize(keys) < most) RETURN_IF_ERROR(listed);
  if (!keys.empty()) {
    list_.mutable_from()->set_event_time(last_time);
    list_.mutable_from()->set_sample_key(keys.back() + 1);
  }
  return keys;
}

absl::StatusOr<bool> DatasetRecords::Next(int64_t most, storage::ForeignBlock& block) {
  block = {};
  ASSIGN_OR_RETURN(const std::vector<int64_t> keys, NextKeys(most));
  const auto is_valid = [](const batch::Column* labels, int64_t row) {
    return labels != nullptr && labels->IsValid(row);
  };
  const auto add = [&](const batch::Batch& samples,
                       const std::vector<storage::v1::MissingSample>& missing) {
    for (const storage::v1::MissingSample& each : missing) {
      block.left_out.push_back({each.sample_key(), each.reason(), each.deleted()});
    }
    const batch::Column& payloads = *samples.Find(batch::kPayloadColumn);
    const batch::Column& times = *samples.Find(batch::kEventTimeColumn);
    const batch::Column* const classes = samples.Find(batch::kClassLabelColumn);
    const batch::Column* const reals = samples.Find(batch::kRealLabelColumn);
    for (int64_t row = 0; row < samples.num_rows(); ++row) {
      const auto place = static_cast<size_t>(row);
      block.records.emplace_back(payloads.Bytes(row));
      block.rows.push_back(samples.keys()[place]);
      block.event_times.push_back(times.Values<int64_t>()[place]);
      block.class_labels.push_back(has_labels_ && is_valid(classes, row)
                                       ? std::optional(classes->Values<int64_t>()[place])
                                       : std::nullopt);
      block.real_labels.push_back(has_labels_ && is_valid(reals, row)
                                      ? std::optional(reals->Values<double>()[place])
                                      : std::nullopt);
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(storage_.ReadSamples(dataset_, keys, add));
  return !keys.empty();
}

}  // namespace tidemill::cli
