#include "evaluator/job/evaluation_run.h"

#include <chrono>
#include <utility>
#include <vector>

#include "google/protobuf/util/json_util.h"

#include "base/config.h"
#include "base/failpoints.h"
#include "base/files.h"
#include "evaluator/client/evaluation_spec.h"
#include "evaluator/job/job_peers.h"
#include "evaluator/job/model_columns.h"
#include "evaluator/job/short_reason.h"
#include "evaluator/job/window_measurement.h"
#include "evaluator/job/window_samples.h"
#include "loader/sample_schema.h"
#include "storage/client/dataset_spec.h"
#include "storage/client/storage_client.h"

namespace tidemill::evaluator {
namespace {

// Samples read and decoded at once: what bounds the memory of a job.
constexpr int64_t kBlockRows = 1024;
constexpr std::chrono::milliseconds kProgressInterval{100};

using Report = std::function<void(const v1::JobReport&)>;

// Tells how many samples were read, not too often.
class ProgressReporter {
 public:
  explicit ProgressReporter(const Report& report) : report_(report) {}

  void Add(int64_t num_samples) {
    num_samples_ += num_samples;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kProgressInterval) return;
    last_ = now;
    Send();
  }

  void Send() const {
    v1::JobReport report;
    report.mutable_progress()->set_num_samples(num_samples_);
    report_(report);
  }

 private:
  const Report& report_;
  int64_t num_samples_ = 0;
  std::chrono::steady_clock::time_point last_ = {};
};

// What the windows of a job have in common.
struct JobContext {
  const v1::EvaluationJob& job;
  const MeasurementPlan& plan;
  const storage::StorageClient& storage;
  ModelCache& models;
  ProgressReporter progress;
};

// A report is a line of bounded length: scores come a few at a time, and what is long in pieces,
// each of which may grow sixfold as JSON.
void ReportScores(v1::ModelScores all, const Report& report) {
  constexpr int kScoresAtOnce = 4;
  constexpr size_t kDetailBytes = 600;
  google::protobuf::RepeatedPtrField<v1::Score> scores;
  scores.Swap(all.mutable_scores());
  int next = 0;
  do {
    v1::JobReport message;
    *message.mutable_scores() = all;
    std::string detail;
    while (next < scores.size() && message.scores().scores_size() < kScoresAtOnce) {
      v1::Score& score = *message.mutable_scores()->add_scores();
      score = std::move(scores[next++]);
      detail = std::exchange(*score.mutable_detail(), {});
      if (!detail.empty()) break;
    }
    report(message);
    for (size_t at = 0; at < detail.size(); at += kDetailBytes) {
      message.set_more_detail(detail.substr(at, kDetailBytes));
      report(message);
    }
  } while (next < scores.size());
}

absl::Status MeasureWindow(const v1::JobWindow& window, JobContext& context, const Report& report) {
  RETURN_IF_FAILPOINT("evaluate.before_window");
  std::vector<ScoredModel*> models;
  for (const int64_t model_id : window.window().model_ids()) {
    ASSIGN_OR_RETURN(ScoredModel * model, context.models.Get(model_id));
    models.push_back(model);
  }
  WindowMeasurement measurement(window.window_index(), context.plan, models);
  const absl::Status read =
      ReadWindow(context.storage, context.job.snapshot(), window.window(), kBlockRows,
                 [&](const batch::Batch& samples, int64_t num_missing) {
                   measurement.Add(samples, num_missing);
                   context.progress.Add(samples.num_rows() + num_missing);
                   return absl::OkStatus();
                 });
  if (IsTransient(read)) return read;
  measurement.Fail(read);
  v1::JobReport message;
  for (v1::ModelScores& scores : measurement.Scores()) {
    ReportScores(std::move(scores), report);
  }
  context.progress.Send();
  message.mutable_window_end()->set_window_index(window.window_index());
  report(message);
  return absl::OkStatus();
}

}  // namespace

absl::Status RunEvaluation(const v1::EvaluationJob& job, const Arithmetic& arithmetic,
                           const Report& report) {
  ASSIGN_OR_RETURN(const auto spec,
                   config::Read<EvaluationSpec>(job.evaluation_spec(), "evaluation"));
  ASSIGN_OR_RETURN(const auto dataset,
                   config::Read<storage::DatasetSpec>(job.dataset_spec(), "dataset"));
  ASSIGN_OR_RETURN(const JobPeers peers, PeersOf(job));
  arithmetic.set_threads(job.num_threads());
  const storage::StorageClient storage(peers.storage);
  model_store::ModelStoreClient store(peers.model_store);
  ModelCache models(store, dataset, arithmetic.make_predictor);
  const MeasurementPlan plan{.spec = spec,
                             .class_names = storage::EffectiveLabel(dataset).classes,
                             .samples = loader::SchemaOf(dataset)};
  RETURN_IF_ERROR(SliceColumns::Make(spec.slices, plan.samples).status());
  JobContext context{job, plan, storage, models, ProgressReporter(report)};
  for (const v1::JobWindow& window : job.windows()) {
    RETURN_IF_ERROR(Annotate(MeasureWindow(window, context, report),
                             fmt::format("measuring window {}", window.window_index())));
  }
  return absl::OkStatus();
}

int RunEvaluationJob(const std::string& job_path, const Arithmetic& arithmetic,
                     const std::function<void(const std::string& line)>& report) {
  const auto send = [&](const v1::JobReport& message) {
    std::string line;
    if (google::protobuf::util::MessageToJsonString(message, &line).ok()) report(line);
  };
  absl::Status status;
  v1::EvaluationJob job;
  if (const auto bytes = files::Read(job_path); !bytes.ok()) {
    status = bytes.status();
  } else if (!job.ParseFromString(*bytes)) {
    status = DataLoss("{} is no evaluation job", job_path);
  } else if (job.has_columns()) {
    status = WriteModelColumns(job, arithmetic);
  } else {
    status = RunEvaluation(job, arithmetic, send);
  }
  if (status.ok()) return 0;
  v1::JobReport message;
  if (IsTransient(status)) {
    message.set_interruption(ShortReason(status));
  } else {
    message.set_failure(ShortReason(status));
    message.set_failure_code(status.raw_code());
  }
  send(message);
  return 1;
}

}  // namespace tidemill::evaluator
