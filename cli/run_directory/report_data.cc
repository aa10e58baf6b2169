#include "cli/run_directory/report_data.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/version.h"
#include "cli/results/ledger.h"
#include "cli/results/left_out.h"
#include "cli/results/remarks/kept_samples.h"
#include "cli/results/remarks/untrained.h"
#include "cli/results/result_tables.h"
#include "cli/results/run_costs.h"
#include "cli/results/run_json.h"
#include "cli/results/selections/selection_report.h"
#include "cli/results/set_values.h"
#include "cli/results/slices_table.h"
#include "cli/results/training_limit.h"
#include "cli/results/worth.h"
#include "cli/run_directory/report_decisions.h"
#include "cli/run_directory/report_selections.h"
#include "cli/run_directory/report_tables.h"
#include "config/printed/abridged.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor_client/model_change_text.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using nlohmann::ordered_json;

int64_t MillisOf(const rpc::v1::Cut& cut) { return cut.event_time() / 1000; }

int64_t MillisOf(const google::protobuf::Timestamp& time) {
  return time.seconds() * 1000 + time.nanos() / 1'000'000;
}

ordered_json RunOf(const v1::GetRunResponse& response) {
  const v1::Run& run = response.run();
  return {{"id", run.run_id()},
          {"pipeline", run.pipeline_name()},
          {"state", StateName(run.state())},
          {"error", run.error()},
          {"tags", run.tags()},
          {"note", run.note()},
          {"started", MillisOf(run.started_at())},
          {"finished", run.has_finished_at() ? ordered_json(MillisOf(run.finished_at()))
                                             : ordered_json(nullptr)}};
}

// As the run's snapshots hold them.
ordered_json ExtentsOf(const v1::GetRunResponse& run) {
  ordered_json datasets = ordered_json::array();
  for (const auto& [name, synced] : DatasetsOf(run)) {
    datasets.push_back({{"name", name},
                        {"samples", synced.num_samples()},
                        {"from", MillisOf(synced.from())},
                        {"to", MillisOf(synced.to())}});
  }
  return datasets;
}

// The number of samples between two decisions of the trigger policy is the difference of their new
// samples; those that did not fire may have been left out.
ordered_json DecidedBins(const v1::GetRunResponse& run, int64_t from) {
  ordered_json bins = ordered_json::array();
  const size_t each = static_cast<size_t>(run.decisions_size()) / kMaxPoints + 1;
  int64_t samples = 0, since_trigger = 0;
  size_t taken = 0;
  for (const v1::Decision& decision : run.decisions()) {
    samples += decision.num_new() - since_trigger;
    since_trigger = decision.fired() ? 0 : decision.num_new();
    if (++taken % each != 0) continue;
    bins.push_back({from, MillisOf(decision.at()), samples});
    from = MillisOf(decision.at());
    samples = 0;
  }
  v1::StreamEnded ended;
  for (const auto& recorded : run.events()) {
    if (recorded.event().has_stream_ended()) ended = recorded.event().stream_ended();
  }
  samples += ended.num_leftover() - since_trigger;
  if (ended.has_end() && MillisOf(ended.end()) > from && samples > 0) {
    bins.push_back({from, MillisOf(ended.end()), samples});
  }
  return bins;
}

// The number of samples by event time, for the dataset that is trained on.
ordered_json DensityOf(const RunRecord& record, const std::string& dataset) {
  const auto datasets = DatasetsOf(record.run);
  const auto synced = datasets.find(dataset);
  int64_t from = 0;
  if (synced != datasets.end()) {
    const bool replayed = synced->second.has_replay_from();
    from = MillisOf(replayed ? synced->second.replay_from() : synced->second.from());
  }
  ordered_json bins = ordered_json::array();
  if (const auto found = record.statistics.find(dataset); found != record.statistics.end()) {
    for (const auto& interval : found->second.intervals()) {
      bins.push_back({interval.from() / 1000, interval.to() / 1000, interval.num_samples()});
    }
  }
  if (bins.empty()) bins = DecidedBins(record.run, from);
  return {{"dataset", dataset}, {"bins", std::move(bins)}};
}

