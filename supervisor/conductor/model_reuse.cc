#include "supervisor/conductor/model_reuse.h"

#include <utility>

namespace tidemill::supervisor {

absl::StatusOr<trainer_server::v1::GetTrainingDigestResponse> ModelReuse::DigestOf(
    const std::string& stage, const trainer_server::v1::StartTrainingRequest& training) {
  const auto set_of = [&](int64_t trigger) {
    return record_.state().triggers().at(static_cast<size_t>(trigger - 1)).trigger;
  };
  trainer_server::v1::GetTrainingDigestRequest request;
  *request.mutable_training() = training;
  request.set_training_set_digest(set_of(training.trigger()).training_set_digest());
  request.set_fitted_set_digest(set_of(training.fitted_trigger()).training_set_digest());
  if (training.parent_model_id() != 0) {
    const TriggerState* const parent = record_.state().LastStoredBefore(training.trigger());
    request.set_parent_weights_digest(parent->trigger.weights_digest());
  }
  trainer_server::v1::GetTrainingDigestResponse response;
  RETURN_IF_ERROR(patience_.RetryTransient([&]() -> absl::Status {
    ASSIGN_OR_RETURN(const JobPlace at, slots_.Take(stage, training.trigger()));
    ASSIGN_OR_RETURN(response, downstream_.GetTrainingDigest(at, request));
    return absl::OkStatus();
  }));
  return response;
}

absl::StatusOr<bool> ModelReuse::SamplesWereDeleted(int64_t trigger) {
  const v1::DatasetSynced& data = record_.TrainingData();
  const TriggerState& state = record_.state().triggers().at(static_cast<size_t>(trigger - 1));
  const rpc::v1::Snapshot& seen = state.snapshot ? *state.snapshot : data.snapshot();
  storage::v1::Dataset now;
  RETURN_IF_ERROR(patience_.RetryTransient([&]() -> absl::Status {
    ASSIGN_OR_RETURN(now, downstream_.GetDataset(data.name()));
    return absl::OkStatus();
  }));
  return now.snapshot().tombstone_sequence() != seen.tombstone_sequence();
}

absl::StatusOr<std::optional<model_store::v1::Model>> ModelReuse::Find(KnownTraining& known,
                                                                       int64_t trigger) {
  if (known.digest.empty()) return std::nullopt;
  std::optional<model_store::v1::Model> found;
  RETURN_IF_ERROR(patience_.RetryTransient([&]() -> absl::Status {
    ASSIGN_OR_RETURN(found, downstream_.FindModel(known.digest));
    return absl::OkStatus();
  }));
  if (!found) return found;
  ASSIGN_OR_RETURN(const bool deleted, SamplesWereDeleted(trigger));
  if (!deleted) return found;
  known.digest.clear();
  known.why_none = "samples of the dataset were deleted after the run's snapshot of it";
  return std::nullopt;
}

absl::StatusOr<std::optional<model_store::v1::Model>> ModelReuse::Find(
    const trainer_server::v1::StartTrainingRequest& training) {
  ASSIGN_OR_RETURN(auto digest, DigestOf(kFitStage, training));
  KnownTraining known = {.digest = std::move(*digest.mutable_digest())};
  return Find(known, training.trigger());
}

absl::StatusOr<KnownTraining> ModelReuse::Take(
    const trainer_server::v1::StartTrainingRequest& training) {
  KnownTraining known;
  ASSIGN_OR_RETURN(model_store::v1::ReuseModelResponse given, Given(training.trigger()));
  if (given.has_model()) {
    known.digest = given.model().training_digest();
    known.taken = std::move(given);
    return known;
  }
  ASSIGN_OR_RETURN(auto digest, DigestOf(kTrainStage, training));
  known.digest = std::move(*digest.mutable_digest());
  known.why_none = std::move(*digest.mutable_why_none());
  ASSIGN_OR_RETURN(const auto found, Find(known, training.trigger()));
  if (!found) return known;
  model_store::v1::ReuseModelRequest request;
  *request.mutable_command() = record_.CommandFor("reuse", training.trigger());
  request.set_trigger(training.trigger());
  request.set_training_digest(known.digest);
  request.set_parent_model_id(training.parent_model_id());
  ASSIGN_OR_RETURN(model_store::v1::ReuseModelResponse taken, Ask(request));
  if (taken.has_model()) known.taken = std::move(taken);
  return known;
}

absl::StatusOr<model_store::v1::ReuseModelResponse> ModelReuse::Given(int64_t trigger) {
  model_store::v1::ReuseModelRequest request;
  *request.mutable_command() = record_.CommandFor("reuse", trigger);
  request.set_trigger(trigger);
  request.set_only_given(true);
  return Ask(request);
}

absl::StatusOr<model_store::v1::ReuseModelResponse> ModelReuse::Ask(
    const model_store::v1::ReuseModelRequest& request) {
  model_store::v1::ReuseModelResponse response;
  RETURN_IF_ERROR(patience_.RetryTransient([&]() -> absl::Status {
    ASSIGN_OR_RETURN(response, downstream_.ReuseModel(request));
    return absl::OkStatus();
  }));
  return response;
}

}  // namespace tidemill::supervisor
