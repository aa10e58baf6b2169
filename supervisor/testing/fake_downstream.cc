#include "supervisor/testing/fake_downstream.h"

#include <algorithm>

#include "storage/trials/dataset_trial.h"
#include "supervisor/testing/event_times.h"

namespace tidemill::supervisor::testing {
namespace {

constexpr int64_t kChunk = 7;

// Samples with even keys are of class 0, the others of class 1.
batch::Column ClassesOf(std::span<const int64_t> keys) {
  std::vector<int64_t> classes;
  for (const int64_t key : keys) classes.push_back(key % 2);
  return batch::MakeColumn<int64_t>(batch::kClassLabelColumn, classes);
}

}  // namespace

TrainedOn SamplesOf(FakeServices& services, const selector::v1::SealTrainingSetRequest& request) {
  storage::v1::ListSamplesRequest list;
  *list.mutable_snapshot() = request.snapshot();
  if (request.has_begin()) *list.mutable_from() = request.begin();
  if (request.has_from()) *list.mutable_from() = request.from();
  *list.mutable_to() = request.to();
  TrainedOn trained{.trained = services.Samples(list), .late = {}};
  if (request.late_after_key() == 0) return trained;
  list.mutable_snapshot()->clear_horizons();
  list.clear_from();
  *list.mutable_to() = request.from();
  list.set_after_key(request.late_after_key());
  trained.late = services.Samples(list);
  if (request.accept_late()) {
    trained.trained.insert(trained.trained.begin(), trained.late.begin(), trained.late.end());
  }
  return trained;
}

class FakeDownstream final : public Downstream {
 public:
  FakeDownstream(FakeServices& services, std::stop_token stop)
      : services_(services), stop_(std::move(stop)) {}

  absl::StatusOr<storage::v1::RegisterDatasetResponse> RegisterDataset(
      const std::string& name, const std::string& spec, const rpc::v1::Command&,
      storage::v1::OnOtherSpec /*on_other_spec*/) override {
    RETURN_IF_ERROR(services_.Count("RegisterDataset"));
    MutexLock lock(services_.mutex_);
    services_.datasets_[name] = spec;
    storage::v1::RegisterDatasetResponse response;
    response.set_dataset_id(3);
    return response;
  }

  absl::StatusOr<storage::v1::ReadDatasetHeadResponse> PeekDataset(
      const std::string& spec) override {
    RETURN_IF_ERROR(services_.Count("PeekDataset"));
    ASSIGN_OR_RETURN(const auto dataset, config::ReadKept<storage::DatasetSpec>(spec, "dataset"));
    ASSIGN_OR_RETURN(storage::DatasetPeek peek, storage::PeekAtDisk(dataset));
    storage::v1::ReadDatasetHeadResponse response;
    if (peek.first) response.set_first_file(*std::move(peek.first));
    response.set_head(std::move(peek.head));
    return response;
  }

  absl::StatusOr<storage::v1::Dataset> GetDataset(const std::string& name) override {
    RETURN_IF_ERROR(services_.Count("GetDataset"));
    storage::v1::Dataset dataset;
    dataset.set_name(name);
    dataset.set_unreachable(services_.unreachable);
    {
      MutexLock lock(services_.mutex_);
      dataset.set_dataset_id(3);
      dataset.set_spec(services_.datasets_[name]);
      dataset.mutable_snapshot()->set_tombstone_sequence(services_.num_deletions_);
    }
    storage::v1::ListSamplesRequest everything;
    everything.mutable_snapshot()->set_committed_key(services_.NumKnown());
    const auto samples = services_.Samples(everything);
    dataset.mutable_snapshot()->MergeFrom(everything.snapshot());
    dataset.mutable_snapshot()->set_dataset_id(dataset.dataset_id());
    dataset.set_num_samples(static_cast<int64_t>(samples.size()));
    if (!samples.empty()) dataset.set_first_event_time(samples.front().first * kSecond);
    if (!samples.empty()) dataset.set_last_event_time(samples.back().first * kSecond);
    return dataset;
  }

  absl::StatusOr<rpc::v1::Snapshot> SyncDataset(
      DatasetId dataset, std::optional<Duration> /*max_wait*/,
      const std::function<void(const storage::v1::SyncDatasetResponse&)>& progress) override {
    RETURN_IF_ERROR(services_.Count("SyncDataset"));
    progress(services_.synced);
    rpc::v1::Snapshot snapshot;
    snapshot.set_dataset_id(dataset.value);
    snapshot.set_committed_key(services_.NumKnown());
    return snapshot;
  }

