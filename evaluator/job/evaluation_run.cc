#include "evaluator/job/evaluation_run.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "google/protobuf/util/json_util.h"

#include "base/failpoints.h"
#include "base/files.h"
#include "base/paths/regular_file.h"
#include "base/usage/account.h"
#include "config/config.h"
#include "evaluator/client/evaluation_spec.h"
#include "evaluator/job/column_importance.h"
#include "evaluator/job/model_columns.h"
#include "evaluator/job/prediction_run.h"
#include "evaluator/reading/kept_rows.h"
#include "evaluator/reading/page_reader.h"
#include "evaluator/reading/preparing_workers.h"
#include "evaluator/reading/window_overlap.h"
#include "evaluator/reading/window_samples.h"
#include "evaluator/windows/short_reason.h"
#include "evaluator/windows/window_baselines.h"
#include "evaluator/windows/window_measurement.h"
#include "loader/bad_samples.h"
#include "models/training/cache_spec.h"
#include "prepared/host_store.h"
#include "rpc/jobs/job_peers.h"
#include "rpc/usage/usage_message.h"
#include "samples/dataset_schema.h"
#include "storage/client/storage_client.h"
#include "storage/spec/dataset_spec.h"

// The loops of an evaluation:
//
//   for each window of the job
//     for each group of models that fit into memory together        usually one
//       for each page of the window's samples
//         for each block: the graph of each model, its network, all measures
//     report: scores, then the importances of columns after the last window with a model in use,
//             then the end of the window, after which it is not measured again

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

// Where rows come from instead of storage and the graphs in this process.
struct RowSources {
  std::unique_ptr<KeptRows> kept = nullptr;             // nullptr: nothing is kept.
  std::unique_ptr<PreparingWorkers> workers = nullptr;  // nullptr: this process prepares.
};

// The state that all windows of a job share.
struct JobContext {
  const v1::EvaluationJob& job;
  const MeasurementPlan& plan;
  const storage::StorageClient& storage;
  ModelCache& models;
  Baselines* baselines;  // nullptr where none are asked for.
  const RowSources& sources;
  OutcomeKeeper& keeper;
  ProgressReporter progress;
};

// Sends a text in pieces, each of which may grow sixfold as JSON. `set` writes a piece.
void ReportPieces(const std::string& text,
                  const std::function<void(std::string, v1::JobReport&)>& set,
                  const Report& report) {
  constexpr size_t kPieceBytes = 600;
  for (size_t at = 0; at < text.size(); at += kPieceBytes) {
    v1::JobReport message;
    set(text.substr(at, kPieceBytes), message);
    report(message);
  }
}

// The next few scores. Only the last one may have a detail or a fault, which are moved out of it.
void TakeFew(google::protobuf::RepeatedPtrField<v1::Evaluation>& scores, int& next,
             v1::ModelScores& few, std::string& detail, std::string& traceback) {
  constexpr int kScoresAtOnce = 4;
  constexpr size_t kSumsBytes = 1000;
  size_t sums = 0;
  while (next < scores.size() && few.scores_size() < kScoresAtOnce && sums < kSumsBytes) {
    if (!scores[next].fault().empty() && few.scores_size() > 0) return;
    v1::Evaluation& score = *few.add_scores();
    score = std::move(scores[next++]);
    sums += score.sums().size();
    detail = std::exchange(*score.mutable_detail(), {});
    traceback = std::exchange(*score.mutable_traceback(), {});
    if (!detail.empty() || !score.fault().empty()) return;
  }
}

// Bytes grow by a third as JSON.
void ReportOutcomes(const std::string& columns, const Report& report) {
  constexpr size_t kPieceBytes = 2400;
  for (size_t at = 0; at < columns.size(); at += kPieceBytes) {
    v1::JobReport message;
    message.set_more_outcomes(columns.substr(at, kPieceBytes));
    report(message);
  }
}

