#include "evaluator/outcome_summaries.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "config/config.h"
#include "evaluator/outcomes/curves.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::evaluator {
namespace {

// Runs whose answers are kept.
constexpr size_t kMaxKnown = 64;

constexpr std::string_view kNotKept =
    "what models said about samples was not kept, as by an earlier version: run it again";
constexpr std::string_view kNoIntervals =
    "`bootstrap: {replicates: 0}` asks for no intervals, so what models said was not kept";
constexpr std::string_view kLacks =
    "what the measure takes was not kept: scores of more than 20 classes, or what only a plug-in "
    "can "
    "compute";
constexpr std::string_view kNothingInCommon =
    "the two runs have no samples in common on which both had a model in use";
constexpr std::string_view kOtherDataset = "the other run has no evaluation of this dataset";

// Removes the windows that a later round has measured again.
void KeepNewest(std::vector<OutcomesRow>& rows) {
  std::map<decltype(OutcomesRow::window), int32_t> newest;
  for (const OutcomesRow& row : rows) {
    int32_t& evaluation = newest[row.window];
    evaluation = std::max(evaluation, row.evaluation);
  }
  std::erase_if(rows,
                [&](const OutcomesRow& row) { return row.evaluation < newest.at(row.window); });
  std::ranges::stable_sort(rows, {}, &OutcomesRow::window);
}

OutcomeSeries Chosen(const std::vector<OutcomesRow>& rows, const auto& is_chosen) {
  OutcomeSeries series;
  for (const OutcomesRow& row : rows) {
    if (is_chosen(row)) series.push_back(row.kept);
  }
  return series;
}

v1::OutcomeDifference Named(const KeptEvaluation& kept, const Measure& measure,
                            std::string_view than) {
  v1::OutcomeDifference difference;
  difference.set_evaluation(kept.evaluation);
  difference.set_dataset_name(kept.request.dataset_name());
  difference.set_measure(measure.Name());
  difference.set_than(std::string(than));
  return difference;
}

// Sets what is known of a difference on the samples that both have.
void Describe(const JoinedSeries& joined, const EvaluationSpec& spec, const Measure& measure,
              v1::OutcomeDifference& difference) {
  const auto found = joined.DifferenceOf(measure, spec.bootstrap.replicates, spec.bootstrap.seed);
  if (!found) {
    difference.set_missing(std::string(kLacks));
    return;
  }
  difference.set_models(found->one);
  difference.set_other(found->other);
  difference.set_num_samples(found->num_samples);
  difference.set_share(joined.share());
  if (!found->interval) return;
  difference.set_low(found->interval->low);
  difference.set_high(found->interval->high);
}

absl::Status AddDifferences(const KeptEvaluation& kept, std::string_view than,
                            const OutcomeSeries& other, v1::SummariseOutcomesResponse& response) {
  if (other.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const JoinedSeries joined, JoinedSeries::Join(kept.InUse(), other));
  if (joined.num_samples() == 0) return absl::OkStatus();
  for (const MeasureSpec& measure : kept.spec.measures) {
    if (!measure->HasValue()) continue;
    v1::OutcomeDifference difference = Named(kept, *measure, than);
    Describe(joined, kept.spec, *measure, difference);
    // A rule that has no probabilities has no value of a measure of them.
    if (!difference.missing().empty() && than == "last") continue;
    *response.add_differences() = std::move(difference);
  }
  return absl::OkStatus();
}

void AddMissing(const KeptEvaluation& kept, std::string_view why,
                v1::SummariseOutcomesResponse& response) {
  for (const MeasureSpec& measure : kept.spec.measures) {
    if (!measure->HasValue()) continue;
    v1::OutcomeDifference difference = Named(kept, *measure, "first");
    difference.set_missing(std::string(why));
    *response.add_differences() = std::move(difference);
  }
}

std::string NameOfClassOne(const KeptEvaluation& kept) {
  return kept.classes.size() == 2 ? kept.classes[1] : "1";
}

void AddCalibration(const KeptEvaluation& kept, const Calibration& calibration,
                    v1::SummariseOutcomesResponse& response) {
  v1::CalibrationCurve& curve = *response.add_calibrations();
  curve.set_evaluation(kept.evaluation);
  curve.set_dataset_name(kept.request.dataset_name());
  if (calibration.is_of_class_one) curve.set_of_class(NameOfClassOne(kept));
  for (const CalibrationBin& bin : calibration.bins) {
    v1::CalibrationCurve::Bin& added = *curve.add_bins();
    added.set_from(bin.from);
    added.set_to(bin.to);
    added.set_num_samples(bin.num_samples);
    added.set_probability(bin.probability);
    added.set_share(bin.share);
  }
  curve.set_error(calibration.error);
  curve.set_num_samples(calibration.num_samples);
}

void AddRocCurve(const KeptEvaluation& kept, const RocCurve& roc,
                 v1::SummariseOutcomesResponse& response) {
  v1::RocCurve& curve = *response.add_roc_curves();
  curve.set_evaluation(kept.evaluation);
  curve.set_dataset_name(kept.request.dataset_name());
  curve.set_of_class(NameOfClassOne(kept));
  for (const RocPoint& point : roc.points) {
    v1::RocCurve::Point& added = *curve.add_points();
    added.set_threshold(point.threshold);
    added.set_false_positives(point.false_positives);
    added.set_true_positives(point.true_positives);
  }
  curve.set_area(roc.area);
  curve.set_num_samples(roc.num_samples);
}

void AddValueGrid(const KeptEvaluation& kept, const ValueGrid& grid,
                  v1::SummariseOutcomesResponse& response) {
  v1::ValueGrid& added = *response.add_value_grids();
  added.set_evaluation(kept.evaluation);
  added.set_dataset_name(kept.request.dataset_name());
  added.set_from(grid.from);
  added.set_to(grid.to);
  added.set_num_parts(grid.num_parts);
  for (const ValueGrid::Cell& cell : grid.cells) {
    v1::ValueGrid::Cell& one = *added.add_cells();
    one.set_truth(cell.truth);
    one.set_predicted(cell.predicted);
    one.set_num_samples(cell.num_samples);
  }
  added.set_num_samples(grid.num_samples);
  added.set_num_beyond(grid.num_beyond);
}

absl::Status AddCurves(const KeptEvaluation& kept, v1::SummariseOutcomesResponse& response) {
  ASSIGN_OR_RETURN(const OutcomeTable table, TableOf(kept.InUse()));
  const Outcomes outcomes = table.outcomes();
  if (const auto calibration = CalibrationOf(outcomes)) {
    AddCalibration(kept, *calibration, response);
  }
  if (const auto roc = RocCurveOf(outcomes)) AddRocCurve(kept, *roc, response);
  if (const auto grid = ValueGridOf(outcomes)) AddValueGrid(kept, *grid, response);
  return absl::OkStatus();
}

absl::Status Summarise(const KeptEvaluation& kept, v1::SummariseOutcomesResponse& response) {
  if (kept.importances) {
    v1::ColumnImportances& added = *response.add_importances();
    added = *kept.importances;
    added.set_evaluation(kept.evaluation);
  }
  if (kept.rows.empty()) {
    AddMissing(kept, kept.spec.bootstrap.replicates == 0 ? kNoIntervals : kNotKept, response);
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(AddDifferences(kept, "first", kept.First(), response));
  for (const std::string_view rule : {"constant", "last"}) {
    RETURN_IF_ERROR(AddDifferences(kept, rule, kept.Rule(rule), response));
  }
  return AddCurves(kept, response);
}

// The evaluation of the same dataset, at the same place if there is one.
const KeptEvaluation* Counterpart(const KeptEvaluation& one,
                                  const std::vector<KeptEvaluation>& others) {
  const KeptEvaluation* found = nullptr;
  for (const KeptEvaluation& other : others) {
    if (other.request.snapshot().dataset_id() != one.request.snapshot().dataset_id()) continue;
    if (found == nullptr || other.evaluation == one.evaluation) found = &other;
  }
  return found;
}

bool Measures(const EvaluationSpec& spec, const Measure& measure) {
  return std::ranges::any_of(spec.measures,
                             [&](const MeasureSpec& own) { return own->Name() == measure.Name(); });
}

absl::Status AddComparison(const KeptEvaluation& one, const std::vector<KeptEvaluation>& others,
                           v1::CompareRunsResponse& response) {
  const KeptEvaluation* const other = Counterpart(one, others);
  std::string missing;
  JoinedSeries joined;
  if (other == nullptr) {
    missing = kOtherDataset;
  } else if (one.rows.empty() || other->rows.empty()) {
    const EvaluationSpec& spec = one.rows.empty() ? one.spec : other->spec;
    missing = spec.bootstrap.replicates == 0 ? kNoIntervals : kNotKept;
  } else {
    ASSIGN_OR_RETURN(joined, JoinedSeries::Join(one.InUse(), other->InUse()));
    if (joined.num_samples() == 0) missing = kNothingInCommon;
  }
  for (const MeasureSpec& measure : one.spec.measures) {
    if (!measure->HasValue() || (other != nullptr && !Measures(other->spec, *measure))) continue;
    v1::OutcomeDifference difference = Named(one, *measure, "other");
    difference.set_missing(missing);
    if (missing.empty()) Describe(joined, one.spec, *measure, difference);
    *response.add_differences() = std::move(difference);
  }
  return absl::OkStatus();
}

}  // namespace

OutcomeSeries KeptEvaluation::InUse() const {
  return Chosen(rows, [](const OutcomesRow& row) { return row.in_use; });
}

OutcomeSeries KeptEvaluation::First() const {
  int64_t first = std::numeric_limits<int64_t>::max();
  for (const OutcomesRow& row : rows) {
    if (row.baseline.empty() && row.trigger > 0) first = std::min(first, row.trigger);
  }
  const auto is_of_first = [&](const OutcomesRow& row) {
    return row.baseline.empty() && row.trigger == first;
  };
  std::set<decltype(OutcomesRow::window)> windows;
  for (const OutcomesRow& row : rows) {
    if (is_of_first(row)) windows.insert(row.window);
  }
  // If only models in use are measured, the first model never meets another.
  const bool meets_another = std::ranges::any_of(rows, [&](const OutcomesRow& row) {
    return row.in_use && row.trigger != first && windows.contains(row.window);
  });
  return meets_another ? Chosen(rows, is_of_first) : OutcomeSeries();
}

OutcomeSeries KeptEvaluation::Rule(std::string_view name) const {
  return Chosen(rows, [&](const OutcomesRow& row) { return row.baseline == name; });
}

absl::StatusOr<std::vector<KeptEvaluation>> OutcomeSummaries::Read(RunId run,
                                                                   int32_t num_evaluations) {
  std::vector<OutcomesRow> rows;
  std::vector<EvaluationRequest> requests;
  std::vector<v1::ColumnImportances> all_importances;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    OutcomesTable table(work);
    requests = table.Requests(run);
    all_importances = table.Importances(run);
    ASSIGN_OR_RETURN(rows, table.List(run));
    return absl::OkStatus();
  }));
  std::vector<KeptEvaluation> all;
  for (EvaluationRequest& one : requests) {
    if (one.evaluation >= num_evaluations) break;
    KeptEvaluation& kept = all.emplace_back();
    kept.evaluation = one.evaluation;
    ASSIGN_OR_RETURN(kept.spec,
                     config::ReadKept<EvaluationSpec>(one.request.evaluation_spec(), "evaluation"));
    ASSIGN_OR_RETURN(const auto dataset,
                     config::ReadKept<storage::DatasetSpec>(one.request.dataset_spec(), "dataset"));
    kept.classes = storage::EffectiveLabel(dataset).classes;
    kept.request = std::move(one.request);
    for (const v1::ColumnImportances& importances : all_importances) {
      const bool is_own = importances.evaluation() % num_evaluations == kept.evaluation;
      if (is_own) kept.importances = importances;
    }
    for (const OutcomesRow& row : rows) {
      if (row.evaluation % num_evaluations == kept.evaluation) kept.rows.push_back(row);
    }
    KeepNewest(kept.rows);
  }
  return all;
}