  absl::Status ListSamples(const storage::v1::ListSamplesRequest& request,
                           const std::function<absl::Status(batch::Batch)>& sink) override {
    RETURN_IF_ERROR(services_.Count("ListSamples"));
    std::vector<int64_t> times, keys;
    const auto flush = [&]() -> absl::Status {
      batch::Batch batch(static_cast<int64_t>(keys.size()));
      RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
      RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, times)));
      if (request.with_labels()) RETURN_IF_ERROR(batch.Set(ClassesOf(keys)));
      times.clear();
      keys.clear();
      return sink(std::move(batch));
    };
    for (const auto& [time, key] : services_.Samples(request)) {
      times.push_back(time * kSecond);
      keys.push_back(key);
      if (keys.size() == kChunk) RETURN_IF_ERROR(flush());
    }
    return keys.empty() ? absl::OkStatus() : flush();
  }

  absl::Status ReadSamples(DatasetId, std::span<const int64_t> keys,
                           const std::function<absl::Status(batch::Batch)>& sink) override {
    RETURN_IF_ERROR(services_.Count("ReadSamples"));
    batch::Batch batch(static_cast<int64_t>(keys.size()));
    RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
    RETURN_IF_ERROR(batch.Set(ClassesOf(keys)));
    return sink(std::move(batch));
  }

  absl::Status KeepFile(const model_store::v1::PutFileRequest::Header& header,
                        const NextBytes& next) override {
    RETURN_IF_ERROR(services_.Count("KeepFile"));
    std::string bytes;
    while (true) {
      ASSIGN_OR_RETURN(const auto more, next());
      if (!more) break;
      bytes += *more;
    }
    MutexLock lock(services_.mutex_);
    services_.files_[header.digest()] = std::move(bytes);
    return absl::OkStatus();
  }

  absl::Status FindFile(const std::string& digest) override {
    RETURN_IF_ERROR(services_.Count("FindFile"));
    MutexLock lock(services_.mutex_);
    return services_.files_.contains(digest) ? absl::OkStatus() : NotFound("no file {}", digest);
  }

  absl::Status RetireFiles(const std::vector<std::string>& kept) override {
    RETURN_IF_ERROR(services_.Count("RetireFiles"));
    MutexLock lock(services_.mutex_);
    std::erase_if(services_.files_, [&](const auto& file) {
      return std::ranges::find(kept, file.first) == kept.end();
    });
    return absl::OkStatus();
  }

  absl::StatusOr<selector::v1::TrainingSet> SealTrainingSet(
      const selector::v1::SealTrainingSetRequest& request) override {
    RETURN_IF_ERROR(services_.Count("SealTrainingSet"));
    {
      MutexLock lock(services_.mutex_);
      services_.selections_.push_back(request);
      if (std::exchange(services_.deletes_once_sealed_, false)) ++services_.num_deletions_;
    }
    selector::v1::TrainingSet set;
    const auto [trained, late] = SamplesOf(services_, request);
    set.set_num_samples(static_cast<int64_t>(trained.size()));
    {
      MutexLock lock(services_.mutex_);
      if (services_.empty_selections_.contains(request.trigger())) set.set_num_samples(0);
    }
    set.set_num_late(static_cast<int64_t>(late.size()));
    set.set_num_candidates(static_cast<int64_t>(trained.size()) + 1);
    set.set_digest("set-" + std::to_string(request.trigger()));
    return set;
  }

  absl::StatusOr<trainer_server::v1::FitGraphResponse> FitGraph(
      const JobPlace&, const trainer_server::v1::FitGraphRequest& request) override {
    RETURN_IF_ERROR(services_.Count(request.fitted_model_id() == 0 ? "FitGraph" : "TakeFitted"));
    return FittedAnswer();
  }

  absl::StatusOr<trainer_server::v1::GetTrainingDigestResponse> GetTrainingDigest(
      const JobPlace&, const trainer_server::v1::GetTrainingDigestRequest& request) override {
    RETURN_IF_ERROR(services_.Count("GetTrainingDigest"));
    MutexLock lock(services_.mutex_);
    trainer_server::v1::GetTrainingDigestResponse response;
    response.set_why_none(services_.why_not_reusable_);
    if (!services_.why_not_reusable_.empty()) return response;
    response.set_digest(fmt::format("{} fitted by {} from {} by {} drawn by {}",
                                    request.training_set_digest(), request.fitted_set_digest(),
                                    request.parent_weights_digest(), request.training().training(),
                                    request.training().draw()));
    return response;
  }

  absl::StatusOr<std::optional<model_store::v1::Model>> FindModel(
      const std::string& training_digest) override {
    RETURN_IF_ERROR(services_.Count("FindModel"));
    MutexLock lock(services_.mutex_);
    const auto found = services_.models_.find(training_digest);
    if (found == services_.models_.end()) return std::nullopt;
    return found->second.model();
  }

  absl::StatusOr<model_store::v1::ReuseModelResponse> ReuseModel(
      const model_store::v1::ReuseModelRequest& request) override {
    RETURN_IF_ERROR(services_.Count("ReuseModel"));
    MutexLock lock(services_.mutex_);
    const std::pair key{request.command().run_id(), request.trigger()};
    if (const auto given = services_.given_.find(key); given != services_.given_.end()) {
      return given->second;
    }
    const auto found = services_.models_.find(request.training_digest());
    if (request.only_given() || found == services_.models_.end()) {
      return model_store::v1::ReuseModelResponse();
    }
    model_store::v1::ReuseModelResponse response = found->second;
    model_store::v1::Model& model = *response.mutable_model();
    model.mutable_reused_from()->set_run_id(model.run_id());
    model.mutable_reused_from()->set_trigger(model.trigger());
    model.mutable_reused_from()->set_model_id(model.model_id());
    model.set_run_id(key.first);
    model.set_trigger(key.second);
    model.set_model_id(100 * key.first + key.second);
    services_.given_[key] = response;
    return response;
  }

  v1::ListDevicesResponse ListDevices(const std::vector<std::string>&) override {
    return services_.devices;
  }
  absl::Status StartTraining(const JobPlace&,
                             const trainer_server::v1::StartTrainingRequest& request) override {
    RETURN_IF_ERROR(services_.Count("StartTraining"));
    MutexLock lock(services_.mutex_);
    services_.trainings_.push_back(request);
    return absl::OkStatus();
  }

  absl::Status WatchTraining(
      const JobPlace&, RunId, int64_t trigger,
      const std::function<void(const trainer_server::v1::WatchTrainingResponse&)>& progress)
      override {
    trainer_server::v1::WatchTrainingResponse update;
    update.set_state(trainer_server::v1::TRAINING_STATE_RUNNING);
    update.mutable_result()->set_samples_done(1);
    progress(update);
    RETURN_IF_ERROR(services_.Count("WatchTraining"));
    {
      MutexLock lock(services_.mutex_);
      services_.changed_.wait(services_.mutex_, stop_, [this] { return !Held(); });
      if (stop_.stop_requested()) return Cancelled("stopped");
      update.set_state(trainer_server::v1::TRAINING_STATE_DONE);
      rpc::v1::TrainingResult& result = *update.mutable_result();
      result.set_device("cpu");
      result.set_loss(0.25);
      for (const double loss : {0.5, 0.25}) {
        result.add_loss_curve()->set_loss(loss);
        result.mutable_loss_curve()->rbegin()->set_num_samples(10 * result.loss_curve_size());
      }
      if (services_.silent_trainings_.erase(trigger) > 0) update.clear_result();
      if (const auto error = services_.training_errors_.extract(trigger)) {
        update.set_state(trainer_server::v1::TRAINING_STATE_FAILED);
        update.set_error(error.mapped());
      }
    }
    progress(update);
    return absl::OkStatus();
  }

  absl::Status StopTraining(const JobPlace&, const rpc::v1::Command&, int64_t) override {
    return services_.Count("StopTraining");
  }

  absl::StatusOr<trainer_server::v1::StoreModelResponse> StoreModel(
      const JobPlace&, const trainer_server::v1::StoreModelRequest& request) override {
    RETURN_IF_ERROR(services_.Count("StoreModel"));
    trainer_server::v1::StoreModelResponse response;
    response.set_model_id(100 * request.command().run_id() + request.trigger());
    response.set_weights_digest("weights-" + std::to_string(request.trigger()));
    if (request.training_digest().empty()) return response;
    MutexLock lock(services_.mutex_);
    model_store::v1::ReuseModelResponse& kept = services_.models_[request.training_digest()];
    kept.mutable_model()->set_run_id(request.command().run_id());
    kept.mutable_model()->set_trigger(request.trigger());
    kept.mutable_model()->set_model_id(response.model_id());
    kept.mutable_model()->set_training_digest(request.training_digest());
    kept.mutable_model()->set_fit_seconds(request.fit_seconds());
    kept.mutable_model()->set_train_seconds(request.train_seconds());
    kept.mutable_result()->set_loss(0.25);
    kept.mutable_result()->set_num_bad(request.trigger());
    kept.mutable_result()->set_weights_digest(response.weights_digest());
    return response;
  }

  absl::Status StartEvaluation(const JobPlace&,
                               const evaluator::v1::StartEvaluationRequest& request) override {
    RETURN_IF_ERROR(services_.Count("StartEvaluation"));
    MutexLock lock(services_.mutex_);
    services_.evaluations_.push_back(request);
    return absl::OkStatus();
  }

  absl::Status WatchEvaluation(
      const JobPlace&, RunId, int32_t,
      const std::function<void(const evaluator::v1::WatchEvaluationResponse&)>& progress) override {
    RETURN_IF_ERROR(services_.Count("WatchEvaluation"));
    evaluator::v1::WatchEvaluationResponse update;
    update.set_state(evaluator::v1::EVALUATION_STATE_DONE);
    progress(update);
    return absl::OkStatus();
  }
  absl::StatusOr<OutcomeSummary> SummariseOutcomes(RunId, int) override { return OutcomeSummary(); }
  // The last evaluation: each model is as accurate as its trigger's number says.
  absl::StatusOr<std::vector<evaluator::v1::Evaluation>> ListEvaluations(RunId) override {
    RETURN_IF_ERROR(services_.Count("ListEvaluations"));
    const auto measured = services_.evaluations();
    std::vector<evaluator::v1::Evaluation> values;
    if (measured.empty()) return values;
    for (const auto& window : measured.back().windows()) {
      storage::v1::ListSamplesRequest list;
      *list.mutable_snapshot() = measured.back().snapshot();
      *list.mutable_from() = window.from();
      *list.mutable_to() = window.to();
      const auto samples = services_.Samples(list);
      for (const int64_t model : measured.back().model_ids()) {
        evaluator::v1::Evaluation& value = values.emplace_back();
        value.set_model_id(model);
        value.set_trigger(model % 100);
        *value.mutable_from() = window.from();
        *value.mutable_to() = window.to();
        value.set_measure("accuracy");
        value.set_value(static_cast<double>(model % 100));
        value.set_num_samples(static_cast<int64_t>(samples.size()));
      }
    }
    return values;
  }

  absl::Status Retire(const rpc::v1::Command&, const v1::ModelsRetired& retired,
                      const std::vector<std::string>&) override {
    RETURN_IF_ERROR(services_.Count("Retire"));
    MutexLock lock(services_.mutex_);
    services_.retired_.push_back(retired);
    return absl::OkStatus();
  }

  absl::Status DeleteRun(const rpc::v1::Command&, const std::vector<std::string>&) override {
    return services_.Count("DeleteRun");
  }

  // A model is wrong about one sample in four, each model about others.
  absl::Status ReadModelColumns(const evaluator::v1::ReadModelColumnsRequest& request,
                                const std::function<absl::Status(batch::Batch)>& sink) override {
    RETURN_IF_ERROR(services_.Count("ReadModelColumns"));
    if (services_.answers) return sink(services_.answers(request));
    std::vector<float> errors, predictions;
    for (const int64_t key : request.keys()) {
      errors.push_back((key + request.model_id()) % 4 == 0 ? 1 : 0);
      predictions.push_back(static_cast<float>(key % 8) / 8);
    }
    batch::Batch batch(request.keys_size());
    const std::vector<int64_t> keys(request.keys().begin(), request.keys().end());
    RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
    RETURN_IF_ERROR(batch.Set(batch::MakeColumn<float>("error", errors)));
    RETURN_IF_ERROR(batch.Set(batch::MakeColumn<float>("prediction", predictions)));
    return sink(std::move(batch));
  }

 private:
  bool Held() const ABSL_NO_THREAD_SAFETY_ANALYSIS { return services_.held_; }

  FakeServices& services_;
  const std::stop_token stop_;
};