// A report is a line of bounded length: scores come a few at a time, and what is long in pieces.
// Sums are numbers and do not grow as JSON.
void ReportScores(v1::ModelScores all, const Report& report) {
  google::protobuf::RepeatedPtrField<v1::Evaluation> scores;
  scores.Swap(all.mutable_scores());
  std::string outcomes;
  if (all.has_outcomes()) outcomes.swap(*all.mutable_outcomes()->mutable_columns());
  int next = 0;
  do {
    v1::JobReport message;
    *message.mutable_scores() = all;
    std::string detail;
    std::string traceback;
    TakeFew(scores, next, *message.mutable_scores(), detail, traceback);
    report(message);
    ReportPieces(
        detail, [](std::string piece, v1::JobReport& to) { to.set_more_detail(std::move(piece)); },
        report);
    ReportPieces(
        traceback,
        [](std::string piece, v1::JobReport& to) { to.set_more_traceback(std::move(piece)); },
        report);
  } while (next < scores.size());
  ReportOutcomes(outcomes, report);
}

// Measures some models of a window in one pass through its samples; `baselines` may be nullptr.
absl::Status MeasureTogether(const v1::JobWindow& window, std::span<ScoredModel* const> models,
                             WindowBaselines* baselines, bool is_first_pass, JobContext& context,
                             v1::WindowEnd& end, const Report& report) {
  MeasurementPlan plan = context.plan;
  const auto num_models = static_cast<int64_t>(models.size());
  // A model's share is the same, however many are measured together.
  plan.max_table_bytes = plan.max_table_bytes / window.window().model_ids_size() * num_models;
  plan.keeper = &context.keeper;
  plan.model_in_use = window.window().model_in_use();
  WindowMeasurement measurement(window.window_index(), plan, models, baselines);
  const rpc::v1::Snapshot& snapshot = context.job.evaluation().snapshot();
  PageReader reader(
      context.storage,
      {.dataset = {snapshot.dataset_id()},
       .has_labels = plan.samples.label != transform::LabelKind::kNone,
       .block_rows = kBlockRows,
       .workers = context.sources.workers.get(),
       .kept = context.sources.kept.get(),
       .num_passes = (window.window().model_ids_size() + num_models - 1) / num_models});
  const auto add = [&](const SampleBlock& block) {
    measurement.Add(block);
    if (is_first_pass) context.progress.Add(block.num_known);
    return absl::OkStatus();
  };
  absl::Status read = ListWindow(
      context.storage, snapshot, window.window(),
      [&](const batch::Batch& page) { return reader.Read(page, measurement.graphs(), add); });
  if (IsTransient(read)) return read;
  if (baselines != nullptr && IsTransient(baselines->status())) return baselines->status();
  measurement.Fail(read);
  // A sample counts once, however many passes there are.
  if (is_first_pass) {
    end.set_num_prepared_here(reader.prepared().here);
    end.set_num_prepared_at_workers(reader.prepared().at_workers);
    end.set_num_found(reader.prepared().found);
  }
  std::vector<v1::ModelScores> all = measurement.Scores();
  RETURN_IF_ERROR(measurement.interruption());
  if (baselines != nullptr && IsTransient(baselines->status())) return baselines->status();
  for (v1::ModelScores& scores : all) ReportScores(std::move(scores), report);
  return absl::OkStatus();
}

// Measures the columns of records, once the last window with a model in use has been measured.
absl::Status AddImportance(const v1::JobWindow& window, JobContext& context, const Report& report) {
  const auto& windows = context.job.importance_windows();
  if (!context.plan.spec.importance || windows.empty()) return absl::OkStatus();
  if (windows.rbegin()->window_index() != window.window_index()) return absl::OkStatus();
  ASSIGN_OR_RETURN(
      v1::ColumnImportances all,
      MeasureImportance(std::vector<v1::JobWindow>(windows.begin(), windows.end()),
                        {.spec = context.plan.spec,
                         .storage = context.storage,
                         .snapshot = context.job.evaluation().snapshot(),
                         .has_labels = context.plan.samples.label != transform::LabelKind::kNone,
                         .models = context.models}));
  if (all.measure().empty() && all.missing().empty()) return absl::OkStatus();
  google::protobuf::RepeatedPtrField<v1::ColumnImportance> columns;
  columns.Swap(all.mutable_columns());
  // A report is a line of bounded length, and a column may have a long name.
  for (int next = 0; next == 0 || next < columns.size(); ++next) {
    v1::JobReport message;
    *message.mutable_importances() = all;
    if (next < columns.size()) *message.mutable_importances()->add_columns() = columns[next];
    report(message);
  }
  return absl::OkStatus();
}