ordered_json CurveOf(const v1::Trigger& trigger, size_t most) {
  ordered_json curve = ordered_json::array();
  const auto size = static_cast<size_t>(trigger.result().loss_curve_size());
  const size_t kept = std::min(size, most);
  for (size_t i = 1; i <= kept; ++i) {
    const auto& point = trigger.result().loss_curve(static_cast<int>(i * size / kept - 1));
    ordered_json entry = {point.num_samples(), Rounded(point.loss())};
    if (point.has_validation_loss()) entry.push_back(Rounded(point.validation_loss()));
    curve.push_back(std::move(entry));
  }
  return curve;
}

ordered_json DownsampledOf(const v1::Trigger& trigger) {
  if (!trigger.result().has_downsampling()) return nullptr;
  const rpc::v1::DownsamplingSummary& summary = trigger.result().downsampling();
  return {{"method", summary.method()},
          {"samples", summary.num_samples()},
          {"share_trained", Rounded(ShareTrained(summary))},
          {"seconds", Rounded(summary.scoring_seconds() + summary.auxiliary_seconds())}};
}

// "run 7, trigger 2"; empty for a model that its trigger has trained.
std::string ReusedFrom(const v1::Trigger& trigger) {
  if (!trigger.has_reused_from()) return "";
  return fmt::format("run {}, trigger {}", trigger.reused_from().run_id(),
                     trigger.reused_from().trigger());
}

// What each training decided about keeping prepared samples. The points that the last one compared
// stand for those of all.
ordered_json KeptSamplesOf(const v1::GetRunResponse& run) {
  ordered_json trainings = ordered_json::array();
  ordered_json points = ordered_json::array();
  int64_t compared_by = 0;
  for (const v1::Trigger& trigger : run.triggers()) {
    if (!trigger.result().has_prepared() || trigger.has_reused_from()) continue;
    const rpc::v1::PreparedSummary& prepared = trigger.result().prepared();
    if (DescribeKeptSamples(prepared).empty()) continue;
    ordered_json kept = KeptSamplesToJson(prepared);
    if (prepared.points_size() > 0) {
      points = std::move(kept["points"]);
      compared_by = trigger.number();
    }
    kept.erase("points");
    kept["trigger"] = trigger.number();
    const int chosen = prepared.chosen() - 1;
    kept["predicted_speedup"] = chosen >= 0 && chosen < prepared.points_size()
                                    ? Rounded(prepared.points(chosen).speedup())
                                    : ordered_json(nullptr);
    if (trainings.size() < kMaxListedRows) trainings.push_back(std::move(kept));
  }
  return {{"trainings", std::move(trainings)},
          {"points", std::move(points)},
          {"compared_by", compared_by}};
}

ordered_json TriggersOf(const v1::GetRunResponse& run) {
  ordered_json triggers = ordered_json::array();
  const size_t points_each =
      std::max<size_t>(20, 2 * kMaxPoints / std::max(1, run.triggers_size()));
  for (const v1::Trigger& trigger : run.triggers()) {
    ordered_json stages = ordered_json::object();
    for (const char* stage : {"select", "fit", "train", "store"}) {
      const auto spent = trigger.stage_seconds().find(stage);
      if (spent != trigger.stage_seconds().end()) stages[stage] = Rounded(spent->second);
    }
    triggers.push_back(
        {{"number", trigger.number()},
         {"at", MillisOf(trigger.at())},
         {"samples", trigger.num_samples()},
         {"candidates", trigger.num_candidates()},
         {"bad", trigger.ledger().num_bad()},
         {"unlabelled", trigger.ledger().num_unlabelled()},
         {"late", trigger.num_late()},
         {"removed", trigger.removed()},
         {"model", trigger.model_id()},
         {"device", trigger.result().device()},
         {"loss", Rounded(trigger.result().loss())},
         {"fired", MillisOf(trigger.fired_at())},
         {"stored", trigger.has_stored_at() ? ordered_json(MillisOf(trigger.stored_at()))
                                            : ordered_json(nullptr)},
         {"stages", std::move(stages)},
         {"downsampling", DownsampledOf(trigger)},
         {"verdict", DescribeLimit(trigger.result())},
         {"skip_reason", trigger.skip_reason()},
         {"reused_from", ReusedFrom(trigger)},
         {"curve", CurveOf(trigger, points_each)}});
  }
  return triggers;
}

