#include "trainer_server/job/training_report.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "google/protobuf/util/json_util.h"

#include "base/digest.h"
#include "base/status.h"
#include "base/usage/account.h"
#include "loader/path/path_verdict.h"
#include "loader/path/predicted_gains.h"
#include "models/torch/torch_device.h"
#include "preprocess/client/path_work_message.h"
#include "rpc/usage/usage_message.h"
#include "trainer_server/job/course.h"
#include "trainer_server/processes/training_processes.h"
#include "trainer_server/ranks/ranks.h"

namespace tidemill::trainer_server {
namespace {

constexpr std::chrono::milliseconds kReportInterval{100};

// The figures that are also known while the training runs.
void Fill(const Course& course, double seconds, v1::WatchTrainingResponse& message) {
  const int64_t num_samples = course.training().opened().set->size();
  const TrainingCounters& counters = *course.counters();
  const DownsampledSource* const downsampled = course.downsampled();
  const Tally tally = downsampled == nullptr ? Tally() : downsampled->tally();
  double waited = std::max(0.0, course.wait_seconds() - tally.scoring_seconds);
  if (downsampled != nullptr) waited += downsampled->scoring_wait_seconds();
  rpc::v1::TrainingResult& result = *message.mutable_result();
  result.set_samples_done(counters.samples);
  result.set_samples_total(course.samples_total());
  result.set_epochs(counters.epoch);
  result.set_loss(counters.loss());
  result.set_samples_per_second(static_cast<double>(counters.samples - course.first_samples()) /
                                seconds);
  result.set_wait_share(std::min(waited / seconds, 1.0));
  if (const auto idle = course.device_idle_seconds()) {
    result.set_device_idle_share(std::min(*idle / seconds, 1.0));
  }
  result.set_num_skipped(counters.num_skipped + tally.num_skipped);
  result.set_num_filtered(
      std::min(std::max(counters.num_filtered(), tally.most_filtered), num_samples));
  const int64_t num_holes = std::min(counters.num_bad() + tally.most_skipped, num_samples);
  result.set_num_deleted(std::min(course.num_deleted(), num_holes));
  result.set_num_bad(num_holes - result.num_deleted());
  if (course.source() != nullptr) {
    *message.mutable_path() = preprocess::ToMessage(course.source()->work());
  }
}

rpc::v1::DownsamplingSummary SummaryOf(const Course& course) {
  const Tally tally = course.downsampled()->tally();
  rpc::v1::DownsamplingSummary summary;
  summary.set_method(std::string(course.training().method().type()));
  summary.set_num_samples(course.training().trained().size());
  summary.set_scoring_seconds(tally.scoring_seconds);
  summary.set_auxiliary_seconds(course.auxiliary_seconds());
  summary.set_num_not_finite(tally.num_not_finite);
  for (const Tally::Epoch& epoch : tally.epochs) {
    rpc::v1::DownsamplingSummary::Epoch& added = *summary.add_epochs();
    added.set_num_chosen(epoch.num_chosen);
    added.set_effective_size(epoch.effective_size());
    added.set_num_scored(epoch.num_scored);
  }
  return summary;
}

// The limit of the training, and the changes that would help.
void FillLimit(const loader::PathWork& work, rpc::v1::TrainingResult& result) {
  // Work is queued on a GPU ahead of time, so it may be busy while the training waits.
  const bool is_of_gpu = result.has_device_idle_share();
  const double waits = is_of_gpu ? result.device_idle_share() : result.wait_share();
  result.set_verdict(loader::Judge(waits, work, is_of_gpu).ToText());
  for (const loader::PredictedGain& gain : loader::PredictGainsToShow(waits, work)) {
    *result.add_gains() = preprocess::ToMessage(gain);
  }
}

std::string NameOfOp(const transform::Graph& graph, int op) {
  return fmt::format("op {} ({})", op + 1, graph.op_types()[static_cast<size_t>(op)]);
}

// What was decided about prepared samples.
void FillPrepared(const PreparedTraining& training, const loader::PathWork& work,
                  rpc::v1::TrainingResult& result) {
  const std::optional<loader::CacheReport> report = training.cache_report(work);
  if (!report) return;
  const transform::Graph& graph = *training.opened().graph;
  rpc::v1::PreparedSummary& summary = *result.mutable_prepared();
  for (const loader::PointGain& gain : report->choice.points) {
    rpc::v1::PreparedSummary::Point& point = *summary.add_points();
    point.set_op(NameOfOp(graph, gain.last_op));
    point.set_row_bytes(gain.row_bytes);
    point.set_speedup(gain.speedup);
    point.set_saved_seconds(gain.saved_ns / 1e9);
    point.set_in_memory(gain.in_memory);
    point.set_on_disk(gain.on_disk);
  }
  summary.set_chosen(report->choice.chosen + 1);
  summary.set_reason(report->choice.reason);
  if (report->point) summary.set_kept_after(NameOfOp(graph, report->point->last_op));
  summary.set_measured_speedup(report->measured_speedup);
  summary.set_num_found(work.found);
  summary.set_num_kept(report->counts.kept);
  summary.set_kept_bytes(report->counts.kept_bytes);
  summary.set_num_refused(report->counts.refused);
  summary.set_num_damaged(report->counts.damaged);
}

void FillShared(const loader::SharedWork& shared, rpc::v1::TrainingResult& result) {
  if (shared != loader::SharedWork()) *result.mutable_shared() = preprocess::ToMessage(shared);
}

// What the graph warns of.
void FillWarnings(const PreparedTraining& training, const loader::PathWork& work,
                  rpc::v1::TrainingResult& result) {
  for (const std::string& warning : training.fit_warnings()) result.add_fit_warnings(warning);
  for (size_t i = 0; i < work.ops.size(); ++i) {
    const auto& [type, op] = work.ops[i];
    if (op.unknown == 0) continue;
    rpc::v1::UnknownValues& unknown = *result.add_unknown();
    unknown.set_op(fmt::format("op {} ({})", i + 1, type));
    unknown.set_num_samples(op.rows);
    unknown.set_num_unknown(op.unknown);
  }
}

}  // namespace

void Send(process::Report& report, v1::WatchTrainingResponse message) {
  usage::Amounts used = usage::MeasureWholeProcess()->Total();
  used.job_nanos += usage::ProcessNanos();
  *message.mutable_usage()->mutable_usage() = rpc::ToMessage(used);
  std::string line;
  if (google::protobuf::util::MessageToJsonString(message, &line).ok()) report.Line(line);
}

void TrainingReport::Watch(const models::NetworkFile& file, const Ranks* ranks) {
  const std::chrono::microseconds limit(file.timeout.micros);
  const auto is_excused = [ranks] { return ranks != nullptr && ranks->is_waiting(); };
  const auto expire = [&report = report_, path = file.path] {
    v1::WatchTrainingResponse message;
    message.set_error(
        fmt::format("a batch took longer than model.timeout; {} hangs or needs more time", path)
            .substr(0, kMaxErrorBytes));
    Send(report, message);
    _exit(kExitCodeBase + static_cast<int>(absl::StatusCode::kDeadlineExceeded));
  };
  watchdog_.emplace(limit, expire, is_excused);
}

void TrainingReport::Progress(const Course& course) {
  if (watchdog_) watchdog_->Progress();
  if (!std::exchange(has_started_, true)) Started(course);
  const auto now = std::chrono::steady_clock::now();
  if (now - sent_ < kReportInterval) return;
  sent_ = now;
  Send(report_, Describe(course));
}

void TrainingReport::Left(const Course& course) { Send(report_, Describe(course)); }

void TrainingReport::Scored(const Course& course) {
  const bool is_idle = activity_.empty();
  if (is_idle) activity_ = "scoring";
  Progress(course);
  if (is_idle) activity_.clear();
}

double TrainingReport::Seconds() const {
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started_;
  return taken.count();
}

// The first batch of a training that downsamples is one that it scores: its start is not measured,
// nor is that of a process that continues.
void TrainingReport::Started(const Course& course) {
  if (course.counters() == nullptr || course.first_samples() > 0 ||
      course.downsampled() != nullptr) {
    start_.Clear();
    return;
  }
  const double before = start_.opening_seconds() + start_.asking_seconds();
  start_.set_first_batch_seconds(course.wait_seconds());
  start_.set_first_step_seconds(std::max(0.0, Seconds() - before - start_.first_batch_seconds()));
}

v1::WatchTrainingResponse TrainingReport::Describe(const Course& course) const {
  const double seconds = Seconds();
  v1::WatchTrainingResponse message;
  message.set_state(v1::TRAINING_STATE_RUNNING);
  message.set_activity(activity_);
  message.mutable_result()->set_device(course.training().device().name());
  message.mutable_result()->set_device_name(course.training().device().described().name());
  if (const auto peak = models::PeakBytesOf(course.training().setup().device)) {
    message.mutable_result()->set_device_peak_bytes(*peak);
  }
  message.mutable_result()->set_seconds(seconds);
  if (has_started_ && start_.has_first_batch_seconds()) {
    *message.mutable_result()->mutable_start() = start_;
  }
  if (course.counters() != nullptr) Fill(course, seconds, message);
  return message;
}

v1::WatchTrainingResponse TrainingReport::Last(const Course& course,
                                               std::string_view weights) const {
  v1::WatchTrainingResponse last = Describe(course);
  last.set_state(v1::TRAINING_STATE_DONE);
  last.clear_path();
  rpc::v1::TrainingResult& result = *last.mutable_result();
  const loader::TrainingSet& set = *course.training().opened().set;
  result.set_num_samples(set.size());
  FillLimit(course.source()->work(), result);
  FillShared(course.source()->work().shared, result);
  FillWarnings(course.training(), course.source()->work(), result);
  if (const std::string note = course.start_note(); !note.empty()) result.add_fit_warnings(note);
  FillPrepared(course.training(), course.source()->work(), result);
  result.set_training_set_digest(set.digest);
  result.set_weights_digest(Sha256(weights));
  for (const LossCurve::Point& point : course.loss_curve()->Points()) {
    rpc::v1::LossPoint& added = *result.add_loss_curve();
    added.set_num_samples(point.num_samples);
    added.set_loss(point.loss);
    if (point.validation_loss) added.set_validation_loss(*point.validation_loss);
  }
  if (course.downsampled() != nullptr) *result.mutable_downsampling() = SummaryOf(course);
  return last;
}

}  // namespace tidemill::trainer_server
