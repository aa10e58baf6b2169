#include "trainer_server/job/training_course.h"

#include <algorithm>
#include <utility>

#include "base/failpoints.h"
#include "base/files.h"
#include "base/logs/log.h"
#include "base/process/interruption.h"
#include "trainer_server/downsampling/irreducible_losses.h"
#include "trainer_server/folders/job_folder.h"
#include "trainer_server/job/rank_states.h"

namespace tidemill::trainer_server {
namespace {

// Whether a process ends that another one may continue.
bool WasInterrupted(const absl::Status& ended) {
  return absl::IsAborted(ended) || absl::IsUnavailable(ended) || absl::IsUnauthenticated(ended);
}

}  // namespace

TrainingCourse::TrainingCourse(const PreparedTraining& training, TrainingReport& report)
    : training_(training),
      report_(report),
      checkpoints_(files::Join(training.folder(), kCheckpointFolder)) {
  if (!training.method()->IsNone()) {
    downsampling_ = training.Downsampling([this] { return AfterScoring(); });
  }
}

absl::Status TrainingCourse::Run() {
  RETURN_IF_ERROR(TrainAuxiliaryModels());
  RETURN_IF_ERROR(Resume());
  report_.Asked();
  first_samples_ = checkpointed_ = loop_->counters().samples;
  first_batches_ = loop_->counters().batches;
  checkpointed_epoch_ = loop_->counters().epoch;
  return loop_->Run(*source_, [this](TrainingLoop&) { return AfterBatch(); });
}

// Before the loop is made, which owns torch's generator from then on.
absl::Status TrainingCourse::TrainAuxiliaryModels() {
  const std::optional<models::AuxiliaryModel> auxiliary = training_.method()->Auxiliary();
  if (!auxiliary) return absl::OkStatus();
  report_.set_activity("auxiliary model");
  ASSIGN_OR_RETURN(StoredNumbers losses,
                   FindIrreducibleLosses(*auxiliary, training_.setup(), downsampling_,
                                         files::Join(downsampling_.folder, kAuxiliaryFile)));
  downsampling_.irreducible_losses = std::move(losses.numbers);
  auxiliary_seconds_ = losses.seconds;
  report_.set_activity("");
  return absl::OkStatus();
}

bool TrainingCourse::IsFirst() const {
  const Ranks* const ranks = training_.setup().ranks;
  return ranks == nullptr || ranks->rank() == 0;
}

absl::StatusOr<std::optional<StoredCheckpoint>> TrainingCourse::FindState() const {
  Ranks* const ranks = training_.setup().ranks;
  std::optional<StoredCheckpoint> found;
  if (IsFirst()) {
    ASSIGN_OR_RETURN(found, checkpoints_.ReadLatest());
  }
  if (ranks == nullptr) return found;
  return RankStates(training_.folder()).Agree(*ranks, std::move(found));
}

absl::Status TrainingCourse::End(absl::Status ended) {
  Ranks* const ranks = training_.setup().ranks;
  if (ranks == nullptr) return ended;
  double number = 1;
  if (ended.ok()) {
    const absl::Status others = ranks->Sum({&number, 1});
    // The first rank has written what it had to write.
    if (others.ok() || IsFirst()) return absl::OkStatus();
    ended = others;
  }
  if (!WasInterrupted(ended) || !loop_) return ended;
  loop_->GiveUpStep();
  if (!loop_->can_checkpoint() || loop_->counters().batches == first_batches_) return ended;
  ASSIGN_OR_RETURN(std::string payload, loop_->Checkpoint());
  RETURN_IF_ERROR(RankStates(training_.folder())
                      .Leave(ranks->rank(), {loop_->counters().batches, std::move(payload)}));
  report_.Left(*this);
  return ended;
}

absl::Status TrainingCourse::Resume() {
  ASSIGN_OR_RETURN(const std::optional<StoredCheckpoint> checkpoint, FindState());
  if (!checkpoint) return Begin("");
  const std::string& folder = training_.folder();
  absl::Status resumed = Begin(checkpoint->payload);
  if (resumed.ok()) {
    log::Info("training resumes",
              {{"folder", folder}, {"batches", std::to_string(checkpoint->batches)}});
    return absl::OkStatus();
  }
  // That says nothing about the checkpoint, and the other ranks may have begun with it.
  if (WasInterrupted(resumed)) return resumed;
  log::Warn("the training starts again because its checkpoint does not fit",
            {{"folder", folder}, {"error", std::string(resumed.message())}});
  RETURN_IF_ERROR(ChoiceFiles(downsampling_.folder).Forget(training_.spec().epochs));
  return Begin("");
}

// Makes the loop and its source, as a checkpoint says or, without one, as at first.
absl::Status TrainingCourse::Begin(const std::string& checkpoint) {
  source_.reset();
  downsampled_ = nullptr;
  loop_.emplace(training_.setup());
  if (!checkpoint.empty()) RETURN_IF_ERROR(loop_->Restore(checkpoint));
  if (training_.method()->IsNone()) {
    ASSIGN_OR_RETURN(source_, training_.OpenBatches(loop_->counters().batches));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(auto source, MakeDownsampledSource(downsampling_, *loop_));
  downsampled_ = source.get();
  source_ = std::move(source);
  return absl::OkStatus();
}

absl::Status TrainingCourse::AfterScoring() {
  RETURN_IF_FAILPOINT("trainer_server.mid_scoring");
  report_.Scored(*this);
  return absl::OkStatus();
}

absl::Status TrainingCourse::AfterBatch() {
  report_.Progress(*this);
  const TrainingCounters& counters = loop_->counters();
  if (!loop_->can_checkpoint()) return absl::OkStatus();
  const int64_t every = training_.spec().checkpoint_every;
  const bool interrupted = process::IsInterrupted();
  const bool due = interrupted || counters.samples / every != checkpointed_ / every;
  checkpointed_ = counters.samples;
  if (!due || counters.samples == samples_total()) return absl::OkStatus();
  if (IsFirst()) RETURN_IF_ERROR(WriteCheckpoint());
  return interrupted ? absl::AbortedError("the process must end") : absl::OkStatus();
}

absl::Status TrainingCourse::WriteCheckpoint() {
  const TrainingCounters& counters = loop_->counters();
  ASSIGN_OR_RETURN(std::string payload, loop_->Checkpoint());
  RETURN_IF_ERROR(checkpoints_.Write({counters.batches, std::move(payload)}));
  RETURN_IF_FAILPOINT("trainer_server.after_checkpoint");
  // The checkpoint before this one is kept, too.
  const int64_t before = std::exchange(checkpointed_epoch_, counters.epoch);
  return downsampled_ == nullptr ? absl::OkStatus() : downsampled_->Forget(before);
}

int64_t TrainingCourse::samples_total() const {
  const models::TrainingSpec& spec = training_.spec();
  // The last batch of an epoch may add samples or leave some out.
  const int64_t of_epoch = source_ == nullptr ? training_.trained().size() : source_->num_samples();
  const int64_t total =
      downsampled_ == nullptr ? of_epoch * spec.epochs : downsampled_->samples_total();
  return spec.max_samples ? std::min(total, spec.max_samples->value) : total;
}

}  // namespace tidemill::trainer_server