DownstreamFactory FakeServices::Connect() {
  return [this](std::stop_token stop) -> std::unique_ptr<Downstream> {
    return std::make_unique<FakeDownstream>(*this, std::move(stop));
  };
}

void FakeServices::FailNext(const std::string& method, const absl::Status& status) {
  MutexLock lock(mutex_);
  failures_[method] = status;
}

void FakeServices::DeleteSamplesOnceSealed() {
  MutexLock lock(mutex_);
  deletes_once_sealed_ = true;
}

void FakeServices::ForgetModel(int64_t trigger) {
  MutexLock lock(mutex_);
  std::erase_if(models_,
                [&](const auto& kept) { return kept.second.model().trigger() == trigger; });
}

void FakeServices::ReuseNothing(const std::string& why) {
  MutexLock lock(mutex_);
  why_not_reusable_ = why;
}

void FakeServices::HoldTrainings() {
  MutexLock lock(mutex_);
  held_ = true;
}

void FakeServices::Release() {
  MutexLock lock(mutex_);
  held_ = false;
  changed_.notify_all();
}

void FakeServices::FailTraining(int64_t trigger, const std::string& error) {
  MutexLock lock(mutex_);
  training_errors_[trigger] = error;
}

void FakeServices::TellNoFigures(int64_t trigger) {
  MutexLock lock(mutex_);
  silent_trainings_.insert(trigger);
}

