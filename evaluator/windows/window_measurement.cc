#include "evaluator/windows/window_measurement.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <utility>

#include "base/check.h"
#include "batch/labels.h"
#include "evaluator/windows/class_outcomes.h"
#include "evaluator/windows/kept_message.h"
#include "evaluator/windows/short_reason.h"
#include "evaluator/windows/table_scores.h"
#include "loader/number_targets.h"
#include "plugin/process/fault.h"

namespace tidemill::evaluator {
namespace {

absl::Status CheckTarget(std::span<const MeasureSpec> measures, const transform::Graph& graph) {
  const auto target = graph.target();
  if (!target) {
    return FailedPrecondition("the model's graph makes no target, so the model cannot be measured");
  }
  const bool is_class = target->type == batch::DataType::kInt64;
  for (const MeasureSpec& measure : measures) {
    if (measure->IsOfClasses().value_or(is_class) == is_class) continue;
    return FailedPrecondition("{} compares {}, but the model's graph makes {}", measure->Name(),
                              is_class ? "real values" : "classes",
                              is_class ? "classes" : "real values");
  }
  return absl::OkStatus();
}

bool AnyNeeds(const EvaluationSpec& spec, std::initializer_list<Needs> needs) {
  return std::any_of(spec.measures.begin(), spec.measures.end(), [&](const MeasureSpec& measure) {
    return std::find(needs.begin(), needs.end(), measure->Needs()) != needs.end();
  });
}

// The rows of a block that a graph left over, which are in the block's order.
std::vector<size_t> PlacesOf(std::span<const int64_t> keys, std::span<const int64_t> all_keys) {
  std::vector<size_t> rows;
  for (size_t row = 0; row < all_keys.size() && rows.size() < keys.size(); ++row) {
    if (all_keys[row] == keys[rows.size()]) rows.push_back(row);
  }
  return rows;
}

// A sample whose target is not a finite number is bad, as in a training.
void LeaveOutNoNumbers(GraphRows& made) {
  std::vector<loader::NoNumber> found = loader::TargetsThatAreNoNumbers(made.rows);
  if (found.empty()) return;
  std::vector<int64_t> kept;
  auto next = found.begin();
  for (int64_t row = 0; row < made.rows.num_rows(); ++row) {
    if (next == found.end() || next->row != row) {
      kept.push_back(row);
    } else {
      made.bad.push_back({made.rows.keys()[static_cast<size_t>(row)], std::move(next->reason)});
      ++next;
    }
  }
  made.rows = made.rows.Take(kept);
}

}  // namespace

WindowMeasurement::WindowMeasurement(int64_t window_index, const MeasurementPlan& plan,
                                     std::span<ScoredModel* const> models,
                                     WindowBaselines* baselines)
    : window_index_(window_index),
      plan_(plan),
      with_probabilities_(AnyNeeds(plan.spec, {Needs::kProbabilities, Needs::kRanks})),
      with_scores_(AnyNeeds(plan.spec, {Needs::kRanks})),
      with_tables_(with_scores_ || !plan.spec.slices.empty() || plan.spec.bootstrap.replicates > 0),
      with_intervals_(plan.spec.bootstrap.replicates > 0),
      columns_(SliceColumns::Make(plan.spec.slices, plan.samples, plan.dataset)),
      baselines_(baselines) {
  const auto num_models = std::max<int64_t>(1, static_cast<int64_t>(models.size()));
  for (ScoredModel* model : models) {
    Tally& tally =
        tallies_.emplace_back(Tally{.model = model,
                                    .asked = AskedContributions(plan.spec.measures),
                                    .table = OutcomeTable(plan.max_table_bytes / num_models),
                                    .status = model->status});
    tally.status.Update(columns_.status());
    if (tally.status.ok()) tally.status = CheckTarget(plan.spec.measures, model->graph->graph);
    for (const MeasureSpec& measure : plan.spec.measures) {
      tally.accumulators.push_back(measure->NewAccumulator());
    }
  }
  std::map<std::string, std::vector<Tally*>> by_graph;
  for (Tally& tally : tallies_) {
    if (tally.status.ok()) by_graph[tally.model->graph->fingerprint].push_back(&tally);
  }
  for (auto& [fingerprint, group] : by_graph) groups_.push_back(std::move(group));
  FindInUse();
  ChooseKept();
}

void WindowMeasurement::ChooseKept() {
  if (plan_.keeper == nullptr || !with_intervals_) return;
  for (Tally& tally : tallies_) {
    if (!tally.status.ok()) continue;
    const bool is_first = plan_.keeper->IsFirst(tally.model->trigger);
    if (is_first || tally.model->model_id == plan_.model_in_use) {
      tally.kept = plan_.keeper->NewTable();
    }
  }
  if (baselines_ != nullptr) baselines_->Keep(*plan_.keeper);
}

void WindowMeasurement::FindInUse() {
  if (baselines_ == nullptr) return;
  for (const Tally& tally : tallies_) {
    // Rules are in the units of the label: beside a target in others they would say nothing.
    if (!tally.status.ok() || !tally.model->graph->graph.target_is_label()) continue;
    const bool is_in_use = tally.model->model_id == baselines_->model_in_use();
    if (in_use_ == nullptr || is_in_use) in_use_ = &tally;
  }
}

void WindowMeasurement::AddMissing(const std::vector<storage::v1::MissingSample>& missing) {
  std::vector<loader::Unreadable> unreadable;
  for (const storage::v1::MissingSample& sample : missing) {
    if (sample.deleted()) {
      ++num_deleted_;
    } else {
      unreadable.push_back({sample.sample_key(), sample.reason()});
    }
  }
  num_unreadable_ += std::ssize(unreadable);
  if (plan_.bad != nullptr) plan_.bad->Add(unreadable);
}

void WindowMeasurement::Add(const SampleBlock& block) {
  num_known_ += block.num_known;
  AddMissing(block.missing);
  const batch::Batch& samples = block.samples;
  if (plan_.samples.label == transform::LabelKind::kNone) return AddLabelled(block, samples);
  const std::vector<int64_t> labelled = batch::LabelledRows(samples);
  num_unlabelled_ += samples.num_rows() - std::ssize(labelled);
  const bool all = std::ssize(labelled) == samples.num_rows();
  AddLabelled(block, all ? samples : samples.Take(labelled));
}

std::vector<std::shared_ptr<const PreparedGraph>> WindowMeasurement::graphs() const {
  std::vector<std::shared_ptr<const PreparedGraph>> graphs;
  for (const std::vector<Tally*>& group : groups_) {
    const bool is_used =
        std::ranges::any_of(group, [](Tally* tally) { return tally->status.ok(); });
    if (is_used) graphs.push_back(group.front()->model->graph);
  }
  return graphs;
}

void WindowMeasurement::AddLabelled(const SampleBlock& block, const batch::Batch& samples) {
  if (samples.num_rows() == 0) return;
  if (!columns_.ok() || !interruption_.ok()) return;
  const absl::StatusOr<SliceValues> slices = columns_->Read(samples);
  if (!slices.ok()) return Fail(slices.status());
  for (const std::vector<Tally*>& group : groups_) {
    const absl::Status status = AddToGroup(group, block, samples, *slices);
    if (status.ok()) continue;
    if (plugin::IsOfMachine(status)) return interruption_.Update(status);
    for (Tally* tally : group) tally->status.Update(status);
  }
}

absl::StatusOr<GraphRows> WindowMeasurement::RowsOf(const PreparedGraph& graph,
                                                    const SampleBlock& block,
                                                    const batch::Batch& samples) {
  const auto prepared = block.prepared.find(graph.fingerprint);
  if (prepared != block.prepared.end()) return prepared->second;
  TIDEMILL_CHECK(block.prepared.empty());
  ++num_graph_runs_;
  return RunGraph(graph, samples);
}

absl::Status WindowMeasurement::AddToGroup(std::span<Tally* const> group, const SampleBlock& block,
                                           const batch::Batch& samples, const SliceValues& slices) {
  if (std::none_of(group.begin(), group.end(), [](Tally* tally) { return tally->status.ok(); })) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(GraphRows made, RowsOf(*group.front()->model->graph, block, samples));
  LeaveOutNoNumbers(made);
  if (plan_.bad != nullptr) plan_.bad->Add(made.bad);
  const bool is_empty = made.rows.num_rows() == 0;
  SliceValues of_good(slices.size());
  const bool in_use = std::find(group.begin(), group.end(), in_use_) != group.end();
  std::vector<int64_t> times;
  if (!is_empty && (!slices.empty() || in_use || with_intervals_)) {
    const std::vector<size_t> rows = PlacesOf(made.rows.keys(), samples.keys());
    if (in_use) baselines_->Add(samples, rows);
    if (with_intervals_) {
      ASSIGN_OR_RETURN(const batch::Column* all,
                       samples.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
      for (const size_t row : rows) times.push_back(all->Values<int64_t>()[row]);
    }
    for (size_t column = 0; column < slices.size(); ++column) {
      for (const size_t row : rows) of_good[column].push_back(slices[column][row]);
    }
  }
  for (Tally* tally : group) {
    tally->num_bad += std::ssize(made.bad);
    tally->num_filtered += made.num_filtered;
    if (is_empty || !tally->status.ok()) continue;
    tally->status = AddToModel(*tally, made.rows, of_good, times);
  }
  return absl::OkStatus();
}

absl::Status WindowMeasurement::AddToModel(Tally& tally, const batch::Batch& rows,
                                           const SliceValues& slices,
                                           std::span<const int64_t> times) {
  const batch::Column* target = rows.Find(transform::kTargetColumn);
  if (target == nullptr) return Internal("the graph made no target");
  OutcomeBlock block{.keys = rows.keys(), .times = times};
  for (const std::vector<int32_t>& column : slices) block.slices.emplace_back(column);
  if (target->type == batch::DataType::kInt64) {
    return AddClasses(tally, rows, *target, std::move(block));
  }
  ASSIGN_OR_RETURN(const std::vector<float> values, tally.model->PredictValues(rows));
  block.outcomes.predicted_values = values;
  block.outcomes.true_values = target->Values<float>();
  AddOutcomes(tally, block);
  return absl::OkStatus();
}

absl::Status WindowMeasurement::AddClasses(Tally& tally, const batch::Batch& rows,
                                           const batch::Column& target, OutcomeBlock block) {
  ASSIGN_OR_RETURN(
      const ClassPredictions predictions,
      tally.model->predictor->PredictClasses(rows, with_probabilities_ || tally.kept.has_value()));
  block.outcomes = {.predicted_classes = predictions.classes,
                    .true_classes = target.Values<int64_t>()};
  ClassOutcomes derived;
  if (with_probabilities_ || tally.kept) {
    const bool keeps_scores = tally.kept && predictions.num_classes <= OutcomeKeeper::kMaxScores;
    derived = OutcomesOf(predictions, block.outcomes.true_classes, with_scores_ || keeps_scores);
  }
  if (with_probabilities_) {
    block.outcomes.true_probabilities = derived.true_probabilities;
    block.outcomes.top_probabilities = derived.top_probabilities;
    block.outcomes.true_places = derived.true_places;
    block.outcomes.probabilities = predictions.probabilities;
    block.outcomes.num_classes = predictions.num_classes;
    if (with_scores_) block.scores = derived.scores;
  }
  AddOutcomes(tally, block, derived);
  return absl::OkStatus();
}

void WindowMeasurement::AddOutcomes(Tally& tally, OutcomeBlock& block,
                                    const ClassOutcomes& derived) {
  if (interruption_.ok()) interruption_ = tally.asked.Add(block.outcomes);
  if (!interruption_.ok()) return;
  for (const auto& accumulator : tally.accumulators) {
    if (accumulator != nullptr) accumulator->Add(block.outcomes);
  }
  if (with_tables_) tally.table.Add(block);
  if (tally.kept) {
    OutcomeBlock kept = block;
    kept.slices.clear();
    kept.outcomes.true_probabilities = derived.true_probabilities;
    kept.outcomes.top_probabilities = derived.top_probabilities;
    kept.outcomes.true_places = derived.true_places;
    kept.scores = derived.scores;
    if (std::ssize(kept.scores) > OutcomeKeeper::kMaxScores * std::ssize(kept.keys)) {
      kept.scores = {};
    }
    tally.kept->Add(kept);
  }
  tally.num_samples += static_cast<int64_t>(block.keys.size());
}

void WindowMeasurement::Fail(const absl::Status& reason) {
  for (Tally& tally : tallies_) tally.status.Update(reason);
}

void WindowMeasurement::SetScores(Tally& tally, v1::ModelScores& scores) {
  for (size_t i = 0; i < plan_.spec.measures.size(); ++i) {
    v1::Evaluation& score = *scores.add_scores();
    score.set_measure(plan_.spec.measures[i]->Name());
    if (!tally.status.ok() || tally.accumulators[i] == nullptr) continue;
    if (const auto value = tally.accumulators[i]->Value()) score.set_value(*value);
    score.set_sums(tally.accumulators[i]->Sums());
    score.set_detail(tally.accumulators[i]->Detail(plan_.class_names));
  }
  if (!tally.status.ok()) return;
  if (with_tables_) {
    tally.table.Seal();
    ScoreTable(tally.table, {plan_.spec, plan_.class_names, *columns_}, *scores.mutable_scores());
    tally.table = OutcomeTable(0);
  }
  interruption_.Update(tally.asked.TakeFaults());
  tally.asked.Describe(*scores.mutable_scores());
}

void WindowMeasurement::SetKept(Tally& tally, v1::ModelScores& scores) {
  if (!tally.kept || !tally.status.ok() || tally.kept->num_kept() == 0) return;
  const bool in_use = tally.model->model_id == plan_.model_in_use;
  if (in_use) plan_.keeper->Took(*tally.kept);
  SetOutcomes(*tally.kept, in_use, scores);
  tally.kept = std::nullopt;
}

std::vector<v1::ModelScores> WindowMeasurement::Scores() {
  std::vector<v1::ModelScores> all;
  for (Tally& tally : tallies_) {
    v1::ModelScores& scores = all.emplace_back();
    v1::Evaluation& common = *scores.mutable_common();
    common.set_window_index(window_index_);
    common.set_model_id(tally.model->model_id);
    common.set_trigger(tally.model->trigger);
    if (tally.status.ok()) common.set_num_samples(tally.num_samples);
    if (tally.status.ok()) common.set_num_bad(num_unreadable_ + tally.num_bad);
    if (tally.status.ok()) common.set_num_filtered(tally.num_filtered);
    common.set_num_known(num_known_);
    common.set_num_deleted(num_deleted_);
    common.set_num_unlabelled(num_unlabelled_);
    if (!tally.status.ok()) common.set_failure(ShortReason(tally.status));
    SetScores(tally, scores);
    SetKept(tally, scores);
  }
  AddBaselines(all);
  return all;
}

void WindowMeasurement::AddBaselines(std::vector<v1::ModelScores>& all) {
  if (in_use_ == nullptr) return;
  baselines_->Fail(in_use_->status);
  baselines_->Fail(interruption_);
  for (v1::ModelScores& scores : baselines_->Scores()) all.push_back(std::move(scores));
}

}  // namespace tidemill::evaluator