// In one pass for as many models as there is room for: all of them, unless they are large.
absl::Status MeasureWindow(const v1::JobWindow& window, JobContext& context, const Report& report) {
  RETURN_IF_FAILPOINT("evaluate.before_window");
  std::span<const int64_t> model_ids(window.window().model_ids().data(),
                                     static_cast<size_t>(window.window().model_ids_size()));
  std::unique_ptr<WindowBaselines> baselines;
  if (context.baselines != nullptr) {
    ASSIGN_OR_RETURN(baselines, context.baselines->Enter(window));
  }
  // Baselines are measured on the samples of the model in use, hence in the pass that has it.
  const int64_t model_in_use = window.window().model_in_use();
  const bool is_listed = std::ranges::find(model_ids, model_in_use) != model_ids.end();
  v1::JobReport message;
  v1::WindowEnd& end = *message.mutable_window_end();
  end.set_window_index(window.window_index());
  for (bool is_first = true; !model_ids.empty(); is_first = false) {
    ASSIGN_OR_RETURN(const std::vector<ScoredModel*> models, context.models.GetFirst(model_ids));
    const bool has_model_in_use =
        std::ranges::find(models, model_in_use, &ScoredModel::model_id) != models.end();
    const bool takes_baselines = is_listed ? has_model_in_use : is_first;
    RETURN_IF_ERROR(MeasureTogether(window, models, takes_baselines ? baselines.get() : nullptr,
                                    is_first, context, end, report));
    model_ids = model_ids.subspan(models.size());
  }
  context.progress.Send();
  RETURN_IF_ERROR(AddImportance(window, context, report));
  report(message);
  return absl::OkStatus();
}

std::unique_ptr<KeptRows> KeptRowsFor(const v1::EvaluationJob& job, const MeasurementPlan& plan,
                                      const models::CacheSpec& cache, double uses,
                                      const storage::StorageClient& storage) {
  std::shared_ptr<const prepared::HostStore> store =
      prepared::HostStore::Open({.memory_folder = job.prepared().memory_folder(),
                                 .memory_bytes = job.prepared().memory_bytes(),
                                 .disk_folder = job.prepared().disk_folder(),
                                 .disk_bytes = job.prepared().disk_bytes()});
  if (!store->has_room()) return nullptr;
  const v1::StartEvaluationRequest& request = job.evaluation();
  return std::make_unique<KeptRows>(
      storage,
      KeptRows::Options{.dataset = {request.snapshot().dataset_id()},
                        .has_labels = plan.samples.label != transform::LabelKind::kNone,
                        .store = std::move(store),
                        .cache = cache,
                        .uses = uses,
                        .num_windows = job.windows_size(),
                        .about = fmt::format("run {}, evaluation {}", request.command().run_id(),
                                             request.evaluation() + 1)});
}

// Slices by records need the data of samples, which does not come from workers, and is not kept.
absl::StatusOr<RowSources> RowSourcesFor(const v1::EvaluationJob& job, const MeasurementPlan& plan,
                                         const rpc::JobPeers& peers,
                                         const storage::StorageClient& storage) {
  RowSources sources;
  const v1::StartEvaluationRequest& request = job.evaluation();
  ASSIGN_OR_RETURN(const SliceColumns columns,
                   SliceColumns::Make(plan.spec.slices, plan.samples, plan.dataset));
  if (columns.size() > 0) return sources;
  models::CacheSpec cache = models::NoCache();
  if (!request.cache().empty()) {
    ASSIGN_OR_RETURN(cache, config::ReadKept<models::CacheSpec>(request.cache(), "cache"));
  }
  const std::vector<v1::JobWindow> windows(job.windows().begin(), job.windows().end());
  const double uses = request.later_uses() + OverlapOf(windows);
  if (!cache->IsOff()) sources.kept = KeptRowsFor(job, plan, cache, uses, storage);
  ASSIGN_OR_RETURN(sources.workers,
                   WorkersOf({.run = {request.command().run_id()},
                              .name = fmt::format("evaluation-{}", request.evaluation()),
                              .dataset = {request.snapshot().dataset_id()},
                              .dataset_spec = request.dataset_spec(),
                              .workers = request.workers(),
                              .cache = cache,
                              .uses = uses,
                              .num_threads = job.num_threads()},
                             peers, storage));
  return sources;
}

}  // namespace

