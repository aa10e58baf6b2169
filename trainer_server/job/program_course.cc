#include "trainer_server/job/program_course.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include "base/failpoints.h"
#include "base/files.h"
#include "base/logs/log.h"
#include "base/numbers/random.h"
#include "base/printable.h"
#include "base/process/interruption.h"
#include "batch/batch.h"
#include "models/spec/program_model.h"
#include "plugin/process/fault.h"
#include "plugin/process/taken_plugin.h"
#include "plugin/spec/json_fields.h"
#include "trainer_server/folders/job_folder.h"

namespace tidemill::trainer_server {
namespace {

using nlohmann::json;
using plugin::HostProcess;

// A checkpoint or a model is one column of an answer.
constexpr int64_t kAnswersBytes = int64_t{4} << 30;
constexpr size_t kMaxActivityBytes = 200;

plugin::PluginUse UseOf(const PreparedTraining& training) {
  plugin::PluginUse use = training.spec().program.Use();
  use.num_threads = static_cast<int>(models::NumThreads(training.spec(), training.setup().model));
  use.answers_bytes = kAnswersBytes;
  return use;
}

json DescribeTraining(const PreparedTraining& training) {
  const models::TrainingSpec& spec = training.spec();
  return {{"epochs", spec.epochs},
          {"batch_size", spec.batch_size},
          {"trigger", training.setup().trigger},
          {"outputs", training.model()->NumOutputs()},
          {"is_of_classes", spec.loss->IsOfClasses()},
          {"classes", training.opened().dataset.label.classes},
          {"answers_probabilities",
           training.model()->Program() == models::ProgramAnswers::kProbabilities},
          {"num_threads", models::NumThreads(spec, training.setup().model)}};
}

uint64_t SeedOf(const PreparedTraining& training) {
  return RandomBits(
      {.seed = training.spec().seed, .purpose = "program", .trigger = training.setup().trigger}, 0);
}

// A program that fails is at fault for good: another attempt would end as this one did.
absl::Status OwnFault(const absl::Status& failure) {
  if (plugin::IsOfMachine(failure)) return failure;
  return plugin::WithTraceback(absl::InvalidArgumentError(failure.message()),
                               plugin::TracebackOf(failure));
}

}  // namespace

ProgramCourse::ProgramCourse(const PreparedTraining& training, TrainingReport& report)
    : training_(training),
      report_(report),
      checkpoints_(files::Join(training.folder(), kCheckpointFolder)),
      use_(UseOf(training)) {}

absl::Status ProgramCourse::Run() {
  for (int64_t died_at = -1;;) {
    RETURN_IF_ERROR(Resume());
    absl::Status ended = Converse();
    program_.reset();
    if (!std::exchange(has_died_, false)) return ended;
    if (kept_batches_ == died_at) return OwnFault(ended);
    died_at = kept_batches_;
    log::Warn("a program's process died; another one continues from its last checkpoint",
              {{"program", use_.use},
               {"batches", std::to_string(kept_batches_)},
               {"error", std::string(ended.message())}});
  }
}

absl::Status ProgramCourse::Resume() {
  state_ = ProgramState();
  ASSIGN_OR_RETURN(const std::optional<StoredCheckpoint> stored, checkpoints_.ReadLatest());
  if (stored) {
    absl::StatusOr<ProgramState> state = DecodeProgramState(stored->payload);
    if (state.ok()) {
      state_ = *std::move(state);
      log::Info("a program continues from its checkpoint",
                {{"folder", training_.folder()}, {"batches", std::to_string(stored->batches)}});
    } else {
      log::Warn("the training starts again because its checkpoint does not fit",
                {{"folder", training_.folder()}, {"error", std::string(state.status().message())}});
    }
  }
  source_.reset();
  ASSIGN_OR_RETURN(source_, training_.OpenBatches(state_.counters.batches));
  report_.Asked();
  kept_batches_ = state_.counters.batches;
  first_samples_ = checkpointed_ = state_.counters.samples;
  return absl::OkStatus();
}

absl::Status ProgramCourse::Converse() {
  program_.emplace(use_, models::kProgramKind, SeedOf(training_), plugin::HostSettingsOf(use_),
                   json{{"training", DescribeTraining(training_)}});
  RETURN_IF_ERROR(program_->Created().status());
  ASSIGN_OR_RETURN(json wanted, Begin());
  for (;;) {
    ASSIGN_OR_RETURN(const std::optional<json> next, Give(wanted));
    if (!next) break;
    wanted = *next;
  }
  if (state_.ends_epoch) RETURN_IF_ERROR(EndEpoch());
  return CheckHoles(state_.counters.num_skipped - state_.counters.skipped_before_epoch,
                    state_.counters.samples - state_.counters.samples_before_epoch,
                    training_.spec().max_bad_fraction, reason_);
}

absl::StatusOr<json> ProgramCourse::Ask(const plugin::PluginInstance::Request& request) {
  absl::StatusOr<json> answer = program_->CallOnce(request);
  if (answer.ok()) {
    TakeReports(*answer);
    return answer;
  }
  has_died_ = absl::IsUnavailable(answer.status()) && !plugin::IsOfMachine(answer.status());
  return has_died_ ? answer.status() : OwnFault(answer.status());
}

absl::StatusOr<json> ProgramCourse::Begin() {
  batch::Batch parts(1);
  const auto add = [&parts](const char* name, std::string_view bytes) {
    return parts.Set(batch::MakeBinaryColumn(name, std::vector<std::string_view>{bytes}));
  };
  json said = {{"call", "run"},
               {"num_batches", source_->num_batches()},
               {"num_samples", source_->num_samples()}};
  if (!state_.of_program.empty()) RETURN_IF_ERROR(add("checkpoint", state_.of_program));
  models::PackedModel parent;
  if (training_.setup().parent_weights) {
    ASSIGN_OR_RETURN(parent, models::DecodePackedModel(*training_.setup().parent_weights));
    RETURN_IF_ERROR(add("previous", parent.bytes));
    said["previous_form"] = parent.form;
  }
  if (parts.columns().empty()) return Ask([&](HostProcess&) { return said; });
  return Ask([&](HostProcess& host) -> absl::StatusOr<json> {
    ASSIGN_OR_RETURN(const json columns, host.AddColumns(parts));
    said.update(columns);
    return said;
  });
}

absl::StatusOr<std::optional<json>> ProgramCourse::Give(const json& wanted) {
  const std::string want = plugin::TextAt(wanted, "want");
  if (want == "model") {
    model_.form = plugin::TextAt(wanted, "form");
    ASSIGN_OR_RETURN(model_.bytes, BytesOf(wanted, "model"));
    return std::nullopt;
  }
  if (want == "batch") return GiveBatch(plugin::BoolAt(wanted, "checkpoint"));
  if (want == "checkpoint") {
    RETURN_IF_ERROR(Keep(wanted));
  } else if (want != "report") {
    return InvalidArgument("{}: it wants '{}', which it cannot have", use_.use,
                           Printable(want).substr(0, 60));
  }
  return Ask([](HostProcess&) { return json{{"call", "continue"}}; });
}

absl::StatusOr<json> ProgramCourse::GiveBatch(bool may_save) {
  json said = {{"call", "continue"}};
  const auto with_epoch = [this](json more) {
    more["num_batches"] = source_->num_batches();
    more["num_samples"] = source_->num_samples();
    return more;
  };
  const int64_t every = training_.spec().checkpoint_every;
  const bool is_due =
      process::IsInterrupted() || state_.counters.samples / every != checkpointed_ / every;
  if (is_due && may_save && state_.counters.batches > kept_batches_) {
    checkpointed_ = state_.counters.samples;
    said["save"] = true;
    return Ask([&](HostProcess&) { return with_epoch(said); });
  }
  ASSIGN_OR_RETURN(const std::optional<loader::TrainingBatch> batch, NextBatch());
  if (!batch) {
    said["end"] = true;
    return Ask([&](HostProcess&) { return with_epoch(said); });
  }
  RETURN_IF_ERROR(Count(*batch));
  said.update({{"epoch", batch->epoch},
               {"index", batch->index},
               {"num_skipped", batch->num_skipped},
               {"num_filtered", batch->num_filtered},
               {"reason", batch->reason}});
  absl::StatusOr<json> answer = Ask([&](HostProcess& host) -> absl::StatusOr<json> {
    ASSIGN_OR_RETURN(const json columns, host.AddColumns(batch->rows));
    said.update(columns);
    return with_epoch(said);
  });
  RETURN_IF_FAILPOINT("trainer_server.mid_training");
  report_.Progress(*this);
  return answer;
}

absl::StatusOr<std::optional<loader::TrainingBatch>> ProgramCourse::NextBatch() {
  const auto& budget = training_.spec().max_samples;
  if (budget && state_.counters.samples >= budget->value) return std::nullopt;
  const auto before = std::chrono::steady_clock::now();
  auto batch = source_->Next();
  wait_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  return batch;
}

absl::Status ProgramCourse::Count(const loader::TrainingBatch& batch) {
  if (state_.ends_epoch) RETURN_IF_ERROR(EndEpoch());
  state_.counters.Count(batch.rows.num_rows(), batch.num_skipped, batch.num_filtered);
  state_.num_unreported += batch.rows.num_rows();
  if (!batch.reason.empty()) reason_ = batch.reason;
  state_.ends_epoch = batch.index + 1 == source_->num_batches();
  return CheckLimit(state_.counters, training_.spec(), reason_);
}

absl::Status ProgramCourse::EndEpoch() {
  RETURN_IF_ERROR(CheckHoles(state_.counters.num_skipped - state_.counters.skipped_before_epoch,
                             state_.counters.samples - state_.counters.samples_before_epoch,
                             training_.spec().max_bad_fraction, reason_));
  state_.counters.EndEpoch();
  state_.ends_epoch = false;
  return absl::OkStatus();
}

absl::Status ProgramCourse::Keep(const json& answer) {
  ASSIGN_OR_RETURN(state_.of_program, BytesOf(answer, "state"));
  RETURN_IF_ERROR(checkpoints_.Write({state_.counters.batches, EncodeProgramState(state_)}));
  state_.of_program.clear();
  kept_batches_ = state_.counters.batches;
  checkpointed_ = state_.counters.samples;
  RETURN_IF_FAILPOINT("trainer_server.after_checkpoint");
  return process::IsInterrupted() ? absl::AbortedError("the process must end") : absl::OkStatus();
}

void ProgramCourse::TakeReports(const json& answer) {
  for (const json& report : plugin::ListAt(answer, "reports")) {
    TrainingCounters& counters = state_.counters;
    if (const std::optional<double> loss = plugin::NumberAt(report, "loss")) {
      // Without new rows, as when trees are added one by one, the last loss is the one that counts.
      if (state_.num_unreported == 0)
        counters.loss_sum = static_cast<double>(counters.loss_samples = 0);
      const int64_t rows = std::max<int64_t>(1, std::exchange(state_.num_unreported, 0));
      counters.loss_sum += *loss * static_cast<double>(rows);
      counters.loss_samples += rows;
      state_.curve.Add(*loss, rows, counters.samples);
    }
    if (const auto loss = plugin::NumberAt(report, "validation_loss")) {
      state_.curve.AddValidation(*loss);
    }
    std::string activity;
    for (const json& measure : plugin::ListAt(report, "measures")) {
      activity += fmt::format("{}{} {:.4g}", activity.empty() ? "" : ", ",
                              Printable(plugin::TextAt(measure, "name")),
                              plugin::NumberAt(measure, "value").value_or(0));
    }
    if (!activity.empty()) report_.set_activity(activity.substr(0, kMaxActivityBytes));
  }
  if (plugin::TextAt(answer, "want") == "report") report_.Progress(*this);
}

absl::StatusOr<std::string> ProgramCourse::BytesOf(const json& answer, const char* column) const {
  ASSIGN_OR_RETURN(const batch::Batch columns, program_->Columns(answer));
  const batch::Column* const found = columns.Find(column);
  if (found == nullptr || columns.num_rows() != 1 || found->type != batch::DataType::kBinary) {
    return InvalidArgument("{}: its answer has no {}", use_.use, column);
  }
  return std::string(found->Bytes(0));
}

int64_t ProgramCourse::num_deleted() const {
  return training_.setup().bad == nullptr ? 0 : training_.setup().bad->num_deleted();
}

int64_t ProgramCourse::samples_total() const {
  const models::TrainingSpec& spec = training_.spec();
  const int64_t of_epoch = source_ == nullptr ? training_.trained().size() : source_->num_samples();
  const int64_t total = of_epoch * spec.epochs;
  return spec.max_samples ? std::min(total, spec.max_samples->value) : total;
}

}  // namespace tidemill::trainer_server
