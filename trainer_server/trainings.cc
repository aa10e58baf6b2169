#include "trainer_server/trainings.h"

#include <limits>
#include <thread>

#include "base/failpoints.h"
#include "base/files.h"
#include "base/logs/log.h"
#include "base/paths/summed_file.h"
#include "base/usage/account.h"
#include "config/config.h"
#include "config/numbers.h"
#include "loader/shared/sharing.h"
#include "loader/shared/stream_control.h"
#include "model_store/client/model_store_client.h"
#include "models/artefact_spec.h"
#include "rpc/usage/usage_message.h"
#include "selector/client/selector_client.h"
#include "storage/spec/dataset_spec.h"
#include "trainer_server/folders/job_folder.h"
#include "trainer_server/preparation.h"
#include "trainer_server/processes/job_usage.h"
#include "trainer_server/processes/training_specs.h"
#include "trainer_server/training_digest.h"
#include "transform/fitted_state.h"
#include "transform/graph_spec.h"

// The states of a training are drawn in trainings.h.

namespace tidemill::trainer_server {
namespace {

// Where a training may run: on the slot that the request names, else as its spec says.
absl::StatusOr<config::DeviceChoice> DeviceOf(const v1::StartTrainingRequest& request,
                                              const models::TrainingSpec& training) {
  if (!request.slot().empty()) return config::ParseDevice(request.slot());
  return training.EffectiveDevice();
}

bool IsDone(const absl::StatusOr<v1::WatchTrainingResponse>& last) {
  return last.ok() && last->state() == v1::TRAINING_STATE_DONE;
}

v1::WatchTrainingResponse Queued() {
  v1::WatchTrainingResponse queued;
  queued.set_state(v1::TRAINING_STATE_QUEUED);
  return queued;
}

void SetRunning(v1::WatchTrainingResponse& progress) {
  progress.set_state(v1::TRAINING_STATE_RUNNING);
}

void SetStopped(v1::WatchTrainingResponse& progress) {
  progress.set_state(v1::TRAINING_STATE_STOPPED);
}

v1::WatchTrainingResponse Failed(const absl::Status& why) {
  v1::WatchTrainingResponse last;
  last.set_state(v1::TRAINING_STATE_FAILED);
  last.set_error(std::string(why.message()));
  return last;
}

absl::Status CheckData(const std::string& dataset, const std::string& graph) {
  RETURN_IF_ERROR(config::ReadKept<storage::DatasetSpec>(dataset, "dataset").status());
  return config::ReadKept<transform::GraphSpec>(graph, "graph").status();
}

// A job's error about its data must not look to the caller like the answer of a fence.
absl::Status OfJob(const absl::Status& ended) {
  if (!absl::IsFailedPrecondition(ended)) return ended;
  return absl::InvalidArgumentError(ended.message());
}

// Adds what the training has used to its last message.
v1::WatchTrainingResponse WithUsage(const std::string& folder, v1::WatchTrainingResponse last) {
  if (auto used = JobUsage::Find(folder, kTrain)) *last.mutable_usage() = *std::move(used);
  return last;
}

}  // namespace

Trainings::Trainings(TrainingsOptions options, TrainingProcesses& processes,
                     selector::SelectorClient& selector, model_store::ModelStoreClient& model_store)
    : options_(std::move(options)),
      num_cores_(static_cast<int>(std::thread::hardware_concurrency())),
      processes_(processes),
      selector_(selector),
      model_store_(model_store),
      fences_(files::Join(options_.folder, "runs")),
      known_threads_(options_.folder),
      runner_(processes, *options_.tokens,
              std::chrono::milliseconds(options_.config.rank_timeout.micros / 1000)),
      kept_(model_store),
      fitted_(kept_, model_store),
      keeper_(kept_, options_.config.checkpoint_upload.bytes),
      share_folder_(loader::SharedFolderOf(files::Join(options_.folder, ".."))),
      fit_slots_("fits", options_.config.fit_slots),
      slots_("trainings", *options_.devices, options_.config.cpu_slots, options_.config.gpu_slots),
      preparation_(WithSharing(PreparationFor(options_.config, slots_.num_gpus(), num_cores_),
                               share_folder_)) {}

Trainings::~Trainings() { Shutdown(); }

void Trainings::Shutdown() {
  trainings_.Shutdown();
  fits_.Shutdown();
}

std::vector<Trainings::ActiveJob> Trainings::Active() {
  std::vector<ActiveJob> active;
  for (Jobs* const jobs : {&fits_, &trainings_}) {
    for (const Jobs::SharedJob& job :
         jobs->List({0, 0}, {std::numeric_limits<int64_t>::max(), 0})) {
      const bool is_placed = jobs == &fits_ || ClaimOf(job->key()).attempt > 0;
      if (!is_placed || jobs->EndOf(*job)) continue;
      active.push_back(
          {.is_fit = jobs == &fits_, .run = job->key().first, .trigger = job->key().second});
    }
  }
  return active;
}

void Trainings::End(const ActiveJob& job) {
  Jobs& jobs = job.is_fit ? fits_ : trainings_;
  if (const Jobs::SharedJob found = jobs.Find({job.run, job.trigger})) {
    jobs.Stop(*found, SetStopped);
  }
}

std::string Trainings::FolderOf(int64_t run) const {
  return files::Join(options_.folder, fmt::format("runs/{}", run));
}

std::string Trainings::FolderOf(int64_t run, int64_t trigger) const {
  return files::Join(FolderOf(run), std::to_string(trigger));
}

std::string Trainings::TokenOf(const std::string& what, int64_t run, int64_t trigger) {
  return fmt::format("{}-{}-{}", what, run, trigger);
}

absl::Status Trainings::RunJob(const std::string& what, const rpc::v1::JobDevice& device,
                               Jobs& jobs, Jobs::Job& job) {
  const auto progress = [&](const v1::WatchTrainingResponse& message) {
    jobs.Update(job, [&](v1::WatchTrainingResponse& shown) {
      if (message.state() != v1::TRAINING_STATE_UNSPECIFIED) shown = message;
      SetRunning(shown);
      *shown.mutable_usage() = message.usage();
    });
  };
  const auto [run, trigger] = job.key();
  return runner_.Run(what, FolderOf(run, trigger), TokenOf(what, run, trigger), device, progress,
                     job.stop());
}

absl::StatusOr<v1::FitGraphResponse> Trainings::Fit(const v1::FitGraphRequest& request) {
  RETURN_IF_ERROR(fences_.Check(request.command()));
  RETURN_IF_ERROR(CheckData(request.dataset_spec(), request.graph()));
  const std::string folder = FolderOf(request.command().run_id(), request.trigger());
  absl::Status fitted = fitted_.Find({request.command().run_id()}, request.trigger(), folder);
  if (absl::IsNotFound(fitted) || absl::IsDataLoss(fitted)) {
    RETURN_IF_ERROR(files::CreateFolder(folder));
    fitted = request.fitted_model_id() != 0
                 ? fitted_.Take({request.fitted_model_id()}, files::Join(folder, kFittedFile))
                 : RunFit(request, folder);
  }
  RETURN_IF_ERROR(fitted);
  RETURN_IF_ERROR(kept_.KeepFitted({request.command(), request.trigger()}, folder));
  return FittedAnswer(folder);
}

absl::Status Trainings::RunFit(const v1::FitGraphRequest& request, const std::string& folder) {
  v1::FitJob job;
  *job.mutable_request() = request;
  *job.mutable_endpoints() = options_.endpoints;
  job.mutable_endpoints()->set_token_file(
      options_.tokens->PathOf(TokenOf(kFit, request.command().run_id(), request.trigger())));
  *job.mutable_preparation() = preparation_;
  RETURN_IF_ERROR(WriteMessage(folder, kFitFile, job));
  ASSIGN_OR_RETURN(const Jobs::Added fit,
                   fits_.Add({request.command().run_id(), request.trigger()}, Queued()));
  if (fit.is_new) {
    fit_slots_.Submit([this, job = fit.job] {
      if (!fits_.Begin(*job, SetRunning)) return;
      fits_.End(*job, RunJob(kFit, rpc::v1::JobDevice(), fits_, *job));
    });
  }
  const absl::Status ended = OfJob(fits_.AwaitEnd(*fit.job));
  // A failed call has no answer that could have the total. It pays itself, once.
  const auto used = fit.is_new && !ended.ok() && !absl::IsUnavailable(ended)
                        ? JobUsage::Find(folder, kFit)
                        : std::nullopt;
  if (used) {
    JobUsage::Forget(folder, kFit);
    usage::Add(rpc::FromMessage(used->usage()));
  }
  return ended;
}

absl::StatusOr<v1::TrainingMachine> Trainings::Machine() {
  {
    MutexLock lock(mutex_);
    if (machine_) return *machine_;
  }
  const std::string folder = files::Join(options_.folder, kMachineFolder);
  RETURN_IF_ERROR(files::CreateFolder(folder));
  const auto ignore = [](const v1::WatchTrainingResponse&) {};
  RETURN_IF_ERROR(
      processes_.Run("describe", folder, rpc::v1::JobDevice(), ignore, std::stop_token()));
  ASSIGN_OR_RETURN(auto machine, ReadMessage<v1::TrainingMachine>(folder, kMachineFile));
  MutexLock lock(mutex_);
  machine_ = machine;
  return machine;
}

absl::StatusOr<v1::GetTrainingDigestResponse> Trainings::Digest(
    const v1::GetTrainingDigestRequest& request) {
  v1::GetTrainingDigestResponse response;
  ASSIGN_OR_RETURN(const TrainingSpecs specs, ReadSpecs(request.training()));
  response.set_why_none(WhyNoDigest(specs.training, slots_.IsForGpu(specs.training.device)));
  if (!response.why_none().empty()) return response;
  ASSIGN_OR_RETURN(const v1::TrainingMachine machine, Machine());
  response.set_digest(DigestOfTraining(request, specs, machine));
  return response;
}

absl::Status Trainings::CheckTraining(const v1::StartTrainingRequest& request) {
  RETURN_IF_ERROR(CheckData(request.dataset_spec(), request.graph()));
  const RunId run{request.command().run_id()};
  RETURN_IF_ERROR(fitted_.Ensure(run, request.fitted_trigger(), request.fitted_digest(),
                                 FolderOf(run.value, request.fitted_trigger())));
  RETURN_IF_ERROR(selector_.GetTrainingSet(run, request.trigger()).status());
  if (request.parent_model_id() == 0) return absl::OkStatus();
  return model_store_.GetModel(ModelId{request.parent_model_id()}).status();
}

absl::Status Trainings::WriteJob(const v1::StartTrainingRequest& request,
                                 const models::TrainingSpec& training) {
  const std::string folder = FolderOf(request.command().run_id(), request.trigger());
  RETURN_IF_ERROR(files::CreateFolder(folder));
  const auto before = ReadTraining(folder);
  if (before.ok() ? !IsSameTraining(*before, request) : absl::IsDataLoss(before.status())) {
    log::Warn(before.ok() ? "a training starts again with another spec"
                          : "the description of a training is damaged; it starts again",
              {{"folder", folder}});
    RETURN_IF_ERROR(files::Remove(files::Join(folder, kCheckpointFolder)));
    RETURN_IF_ERROR(files::Remove(files::Join(folder, kRanksFolder)));
    RETURN_IF_ERROR(files::Remove(files::Join(folder, kDownsamplingFolder)));
  }
  RETURN_IF_ERROR(ForgetResult(folder));
  v1::TrainingJob job;
  *job.mutable_request() = request;
  *job.mutable_endpoints() = options_.endpoints;
  job.mutable_endpoints()->set_token_file(
      options_.tokens->PathOf(TokenOf(kTrain, request.command().run_id(), request.trigger())));
  *job.mutable_preparation() = preparation_;
  job.set_ranks(training.ranks);
  job.set_least_ranks(training.least_ranks.value_or(training.ranks));
  job.mutable_preparation()->set_known_threads(known_threads_.Find(KindOf(request, num_cores_)));
  *job.mutable_preparation()->mutable_prepared() = options_.prepared;
  return WriteMessage(folder, kJobFile, job);
}

absl::Status Trainings::Start(const v1::StartTrainingRequest& request) {
  RETURN_IF_ERROR(fences_.Check(request.command()));
  const Key key{request.command().run_id(), request.trigger()};
  const std::string folder = FolderOf(key.first, key.second);
  const bool is_done = IsDone(ReadResult(folder));
  if (is_done) {
    const auto is_kept = kept_.HasKeptResult({key.first}, key.second, folder);
    if (is_kept.ok() && *is_kept) return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const TrainingSpecs specs, ReadSpecs(request));
  if (!is_done) RETURN_IF_ERROR(CheckTraining(request));
  {
    MutexLock lock(mutex_);
    claims_[key] = {request.command(), request.trigger(), request.attempt()};
  }
  ASSIGN_OR_RETURN(const config::DeviceChoice device, DeviceOf(request, specs.training));
  RETURN_IF_ERROR(slots_.Check(device));
  ASSIGN_OR_RETURN(const Jobs::Added added, trainings_.Add(key, Queued()));
  if (!added.is_new) return absl::OkStatus();
  absl::Status written = is_done ? absl::OkStatus() : WriteJob(request, specs.training);
  if (!written.ok()) {
    trainings_.End(*added.job, written, [&](auto& last) { last = Failed(written); });
    return written;
  }
  const std::string name =
      fmt::format("the training of trigger {} of run {}", key.second, key.first);
  return slots_.Submit(device, name, [this, job = added.job](const rpc::v1::JobDevice& given) {
    const auto begin = [&](v1::WatchTrainingResponse& shown) {
      SetRunning(shown);
      shown.mutable_result()->set_device(given.device());
    };
    if (trainings_.Begin(*job, begin)) Train(*job, given);
  });
}

Claim Trainings::ClaimOf(const Key& key) {
  MutexLock lock(mutex_);
  const auto found = claims_.find(key);
  return found == claims_.end() ? Claim() : found->second;
}

absl::Status Trainings::TrainAndKeep(const std::string& folder, const rpc::v1::JobDevice& device,
                                     Jobs::Job& job) {
  const Key& key = job.key();
  absl::Status fetched = kept_.FetchTraining({key.first}, key.second, folder);
  if (absl::IsUnavailable(fetched)) return fetched;
  if (!fetched.ok()) {
    log::Warn("what is kept of a training is of no use",
              {{"folder", folder}, {"error", fetched.ToString()}});
  }
  const auto lost = [this, key] {
    if (const Jobs::SharedJob known = trainings_.Find(key)) Jobs::RequestStop(*known);
  };
  keeper_.Begin(
      key, folder, [this, key] { return ClaimOf(key); }, lost);
  const absl::Status ended = RunJob(kTrain, device, trainings_, job);
  keeper_.End(key, processes_.has_grace());
  RETURN_IF_ERROR(ended);
  return KeepResult(folder, key);
}

absl::Status Trainings::KeepResult(const std::string& folder, const Key& key) {
  if (!IsDone(ReadResult(folder))) return absl::OkStatus();
  absl::Status kept = kept_.KeepResult(ClaimOf(key), folder);
  // The training is not done for the supervisor, and starts again, here or elsewhere.
  if (absl::IsFailedPrecondition(kept)) return Cancelled("{}", std::string(kept.message()));
  if (absl::IsNotFound(kept) || absl::IsDataLoss(kept)) {
    RETURN_IF_ERROR(ForgetResult(folder));
    return Unavailable("the artefact is damaged: {}", std::string(kept.message()));
  }
  return kept;
}

void Trainings::Train(Jobs::Job& job, const rpc::v1::JobDevice& device) {
  const std::string folder = FolderOf(job.key().first, job.key().second);
  absl::Status ended = TrainAndKeep(folder, device, job);
  absl::StatusOr<v1::WatchTrainingResponse> last =
      ended.ok() ? ReadResult(folder) : absl::StatusOr<v1::WatchTrainingResponse>(ended);
  if (ended.ok()) RememberThreads(folder);
  // A process that was killed could not remove what it shared with others.
  loader::RemoveDeadStreams(share_folder_);
  // When a service cannot be reached, the training was only interrupted.
  if (!last.ok() && !absl::IsCancelled(ended) && !absl::IsUnavailable(ended)) {
    ended = last.status();
    log::Warn("a training failed", {{"folder", folder}, {"error", std::string(ended.message())}});
    last = Failed(ended);
    WriteMessage(folder, kResultFile, *last).IgnoreError();  // Without it, it is merely unfinished.
  }
  trainings_.End(job, ended, [&](v1::WatchTrainingResponse& shown) {
    if (last.ok()) {
      shown = *last;
    } else {
      SetStopped(shown);
      shown.set_error(std::string(ended.message()));
    }
    shown = WithUsage(folder, std::move(shown));
  });
}

void Trainings::RememberThreads(const std::string& folder) {
  const auto found = ReadMessage<v1::FoundThreads>(folder, kFoundThreadsFile);
  const auto training = ReadTraining(folder);
  if (!found.ok() || !training.ok()) return;
  const absl::Status kept =
      known_threads_.Remember(KindOf(*training, num_cores_), found->threads());
  if (!kept.ok()) log::Warn("a number of threads is not kept", {{"error", kept.ToString()}});
}

absl::StatusOr<v1::WatchTrainingResponse> Trainings::Recall(int64_t run, int64_t trigger) const {
  const std::string folder = FolderOf(run, trigger);
  auto last = ReadResult(folder);
  if (last.ok()) return WithUsage(folder, *std::move(last));
  if (!absl::IsNotFound(ReadTraining(folder).status())) {
    return Unavailable("the training of trigger {} was interrupted; start it again", trigger);
  }
  return NotFound("the training of trigger {} of run {} was never started", trigger, run);
}

absl::Status Trainings::Watch(RunId run, int64_t trigger, const Watcher& watcher,
                              const std::function<bool()>& alive) {
  if (const Jobs::SharedJob job = trainings_.Find({run.value, trigger})) {
    return trainings_.Watch(*job, watcher, alive);
  }
  ASSIGN_OR_RETURN(const v1::WatchTrainingResponse message, Recall(run.value, trigger));
  watcher(message);
  return absl::OkStatus();
}

absl::Status Trainings::Stop(const v1::StopTrainingRequest& request) {
  RETURN_IF_ERROR(fences_.Check(request.command()));
  const Key key{request.command().run_id(), request.trigger()};
  if (const Jobs::SharedJob job = trainings_.Find(key)) trainings_.Stop(*job, SetStopped);
  return absl::OkStatus();
}

absl::StatusOr<v1::StoreModelResponse> Trainings::Store(const v1::StoreModelRequest& request) {
  RETURN_IF_ERROR(fences_.Check(request.command()));
  const Key key{request.command().run_id(), request.trigger()};
  const std::string folder = FolderOf(key.first, key.second);
  const Jobs::SharedJob job = trainings_.Find(key);
  if (job != nullptr && !trainings_.EndOf(*job)) {
    return FailedPrecondition("the training of trigger {} is not done", request.trigger());
  }
  auto last = ReadResult(folder);
  if (!IsDone(last)) {
    // Another server may have trained it.
    absl::Status fetched = kept_.FetchTraining({key.first}, key.second, folder);
    if (absl::IsUnavailable(fetched)) return fetched;
    last = ReadResult(folder);
  }
  if (!IsDone(last)) {
    return NotFound("no server has a result of the training of trigger {}; start it again",
                    request.trigger());
  }
  if (auto stored = ReadStored(folder); stored.ok()) return stored;
  RETURN_IF_FAILPOINT("trainer_server.before_store");
  ASSIGN_OR_RETURN(const v1::StartTrainingRequest training, ReadTraining(folder));
  ASSIGN_OR_RETURN(const auto dataset,
                   config::ReadKept<storage::DatasetSpec>(training.dataset_spec(), "dataset"));
  model_store::v1::PutModelRequest::Header header;
  *header.mutable_command() = request.command();
  model_store::v1::Model& model = *header.mutable_model();
  model.set_run_id(request.command().run_id());
  model.set_trigger(request.trigger());
  model.set_parent_model_id(training.parent_model_id());
  model.set_training_set_digest(last->result().training_set_digest());
  model.set_num_samples(last->result().num_samples());
  model.set_model(training.model());
  if (!request.training_digest().empty()) {
    model.set_training_digest(request.training_digest());
    model.set_fit_seconds(request.fit_seconds());
    model.set_train_seconds(request.train_seconds());
    *header.mutable_result() = last->result();
  }
  for (const std::string& name : dataset.label.classes) model.add_classes(name);
  for (const std::string_view part :
       {models::kWeightsPart, models::kFittedPart, models::kSpecPart}) {
    model.add_parts()->set_name(std::string(part));
  }
  RETURN_IF_ERROR(AddDigests(folder, model));
  ASSIGN_OR_RETURN(const ModelId id,
                   model_store_.PutModel(std::move(header), files::Join(folder, kArtefactFolder)));
  metrics_.Note(last->result());
  RETURN_IF_FAILPOINT("trainer_server.after_store");
  v1::StoreModelResponse response;
  response.set_model_id(id.value);
  response.set_weights_digest(last->result().weights_digest());
  RETURN_IF_ERROR(WriteMessage(folder, kStoredFile, response));
  return response;
}

absl::Status Trainings::Retire(const v1::RetireTrainingsRequest& request) {
  RETURN_IF_ERROR(fences_.Check(request.command()));
  const int64_t run = request.command().run_id();
  for (Jobs* const jobs : {&trainings_, &fits_}) {
    jobs->ForgetEnded({run, 0}, {run, request.first_kept_trigger()});
  }
  {
    MutexLock lock(mutex_);
    claims_.erase(claims_.lower_bound({run, 0}),
                  claims_.lower_bound({run, request.first_kept_trigger()}));
  }
  return RetireFolders(FolderOf(run), request.first_kept_trigger());
}

absl::StatusOr<std::vector<int64_t>> Trainings::KeptRuns() const {
  return NumbersBefore(files::Join(options_.folder, "runs"), std::numeric_limits<int64_t>::max());
}

absl::Status Trainings::DeleteRun(const v1::DeleteRunRequest& request) {
  RETURN_IF_ERROR(fences_.Check(request.command()));
  return RemoveRun(request.command().run_id());
}

absl::Status Trainings::RemoveRun(int64_t run) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  // The greatest number has none after it.
  const Key end = run == kMost ? Key{kMost, kMost} : Key{run + 1, 0};
  for (Jobs* const jobs : {&trainings_, &fits_}) {
    for (const Jobs::SharedJob& job : jobs->List({run, 0}, end)) {
      jobs->Stop(*job, SetStopped);
      jobs->Forget(*job);
    }
  }
  {
    MutexLock lock(mutex_);
    claims_.erase(claims_.lower_bound({run, 0}), claims_.lower_bound(end));
  }
  return files::Remove(FolderOf(run));
}

}  // namespace tidemill::trainer_server
