#include "trainer_server/job/train_job.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "google/protobuf/util/json_util.h"

#include "base/descriptor.h"
#include "base/digest.h"
#include "base/failpoints.h"
#include "base/files.h"
#include "base/log.h"
#include "base/paths/regular_file.h"
#include "base/paths/summed_file.h"
#include "base/process/zygote.h"
#include "config/config.h"
#include "loader/batches/batch_stream.h"
#include "loader/fit.h"
#include "loader/held_out.h"
#include "loader/path_verdict.h"
#include "loader/sample_facts.h"
#include "loader/tensors.h"
#include "model_store/client/model_store_client.h"
#include "models/artefact_spec.h"
#include "models/network_sandbox.h"
#include "preprocess/client/path_work_message.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"
#include "trainer_server/checkpoints.h"
#include "trainer_server/downsampling/downsampled_source.h"
#include "trainer_server/downsampling/irreducible_losses.h"
#include "trainer_server/job/failure_text.h"
#include "trainer_server/job/opened_job.h"
#include "trainer_server/job/prepared_batches.h"
#include "trainer_server/job/training_machine.h"
#include "trainer_server/job_folder.h"
#include "trainer_server/job_processes.h"
#include "trainer_server/training/learnable_batches.h"
#include "trainer_server/training/training_device.h"
#include "trainer_server/training/training_loop.h"
#include "trainer_server/training/watchdog.h"
#include "transform/randomness.h"

namespace tidemill::trainer_server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kReportInterval{100};
// Of input that is scored together.
constexpr int64_t kScoredBytes = int64_t{1} << 20;
// What a report may say of an error: it has to fit one line of a pipe.
constexpr size_t kMaxError = 1500;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Every batch takes and gives back the same large pieces of memory. The allocator is to keep them
// instead of having the kernel make and clear their pages anew each time.
void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // The most that it takes.
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

void Send(process::Report& report, const v1::WatchTrainingResponse& message) {
  std::string line;
  if (google::protobuf::util::MessageToJsonString(message, &line).ok()) report.Line(line);
}

