#include "supervisor/requests/submission_check.h"

#include <optional>
#include <string>
#include <utility>

#include "config/config.h"
#include "supervisor/checks/dataset_peek.h"
#include "supervisor/checks/pipeline_check.h"
#include "supervisor/plans/device_check.h"
#include "supervisor/runs/sent_files.h"

namespace tidemill::supervisor {
namespace {

// Asks storage about datasets and keeps why it had no answer. Only storage opens data files: it
// knows which may be read.
class AskedStorage {
 public:
  explicit AskedStorage(Downstream& downstream) : downstream_(downstream) {}

  std::optional<storage::DatasetSpec> Find(const std::string& name) {
    const auto dataset = downstream_.GetDataset(name);
    if (!dataset.ok()) {
      if (not_found_.ok()) not_found_ = dataset.status();
      return std::nullopt;
    }
    auto spec = config::ReadKept<storage::DatasetSpec>(dataset->spec(), name);
    if (!spec.ok()) {
      not_found_ = spec.status();
      return std::nullopt;
    }
    return *std::move(spec);
  }

  absl::StatusOr<DatasetPeek> Peek(const storage::DatasetSpec& dataset) {
    auto seen = downstream_.PeekDataset(config::Print(dataset));
    if (absl::IsUnavailable(seen.status())) not_seen_ = seen.status();
    RETURN_IF_ERROR(seen.status());
    DatasetPeek peek{.files_known = true, .first = std::nullopt, .head = {}};
    if (seen->has_first_file()) peek.first = seen->first_file();
    peek.head = std::move(*seen->mutable_head());
    return peek;
  }

  // Why a dataset was not found, and why none could be looked at; OK otherwise.
  const absl::Status& not_found() const { return not_found_; }
  const absl::Status& not_seen() const { return not_seen_; }

 private:
  Downstream& downstream_;
  absl::Status not_found_, not_seen_;
};

}  // namespace

PipelineSource SourceOf(const v1::SubmitPipelineRequest& request) {
  PipelineSource source{.text = request.pipeline(),
                        .file_name = request.file_name(),
                        .variables = {request.variables().begin(), request.variables().end()},
                        .base_folder = request.base_folder()};
  for (const v1::ValueToSet& set : request.values_to_set()) {
    source.overrides.push_back({.path = set.key(), .value = set.value()});
  }
  return source;
}

absl::StatusOr<PipelineSpec> CheckSubmission(const v1::SubmitPipelineRequest& request,
                                             Downstream& downstream, Pool& pool) {
  AskedStorage storage(downstream);
  SentFiles files(request, downstream);
  PipelineSource source = SourceOf(request);
  source.files = &files;
  source.peek = [&](const auto& dataset) { return storage.Peek(dataset); };
  auto checked = CheckPipeline(source, [&](const std::string& name) { return storage.Find(name); });
  RETURN_IF_ERROR(storage.not_seen());  // Not a fault of the pipeline.
  RETURN_IF_ERROR(files.status());
  if (checked.problems.empty() && NamesGpu(checked.value)) {
    CheckDevices(checked.value, downstream.ListDevices(pool.TrainerEndpoints()), checked.problems);
  }
  RETURN_IF_ERROR(checked.problems.ToStatus());
  RETURN_IF_ERROR(storage.not_found());
  return std::move(checked.value);
}

}  // namespace tidemill::supervisor