absl::StatusOr<v1::SummariseOutcomesResponse> OutcomeSummaries::Summarise(
    const v1::SummariseOutcomesRequest& request) {
  if (request.num_evaluations() < 1) return v1::SummariseOutcomesResponse();
  const RunId run{request.run_id()};
  Known known{.num_evaluations = request.num_evaluations()};
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    known.version = OutcomesTable(work).VersionOf(run);
    return absl::OkStatus();
  }));
  {
    MutexLock lock(mutex_);
    const auto found = known_.find(run.value);
    if (found != known_.end() && found->second.version == known.version &&
        found->second.num_evaluations == known.num_evaluations) {
      return found->second.response;
    }
  }
  ASSIGN_OR_RETURN(const auto all, Read(run, request.num_evaluations()));
  for (const KeptEvaluation& kept : all) {
    const absl::Status status = evaluator::Summarise(kept, known.response);
    // The values of the run are sound; only this is lost.
    if (!status.ok()) AddMissing(kept, status.ToString(), known.response);
  }
  MutexLock lock(mutex_);
  if (known_.size() >= kMaxKnown) known_.clear();
  known_[run.value] = known;
  return known.response;
}

absl::StatusOr<v1::CompareRunsResponse> OutcomeSummaries::Compare(
    const v1::CompareRunsRequest& request) {
  ASSIGN_OR_RETURN(const auto one,
                   Read(RunId{request.run_id()}, std::max(1, request.num_evaluations())));
  ASSIGN_OR_RETURN(const auto other, Read(RunId{request.other_run_id()},
                                          std::max(1, request.num_other_evaluations())));
  v1::CompareRunsResponse response;
  for (const KeptEvaluation& kept : one) {
    RETURN_IF_ERROR(AddComparison(kept, other, response));
  }
  return response;
}

}  // namespace tidemill::evaluator