absl::Status RunEvaluation(const v1::EvaluationJob& job, const Arithmetic& arithmetic,
                           const Report& report) {
  ASSIGN_OR_RETURN(auto spec, config::ReadKept<EvaluationSpec>(job.evaluation().evaluation_spec(),
                                                               "evaluation"));
  spec.OpenMeasures();
  ASSIGN_OR_RETURN(const auto dataset, config::ReadKept<storage::DatasetSpec>(
                                           job.evaluation().dataset_spec(), "dataset"));
  ASSIGN_OR_RETURN(const auto peers, rpc::JobPeers::Open(job.endpoints()));
  ASSIGN_OR_RETURN(const rpc::Peer storage_peer, peers.PeerOf("storage"));
  ASSIGN_OR_RETURN(const rpc::Peer store_peer, peers.PeerOf("model_store"));
  arithmetic.set_threads(job.num_threads());
  const storage::StorageClient storage(storage_peer);
  model_store::ModelStoreClient store(store_peer);
  RowSources sources;
  ModelCache models(
      store, dataset,
      {.make_predictor = arithmetic.make_predictor,
       .enter_sandbox =
           [&](const transform::GraphSpec& graph) {
             sources.kept = nullptr;  // Its files could not be opened.
             return arithmetic.enter_sandbox({.readable = {peers.TokenFolder()},
                                              .graph = graph,
                                              .starts_plugins = !spec.RunsWith().empty()});
           },
       .max_bytes = job.model_bytes()});
  const auto bad = loader::RecordBadSamples(storage, {job.evaluation().snapshot().dataset_id()});
  const MeasurementPlan plan{.spec = spec,
                             .class_names = storage::EffectiveLabel(dataset).classes,
                             .samples = samples::SchemaOf(dataset),
                             .dataset = &dataset,
                             .bad = bad.get()};
  ASSIGN_OR_RETURN(sources, RowSourcesFor(job, plan, peers, storage));
  std::optional<Baselines> baselines;
  if (job.evaluation().has_known_labels()) {
    baselines.emplace(storage, job.evaluation(), spec, dataset);
  }
  OutcomeKeeper keeper;
  JobContext context{job,
                     plan,
                     storage,
                     models,
                     baselines ? &*baselines : nullptr,
                     sources,
                     keeper,
                     ProgressReporter(report)};
  for (const v1::JobWindow& window : job.windows()) {
    RETURN_IF_ERROR(Annotate(MeasureWindow(window, context, report),
                             fmt::format("measuring window {}", window.window_index())));
  }
  return absl::OkStatus();
}

namespace {

constexpr size_t kMaxJobBytes = size_t{1} << 31;

absl::Status RunAny(const std::string& job_path, const ArithmeticOn& arithmetic_on,
                    const Report& report) {
  ASSIGN_OR_RETURN(const std::string bytes, files::ReadRegular(job_path, kMaxJobBytes));
  v1::EvaluationJob job;
  if (!job.ParseFromString(bytes)) return DataLoss("{} is not an evaluation job", job_path);
  ASSIGN_OR_RETURN(const devices::OwnedDevice device, devices::OwnedDevice::Take(job.device()));
  ASSIGN_OR_RETURN(const Arithmetic arithmetic, arithmetic_on(device));
  if (job.has_columns()) return WriteModelColumns(job, arithmetic);
  if (job.has_prediction()) return RunPredictions(job, arithmetic, report);
  return RunEvaluation(job, arithmetic, report);
}

// Scores may be as long as a report can be.
void AddUsage(v1::JobReport& report) {
  if (report.has_scores() || report.has_more_detail() || report.has_more_traceback() ||
      report.has_more_outcomes() || report.has_importances()) {
    return;
  }
  usage::Amounts used = usage::MeasureWholeProcess()->Total();
  used.job_nanos += usage::ProcessNanos();
  *report.mutable_usage() = rpc::ToMessage(used);
}

}  // namespace

int RunEvaluationJob(const std::string& job_path, const ArithmeticOn& arithmetic_on,
                     const std::function<void(const std::string& line)>& report) {
  const auto send = [&](v1::JobReport message) {
    AddUsage(message);
    std::string line;
    if (google::protobuf::util::MessageToJsonString(message, &line).ok()) report(line);
  };
  const absl::Status status = RunAny(job_path, arithmetic_on, send);
  v1::JobReport message;
  if (status.ok()) {
    send(message);
    return 0;
  }
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