void FakeServices::SelectNothing(int64_t trigger) {
  MutexLock lock(mutex_);
  empty_selections_.insert(trigger);
}

int FakeServices::Calls(const std::string& method) {
  MutexLock lock(mutex_);
  return calls_[method];
}

std::vector<trainer_server::v1::StartTrainingRequest> FakeServices::trainings() {
  MutexLock lock(mutex_);
  return trainings_;
}

std::vector<selector::v1::SealTrainingSetRequest> FakeServices::selections() {
  MutexLock lock(mutex_);
  return selections_;
}

std::vector<evaluator::v1::StartEvaluationRequest> FakeServices::evaluations() {
  MutexLock lock(mutex_);
  return evaluations_;
}

int64_t FakeServices::NumKnown() {
  MutexLock lock(mutex_);
  return follows_ ? static_cast<int64_t>(arrived_.size()) : num_samples;
}

std::vector<std::pair<int64_t, int64_t>> FakeServices::Samples(
    const storage::v1::ListSamplesRequest& request) {
  const auto place = [](const rpc::v1::Cut& cut) {
    return std::pair(cut.event_time(), cut.sample_key());
  };
  const int64_t known = NumKnown();
  MutexLock lock(mutex_);
  std::vector<std::pair<int64_t, int64_t>> samples;
  for (int64_t i = 0; i < known; ++i) {
    const std::pair at(follows_ ? arrived_[static_cast<size_t>(i)] : i * kSecond, i + 1);
    if (at.second > request.snapshot().committed_key() || at.second <= request.after_key())
      continue;
    if (request.has_from() && at < place(request.from())) continue;
    if (request.has_to() && at >= place(request.to())) continue;
    const auto& horizons = request.snapshot().horizons();
    const auto is_before = [&](const auto& horizon) { return at < place(horizon.before()); };
    const auto horizon = std::find_if(horizons.begin(), horizons.end(), is_before);
    if (horizon != horizons.end() && at.second > horizon->committed_key()) continue;
    samples.emplace_back(at.first / kSecond, at.second);
  }
  std::sort(samples.begin(), samples.end());
  return samples;
}

std::map<std::string, std::string> FakeServices::files() {
  MutexLock lock(mutex_);
  return files_;
}

std::vector<v1::ModelsRetired> FakeServices::retired() {
  MutexLock lock(mutex_);
  return retired_;
}

void FakeServices::Arrive(const std::vector<int64_t>& event_times) {
  MutexLock lock(mutex_);
  follows_ = true;
  for (const int64_t time : event_times) arrived_.push_back(time * kSecond);
}

}  // namespace tidemill::supervisor::testing