ordered_json DecisionsOf(const v1::GetRunResponse& run) {
  ordered_json rows = ordered_json::array();
  for (const v1::Decision& decision : run.decisions()) {
    if (rows.size() == kMaxListedRows) break;
    ordered_json observed = ordered_json::object();
    for (const auto& [name, value] : std::map<std::string, double>(
             decision.verdict().observed().begin(), decision.verdict().observed().end())) {
      observed[name] = Rounded(value);
    }
    rows.push_back({{"number", decision.number()},
                    {"at", MillisOf(decision.at())},
                    {"fired", decision.fired()},
                    {"trigger", decision.trigger()},
                    {"samples", decision.num_samples()},
                    {"observed", std::move(observed)}});
  }
  return {{"total", run.decisions_size()}, {"rows", std::move(rows)}};
}

double EvaluationSeconds(const v1::GetRunResponse& run) {
  double seconds = 0;
  for (const auto& recorded : run.events()) {
    seconds += recorded.event().evaluation_finished().seconds();
  }
  return seconds;
}

// The model that the pipeline uses, and how the run has changed it.
ordered_json ModelUseOf(const v1::GetRunResponse& run) {
  ordered_json changes = ordered_json::array();
  for (const v1::ModelChange& change : run.model_changes()) {
    changes.push_back({{"at", MillisOf(change.at())},
                       {"trigger", change.caused_by_trigger()},
                       {"model", change.model_id()},
                       {"text", supervisor::ChangeText(change)}});
  }
  const std::string in_use = run.has_model_in_use()
                                 ? fmt::format("{}, {}", supervisor::ModelText(run.model_in_use()),
                                               supervisor::InUseText(run.model_in_use()))
                                 : std::string();
  return {{"in_use", in_use}, {"changes", std::move(changes)}};
}

}  // namespace

ordered_json Rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  constexpr double kAllDigits = 1e8;
  if (std::abs(value) >= kAllDigits) return std::round(value);
  return std::strtod(fmt::format("{:.8g}", value).c_str(), nullptr);
}

ordered_json ReportData(const RunRecord& record) {
  const v1::GetRunResponse& run = record.run;
  const auto spec = config::ReadKept<supervisor::PipelineSpec>(run.pipeline_resolved(), "pipeline");
  const std::vector<ResultTable> tables = ResultTables(run);
  ordered_json data = {{"version", kVersion}, {"run", RunOf(run)}};
  data["description"] = spec.ok() ? spec->description : "";
  data["headline"] = Headline(run, tables);
  data["untrained"] = {{"text", UntrainedInBrief(run)}, {"too_little", TrainedTooLittle(run)}};
  data["datasets"] = ExtentsOf(run);
  data["density"] = DensityOf(record, spec.ok() ? spec->preprocess.dataset : "");
  data["triggers"] = TriggersOf(run);
  data["kept_samples"] = KeptSamplesOf(run);
  data["evaluate_seconds"] = Rounded(EvaluationSeconds(run));
  data["costs"] = CostsToJson(run.run().costs());
  data["costs"].erase("rows");  // The table is by stage.
  data["tables"] = ordered_json::array();
  for (const ResultTable& table : tables) data["tables"].push_back(TableToJson(table));
  data["selections"] = SelectionsOf(record);
  data["slices"] = SlicesOf(run);
  data["beyond_limits"] = DescribeBeyondLimits(run);
  data["confusions"] = ConfusionsOf(run);
  data["decisions"] = DecisionsOf(run);
  data["compared"] = ComparedOf(run);
  data["importances"] = ImportancesToJson(run);
  data["figures"] = FiguresToJson(run);
  data["drifted"] = DriftedColumnsToJson(run);
  data["failures"] = FailuresOf(run);
  data["model_use"] = ModelUseOf(run);
  data["left_out"] = LeftOutToJson(run);
  data["ledger"] = run.has_ledger() ? DescribeLedger(run.ledger()) : "";
  data["config"] = run.pipeline_text();
  data["set"] = SetValueTexts(run);
  data["resolved"] = config::AbridgedDocument(run.pipeline_resolved());
  return data;
}

}  // namespace tidemill::cli