// Holds the folder's lock for the life of this object. Waits for a process that is being killed.
absl::StatusOr<Descriptor> Lock(const std::string& folder) {
  Descriptor file(open(files::Join(folder, kLockFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) return NotFound("cannot lock {}: {}", folder, strerror(errno));
  while (flock(file.number(), LOCK_EX) != 0) {
    if (errno != EINTR) return Unavailable("cannot lock {}: {}", folder, strerror(errno));
  }
  return file;
}

absl::Status Fit(const std::string& folder) {
  const std::string path = files::Join(folder, kFittedFile);
  if (files::Exists(path)) return absl::OkStatus();
  RETURN_IF_FAILPOINT("trainer_server.before_fit");
  ASSIGN_OR_RETURN(const auto job, ReadMessage<v1::FitJob>(folder, kFitFile));
  ASSIGN_OR_RETURN(const OpenedJob opened, Open(job));
  ASSIGN_OR_RETURN(const transform::FittedState fitted,
                   loader::FitGraph(*opened.graph, *opened.set, opened.reader,
                                    {.num_threads = job.preparation().threads(),
                                     .bytes_ahead = job.preparation().bytes_ahead()}));
  RETURN_IF_ERROR(files::WriteSummed(path, fitted.Encode()));
  RETURN_IF_FAILPOINT("trainer_server.after_fit");
  return absl::OkStatus();
}

int64_t DrawOf(const v1::StartTrainingRequest& request) {
  return request.draw() == 0 ? request.trigger() : request.draw();
}

// One training from job.json to result.json.
class Training {
 public:
  Training(std::string folder, process::Report& report)
      : folder_(std::move(folder)),
        report_(report),
        checkpoints_(files::Join(folder_, kCheckpointFolder)) {}

  absl::Status Run() {
    if (ReadResult(folder_).ok()) return absl::OkStatus();
    RETURN_IF_ERROR(Prepare());
    if (setup_.model->File()) {
      const bool starts_processes = !method_->RunsWith().empty();
      RETURN_IF_ERROR(models::EnterNetworkSandbox({.readable = {files::Join(folder_, "..")},
                                                   .writable = {folder_},
                                                   .graph = opened_.graph_spec,
                                                   .starts_processes = starts_processes,
                                                   .uses_gpu = setup_.device.is_cuda()}));
    }
    WatchScript();
    RETURN_IF_ERROR(TrainAuxiliaryModels());
    RETURN_IF_ERROR(Resume());
    first_samples_ = checkpointed_ = loop_->counters().samples;
    checkpointed_epoch_ = loop_->counters().epoch;
    RETURN_IF_ERROR(loop_->Run(*source_, [this](TrainingLoop& loop) { return AfterBatch(loop); }));
    return Finish();
  }

 private:
  absl::Status Prepare() {
    ASSIGN_OR_RETURN(job_, ReadMessage<v1::TrainingJob>(folder_, kJobFile));
    ASSIGN_OR_RETURN(spec_,
                     config::ReadKept<models::TrainingSpec>(job_.request().training(), "training"));
    ASSIGN_OR_RETURN(model_, config::Read<models::ModelSpec>(job_.request().model(), "model"));
    setup_.model = model_;
    setup_.training = spec_;
    setup_.trigger = DrawOf(job_.request());
    MakeDeterministic(models::NumThreads(spec_, setup_.model));
    ASSIGN_OR_RETURN(setup_.device, ChooseDevice(spec_.device));
    ASSIGN_OR_RETURN(opened_, Open(job_));
    setup_.bad = opened_.bad.get();
    for (const transform::ColumnSchema& input : opened_.graph->inputs()) {
      setup_.inputs[input.name] = {input.shape, input.type == batch::DataType::kInt64};
    }
    trained_ = opened_.set;
    if (spec_.early_stopping) {
      loader::DividedSet sets =
          loader::HoldOut(*opened_.set, spec_.early_stopping->held_out, spec_.seed);
      trained_ = std::make_shared<const loader::TrainingSet>(std::move(sets.trained));
      held_out_ = std::make_shared<const loader::TrainingSet>(std::move(sets.held_out));
      setup_.held_out = [this] {
        return OpenStream(held_out_, {.batch_size = spec_.batch_size,
                                      .shuffle = {.seed = spec_.seed, .purpose = "held_out"},
                                      .order = models::InStreamOrder(),
                                      .training = false});
      };
    }
    PrepareDownsampling();
    const std::string fitted_path =
        files::Join(files::Join(folder_, ".."),
                    files::Join(std::to_string(job_.request().fitted_trigger()), kFittedFile));
    ASSIGN_OR_RETURN(const std::string bytes, files::ReadSummed(fitted_path, kMostFittedBytes));
    ASSIGN_OR_RETURN(transform::FittedState fitted, transform::FittedState::Decode(bytes));
    fitted_ = std::make_shared<const transform::FittedState>(std::move(fitted));
    ASSIGN_OR_RETURN(setup_.model, WithNetworkFile(model_, folder_, opened_.peers));
    if (job_.request().parent_model_id() == 0) return absl::OkStatus();
    ASSIGN_OR_RETURN(const rpc::Peer peer, opened_.peers.PeerOf("model_store"));
    model_store::ModelStoreClient model_store(peer);
    ASSIGN_OR_RETURN(setup_.parent_weights,
                     model_store.ReadPart(ModelId{job_.request().parent_model_id()},
                                          std::string(models::kWeightsPart)));
    return absl::OkStatus();
  }

  // Batches of what is trained on. Such rows do not depend on the epoch unless the graph is random,
  // so that those which downsampling looks at and trains on are read once.
  void PrepareDownsampling() {
    method_ = spec_.downsampling->MethodAt(job_.request().trigger());
    if (method_->IsNone()) return;
    if (spec_.decoded_budget.bytes > 0 && !transform::IsRandom(opened_.graph_spec)) {
      kept_ =
          std::make_shared<loader::DecodedSamples>(trained_->size(), spec_.decoded_budget.bytes);
    }
    setup_.num_losses = NumLosses(method_, trained_->size());
    downsampling_ = {
        .method = method_,
        .set = trained_,
        .open = [this](const loader::BatchPlan& plan) { return OpenStream(trained_, plan, kept_); },
        .folder = files::Join(folder_, kDownsamplingFolder),
        .progress = [this] { return AfterScoring(); },
        .score_batch = ScoreBatch(),
        .find_times = [this] { return FindTimes(); }};
  }

  // Of what is trained on. Samples that storage does not know are never scored.
  absl::StatusOr<SampleTimes> FindTimes() const {
    ASSIGN_OR_RETURN(loader::SampleFacts facts,
                     loader::ReadSampleFacts(*opened_.storage,
                                             DatasetId{job_.request().dataset_id()}, *trained_));
    SampleTimes times{.event_times = std::move(facts.event_times),
                      .newest = std::numeric_limits<int64_t>::min()};
    for (size_t i = 0; i < times.event_times.size(); ++i) {
      if (facts.files[i] == loader::SampleFacts::kNoFile) continue;
      times.newest = std::max(times.newest, times.event_times[i]);
    }
    return times;
  }

  // As large as pays, and a power of two: beyond a megabyte of input larger batches are no faster.
  int64_t ScoreBatch() const {
    int64_t row_bytes = 1;
    for (const transform::ColumnSchema& input : opened_.graph->inputs()) {
      row_bytes += input.Width() * static_cast<int64_t>(batch::SizeOf(input.type));
    }
    constexpr int64_t kMostSamples = 1024;
    const int64_t fitting = std::clamp<int64_t>(kScoredBytes / row_bytes, 1, kMostSamples);
    return std::max(spec_.batch_size,
                    static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(fitting))));
  }

  absl::StatusOr<std::unique_ptr<loader::BatchSource>> OpenStream(
      std::shared_ptr<const loader::TrainingSet> set, const loader::BatchPlan& plan,
      std::shared_ptr<loader::DecodedSamples> kept = nullptr) const {
    ASSIGN_OR_RETURN(auto stream,
                     loader::BatchStream::Create(PartsOf(std::move(set), std::move(kept)), plan,
                                                 StreamOptionsOf(job_.preparation(), Settle())));
    return Learnable(std::move(stream));
  }

  // One sample with a target that the model cannot have costs no more than itself.
  std::unique_ptr<loader::BatchSource> Learnable(
      std::unique_ptr<loader::BatchSource> source) const {
    return std::make_unique<LearnableBatches>(std::move(source), spec_.loss, model_->NumOutputs(),
                                              opened_.bad);
  }

  loader::BatchParts PartsOf(std::shared_ptr<const loader::TrainingSet> set,
                             std::shared_ptr<loader::DecodedSamples> kept) const {
    return {.set = std::move(set),
            .reader = opened_.reader,
            .graph = opened_.graph,
            .fitted = fitted_,
            .kept = std::move(kept),
            .bad = opened_.bad};
  }

  loader::SettleRows Settle() const {
    return setup_.device.is_cuda() ? loader::PinTensors : loader::SettleRows();
  }

  // Before the loop is made, which owns torch's generator from then on.
  absl::Status TrainAuxiliaryModels() {
    const std::optional<models::AuxiliaryModel> auxiliary = method_->Auxiliary();
    if (!auxiliary) return absl::OkStatus();
    activity_ = "auxiliary model";
    ASSIGN_OR_RETURN(StoredNumbers losses,
                     FindIrreducibleLosses(*auxiliary, setup_, downsampling_,
                                           files::Join(downsampling_.folder, kAuxiliaryFile)));
    downsampling_.irreducible_losses = std::move(losses.numbers);
    auxiliary_seconds_ = losses.seconds;
    activity_.clear();
    return absl::OkStatus();
  }

  absl::Status Resume() {
    ASSIGN_OR_RETURN(const std::optional<StoredCheckpoint> checkpoint, checkpoints_.ReadLatest());
    if (!checkpoint) return Begin("");
    const absl::Status resumed = Begin(checkpoint->payload);
    if (resumed.ok()) {
      log::Info("training resumes",
                {{"folder", folder_}, {"batches", std::to_string(checkpoint->batches)}});
      return absl::OkStatus();
    }
    log::Warn("the training starts again because its checkpoint does not fit",
              {{"folder", folder_}, {"error", std::string(resumed.message())}});
    RETURN_IF_ERROR(ChoiceFiles(downsampling_.folder).Forget(spec_.epochs));
    return Begin("");
  }

  // Makes the loop and its source, as a checkpoint says or as at first.
  absl::Status Begin(const std::string& checkpoint) {
    source_.reset();
    downsampled_ = nullptr;
    loop_.emplace(setup_);
    if (!checkpoint.empty()) RETURN_IF_ERROR(loop_->Restore(checkpoint));
    if (!method_->IsNone()) {
      ASSIGN_OR_RETURN(auto source, MakeDownsampledSource(downsampling_, *loop_));
      downsampled_ = source.get();
      source_ = std::move(source);
      return absl::OkStatus();
    }
    const loader::BatchPlan plan = {
        .batch_size = spec_.batch_size,
        .epochs = spec_.epochs,
        .shuffle = {.seed = spec_.seed, .purpose = "shuffle", .trigger = setup_.trigger},
        .order = spec_.EffectiveOrder(),
        .first_batch = loop_->counters().batches,
        .buckets = spec_.buckets};
    ASSIGN_OR_RETURN(auto batches, OpenTrainingBatches(job_, opened_, spec_,
                                                       PartsOf(trained_, nullptr), plan, Settle()));
    source_ = Learnable(std::move(batches));
    return absl::OkStatus();
  }

  // A network from a file may never come back: its process then ends, and nothing else.
  void WatchScript() {
    const std::optional<models::NetworkFile> file = setup_.model->File();
    if (!file) return;
    watchdog_.emplace(std::chrono::microseconds(file->timeout.micros), [this, path = file->path] {
      v1::WatchTrainingResponse message;
      message.set_error(
          fmt::format("a batch took longer than model.timeout; {} hangs or needs more time", path)
              .substr(0, kMaxError));
      Send(report_, message);
      _exit(kExitCodeBase + static_cast<int>(absl::StatusCode::kDeadlineExceeded));
    });
  }

  // Tells the watchdog and, not too often, whoever watches.
  void Report() {
    if (watchdog_) watchdog_->Progress();
    if (Clock::now() - reported_ < kReportInterval) return;
    reported_ = Clock::now();
    Send(report_, Describe());
  }

  absl::Status AfterScoring() {
    RETURN_IF_FAILPOINT("trainer_server.mid_scoring");
    if (activity_.empty()) activity_ = "scoring";
    Report();
    if (activity_ == "scoring") activity_.clear();
    return absl::OkStatus();
  }

  absl::Status AfterBatch(TrainingLoop& loop) {
    Report();
    const TrainingCounters& counters = loop.counters();
    if (!loop.can_checkpoint()) return absl::OkStatus();
    const int64_t every = spec_.checkpoint_every;
    const bool due = counters.samples / every != checkpointed_ / every;
    checkpointed_ = counters.samples;
    if (!due || counters.samples == SamplesTotal()) return absl::OkStatus();
    ASSIGN_OR_RETURN(std::string payload, loop.Checkpoint());
    RETURN_IF_ERROR(checkpoints_.Write({counters.batches, std::move(payload)}));
    RETURN_IF_FAILPOINT("trainer_server.after_checkpoint");
    // The checkpoint before this one is kept, too.
    const int64_t before = std::exchange(checkpointed_epoch_, counters.epoch);
    return downsampled_ == nullptr ? absl::OkStatus() : downsampled_->Forget(before);
  }

  int64_t SamplesTotal() const {
    int64_t total = trained_->size() * spec_.epochs;
    if (downsampled_ != nullptr) total = downsampled_->samples_total();
    return spec_.max_samples ? std::min(total, spec_.max_samples->value) : total;
  }

  v1::WatchTrainingResponse Describe() const {
    const double seconds = SecondsSince(started_);
    v1::WatchTrainingResponse message;
    message.set_state(v1::TRAINING_STATE_RUNNING);
    message.set_activity(activity_);
    rpc::v1::TrainingResult& result = *message.mutable_result();
    result.set_device(setup_.device.str());
    result.set_seconds(seconds);
    if (!loop_) return message;
    const TrainingCounters& counters = loop_->counters();
    const Tally tally = downsampled_ == nullptr ? Tally() : downsampled_->tally();
    result.set_samples_done(counters.samples);
    result.set_samples_total(SamplesTotal());
    result.set_epochs(counters.epoch);
    result.set_loss(counters.loss());
    result.set_samples_per_second(static_cast<double>(counters.samples - first_samples_) / seconds);
    result.set_wait_share(std::max(0.0, loop_->wait_seconds() - tally.scoring_seconds) / seconds);
    result.set_num_skipped(counters.num_skipped + tally.num_skipped);
    result.set_num_filtered(
        std::min(std::max(counters.num_filtered(), tally.most_filtered), opened_.set->size()));
    result.set_num_bad(std::min(counters.num_bad() + tally.most_skipped, opened_.set->size()));
    if (source_ != nullptr) *message.mutable_path() = preprocess::ToMessage(source_->work());
    return message;
  }

  absl::Status Finish() {
    ASSIGN_OR_RETURN(const std::string weights, loop_->Weights());
    RETURN_IF_FAILPOINT("trainer_server.before_artefact");
    models::ArtefactSpec spec{.model = model_,
                              .graph = opened_.graph_spec,
                              .dataset = opened_.dataset,
                              .classes = opened_.dataset.label.classes};
    spec.class_outputs = setup_.training.loss->OfClasses();
    RETURN_IF_ERROR(
        WriteArtefact(folder_, {{models::kWeightsPart, weights},
                                {models::kFittedPart, fitted_->Encode()},
                                {models::kSpecPart, models::EncodeArtefactSpec(spec)}}));
    RETURN_IF_FAILPOINT("trainer_server.after_artefact");
    v1::WatchTrainingResponse last = Describe();
    last.set_state(v1::TRAINING_STATE_DONE);
    last.clear_path();
    Complete(weights, *last.mutable_result());
    RETURN_IF_ERROR(WriteMessage(folder_, kResultFile, last));
    // They have served their purpose.
    RETURN_IF_ERROR(files::Remove(files::Join(folder_, kDownsamplingFolder)));
    return files::Remove(files::Join(folder_, kCheckpointFolder));
  }

  // What is known at the end only.
  void Complete(const std::string& weights, rpc::v1::TrainingResult& result) const {
    result.set_num_samples(opened_.set->size());
    result.set_verdict(loader::Judge(result.wait_share(), source_->work()).ToText());
    result.set_training_set_digest(opened_.set->digest);
    result.set_weights_digest(Sha256(weights));
    for (const LossCurve::Point& point : loop_->loss_curve().Points()) {
      rpc::v1::LossPoint& added = *result.add_loss_curve();
      added.set_num_samples(point.num_samples);
      added.set_loss(point.loss);
      if (point.validation_loss) added.set_validation_loss(*point.validation_loss);
    }
    if (downsampled_ != nullptr) *result.mutable_downsampling() = Summary();
  }

  rpc::v1::DownsamplingSummary Summary() const {
    const Tally tally = downsampled_->tally();
    rpc::v1::DownsamplingSummary summary;
    summary.set_method(std::string(method_.type()));
    summary.set_num_samples(trained_->size());
    summary.set_scoring_seconds(tally.scoring_seconds);
    summary.set_auxiliary_seconds(auxiliary_seconds_);
    summary.set_num_not_finite(tally.num_not_finite);
    for (const Tally::Epoch& epoch : tally.epochs) {
      rpc::v1::DownsamplingSummary::Epoch& added = *summary.add_epochs();
      added.set_num_chosen(epoch.num_chosen);
      added.set_effective_size(epoch.effective_size());
      added.set_num_scored(epoch.num_scored);
    }
    return summary;
  }

  const std::string folder_;
  process::Report& report_;
  const Checkpoints checkpoints_;
  const Clock::time_point started_ = Clock::now();
  Clock::time_point reported_;
  v1::TrainingJob job_;
  models::TrainingSpec spec_;
  models::ModelSpec model_;  // As the pipeline has it; in the setup files have paths.
  TrainingSetup setup_;
  OpenedJob opened_;
  // Shared with the streams over them; `held_out_` with early stopping only.
  std::shared_ptr<const loader::TrainingSet> trained_;
  std::shared_ptr<const loader::TrainingSet> held_out_;
  std::shared_ptr<const transform::FittedState> fitted_;  // Shared with the stream.
  models::DownsamplingSpec method_;                       // That serves the trigger.
  DownsamplingSetup downsampling_;
  std::shared_ptr<loader::DecodedSamples> kept_;  // Shared with the streams.
  std::string activity_;
  double auxiliary_seconds_ = 0;
  std::optional<TrainingLoop> loop_;
  std::unique_ptr<loader::BatchSource> source_;
  DownsampledSource* downsampled_ = nullptr;  // `source_`, where the training downsamples.
  int64_t first_samples_ = 0;                 // Had by the processes before this one.
  int64_t checkpointed_epoch_ = 0;            // That the checkpoint written last lies in.
  int64_t checkpointed_ = 0;                  // Samples when a checkpoint was last considered.
  std::optional<Watchdog> watchdog_;          // Last: its thread uses the above.
};

absl::Status RunJob(const std::vector<std::string>& arguments, process::Report& report) {
  if (arguments.size() != 2)
    return InvalidArgument("usage: tidemill-train fit|train|describe FOLDER");
  const std::string& folder = arguments[1];
  ASSIGN_OR_RETURN(const Descriptor lock, Lock(folder));
  if (arguments[0] == "fit") return Fit(folder);
  if (arguments[0] == "train") return Training(folder, report).Run();
  if (arguments[0] == "describe") return DescribeMachine(folder);
  return InvalidArgument("{} is neither fit, train nor describe", arguments[0]);
}

}  // namespace

int RunTrainJob(const std::vector<std::string>& arguments, process::Report& report) {
  log::Configure("train", log::Level::kInfo, /*json=*/false);
  KeepFreedMemory();
  const absl::Status status = RunJob(arguments, report);
  if (status.ok()) return 0;
  v1::WatchTrainingResponse message;
  message.set_error(TextOf(status, kMaxError));
  Send(report, message);
  return kExitCodeBase + static_cast<int>(status.code());
}

}  // namespace tidemill::trainer_server
