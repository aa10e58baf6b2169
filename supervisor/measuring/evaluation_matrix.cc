#include "supervisor/measuring/evaluation_matrix.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "fmt/ranges.h"

#include "supervisor/measuring/live_windows.h"
#include "supervisor/measuring/windows.h"
#include "supervisor/runs/cuts.h"

namespace tidemill::supervisor {
namespace {

// An evaluation whose windows are cut by time, and one of its measures.
struct Choice {
  size_t evaluation = 0;
  std::string measure;
  size_t place = 0;  // The place of the measure in the evaluation.
};

std::string Title(const PipelineSpec& spec, const Choice& choice) {
  return choice.measure + " on " + spec.evaluation[choice.evaluation].dataset;
}

// In the order in which they are preferred.
std::vector<Choice> ChoicesOf(const PipelineSpec& spec, const RunState& state) {
  std::vector<Choice> choices;
  for (const bool trained_on : {true, false}) {
    for (size_t i = 0; i < spec.evaluation.size(); ++i) {
      const evaluator::EvaluationSpec& evaluation = spec.evaluation[i];
      if ((evaluation.dataset == spec.preprocess.dataset) != trained_on) continue;
      if (std::holds_alternative<evaluator::Whole>(evaluation.windows)) continue;
      if (!state.datasets().contains(evaluation.dataset)) continue;
      if (!state.live() && !state.IsEvaluated(static_cast<int32_t>(i))) continue;
      for (size_t place = 0; place < evaluation.measures.size(); ++place) {
        choices.push_back(
            {.evaluation = i, .measure = evaluation.measures[place]->Name(), .place = place});
      }
    }
  }
  return choices;
}

absl::StatusOr<EvaluationMatrix> MatrixOf(const PipelineSpec& spec, const RunState& state,
                                          const std::vector<evaluator::v1::Evaluation>& values,
                                          const Choice& choice) {
  const evaluator::EvaluationSpec& evaluation = spec.evaluation[choice.evaluation];
  ASSIGN_OR_RETURN(const v1::DatasetSynced dataset, MeasuredPart(state, spec, evaluation.dataset));
  std::vector<evaluator::v1::Evaluation> own;
  for (const auto& value : values) {
    if (value.evaluation() == static_cast<int32_t>(choice.evaluation)) own.push_back(value);
  }
  std::shared_ptr<evaluator::Measure> measure = evaluation.measures[choice.place]->Clone();
  measure->Open();
  return EvaluationMatrix::Create(evaluation.windows, dataset, StoredTriggers(state), own,
                                  choice.measure, std::move(measure));
}

}  // namespace

absl::StatusOr<EvaluationMatrix> EvaluationMatrix::Create(
    const evaluator::WindowsSpec& windows, const v1::DatasetSynced& dataset,
    const std::vector<TriggerState>& triggers, const std::vector<evaluator::v1::Evaluation>& values,
    const std::string& measure, std::shared_ptr<const evaluator::Measure> of_pipeline) {
  ASSIGN_OR_RETURN(const auto cut, MakeWindows(windows, dataset, triggers));
  EvaluationMatrix matrix(measure, std::move(of_pipeline));
  std::map<std::pair<Cut, Cut>, size_t> places;
  for (const supervisor::Window& window : cut) {
    places[{FromProto(window.from), FromProto(window.to)}] = matrix.windows_.size();
    matrix.windows_.push_back({.from = FromProto(window.from), .to = FromProto(window.to)});
  }
  for (const TriggerState& trigger : triggers) {
    matrix.triggers_.push_back(FromProto(trigger.trigger.at()));
    matrix.numbers_.push_back(trigger.trigger.number());
  }
  for (const evaluator::v1::Evaluation& value : values) {
    if (!results::IsCell(value) || value.measure() != measure) continue;
    const auto place = places.find({FromProto(value.from()), FromProto(value.to())});
    if (place == places.end() || value.num_samples() == 0) continue;
    matrix.windows_[place->second].has_samples = true;
    if (!value.has_value() || !std::isfinite(value.value())) continue;
    matrix.cells_[{value.trigger(), place->second}] = value;
  }
  return matrix;
}

const results::Row* EvaluationMatrix::At(const Cut& trained_to, size_t window) const {
  const auto behind = std::upper_bound(triggers_.begin(), triggers_.end(), trained_to);
  if (behind == triggers_.begin()) return nullptr;
  const auto last = static_cast<size_t>(behind - triggers_.begin()) - 1;
  const auto cell = cells_.find({numbers_[last], window});
  return cell == cells_.end() ? nullptr : &cell->second;
}

void MatrixMean::Fired(const Cut& at) {
  const auto& windows = matrix_->windows();
  while (next_ < windows.size() && windows[next_].from < at) Measure(next_++);
  trained_to_ = at;
  ++num_fired_;
}

void MatrixMean::Finish() {
  while (next_ < matrix_->windows().size()) Measure(next_++);
}

void MatrixMean::Measure(size_t window) {
  const results::Row* cell = trained_to_ ? matrix_->At(*trained_to_, window) : nullptr;
  uses_.push_back({.cell = cell, .trigger = num_fired_});
  if (cell == nullptr) {
    if (matrix_->windows()[window].has_samples) ++num_left_out_;
    return;
  }
  mean_.Add(*cell);
  num_samples_ += cell->num_samples();
}

absl::StatusOr<std::optional<ChosenMatrix>> ChooseMatrix(
    const PipelineSpec& spec, const RunState& state, std::vector<evaluator::v1::Evaluation> values,
    const std::string& measure) {
  if (state.live()) {
    values = NewestOfEach(std::move(values), static_cast<int>(spec.evaluation.size()));
  }
  std::vector<std::string> known;
  for (const Choice& choice : ChoicesOf(spec, state)) {
    ASSIGN_OR_RETURN(EvaluationMatrix matrix, MatrixOf(spec, state, values, choice));
    if (matrix.empty()) continue;
    const std::string title = Title(spec, choice);
    if (measure.empty() || measure == choice.measure || measure == title) {
      return ChosenMatrix{.dataset = spec.evaluation[choice.evaluation].dataset,
                          .measure = choice.measure,
                          .matrix = std::move(matrix)};
    }
    known.push_back(title);
  }
  if (known.empty()) return std::optional<ChosenMatrix>();
  return InvalidArgument("the run has no values of '{}' by windows of time; it has: {}", measure,
                         fmt::join(known, ", "));
}

}  // namespace tidemill::supervisor
