#include "evaluator/job/column_importance.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers/random.h"
#include "batch/labels.h"
#include "evaluator/outcomes/joined_series.h"
#include "evaluator/outcomes/outcome_keeper.h"
#include "evaluator/reading/graph_rows.h"
#include "evaluator/reading/window_samples.h"
#include "evaluator/windows/class_outcomes.h"
#include "evaluator/windows/short_reason.h"
#include "loader/number_targets.h"

namespace tidemill::evaluator {
namespace {

constexpr int64_t kRowsAtOnce = 1024;
constexpr RandomKey kImportanceDraw{.purpose = "importance"};

// The measure that columns are judged by; nullptr when none has a value without a plug-in.
const Measure* JudgingMeasure(const EvaluationSpec& spec) {
  for (const MeasureSpec& measure : spec.measures) {
    if (measure->HasValue() && !measure->AsksForContributions()) return &*measure;
  }
  return nullptr;
}

// The keys of a window, or `most` of them, in the order of the stream. Which ones depends on the
// keys alone.
absl::StatusOr<std::vector<int64_t>> DrawKeys(const ImportanceParts& parts,
                                              const v1::Window& window, int64_t most) {
  struct Drawn {
    uint64_t bits;
    int64_t place;
    int64_t key;
  };
  std::vector<Drawn> drawn;
  int64_t place = 0;
  const auto keep_least = [&] {
    if (std::ssize(drawn) <= most) return;
    std::nth_element(drawn.begin(), drawn.begin() + most, drawn.end(),
                     [](const Drawn& a, const Drawn& b) { return a.bits < b.bits; });
    drawn.resize(static_cast<size_t>(most));
  };
  RETURN_IF_ERROR(ListWindow(parts.storage, parts.snapshot, window, [&](const batch::Batch& page) {
    for (const int64_t key : page.keys())
      drawn.push_back({RandomBits(kImportanceDraw, key), place++, key});
    if (std::ssize(drawn) > 8 * most) keep_least();
    return absl::OkStatus();
  }));
  keep_least();
  std::ranges::sort(drawn, {}, &Drawn::place);
  std::vector<int64_t> keys;
  for (const Drawn& one : drawn) keys.push_back(one.key);
  return keys;
}

absl::StatusOr<batch::Batch> ReadSamples(const ImportanceParts& parts,
                                         std::span<const int64_t> keys) {
  std::vector<batch::Batch> blocks;
  while (!keys.empty()) {
    const auto some = keys.first(std::min<size_t>(keys.size(), kRowsAtOnce));
    keys = keys.subspan(some.size());
    RETURN_IF_ERROR(ReadBlock(
        parts.storage, {parts.snapshot.dataset_id()}, some, [&](const SampleBlock& block) {
          const batch::Batch& samples = block.samples;
          blocks.push_back(parts.has_labels ? samples.Take(batch::LabelledRows(samples)) : samples);
          return absl::OkStatus();
        }));
  }
  std::erase_if(blocks, [](const batch::Batch& block) { return block.num_rows() == 0; });
  if (blocks.empty()) return batch::Batch();
  return batch::Concatenate(blocks);
}

// The samples that the graph can transform and whose targets are numbers.
absl::StatusOr<batch::Batch> GoodSamples(const PreparedGraph& graph, const batch::Batch& samples) {
  ASSIGN_OR_RETURN(const GraphRows made, RunGraph(graph, samples));
  const std::vector<loader::NoNumber> bad = loader::TargetsThatAreNoNumbers(made.rows);
  if (made.rows.num_rows() == samples.num_rows() && bad.empty()) return samples;
  std::vector<int64_t> good;
  auto next_bad = bad.begin();
  int64_t made_row = 0;
  for (int64_t row = 0; row < samples.num_rows() && made_row < made.rows.num_rows(); ++row) {
    if (samples.keys()[static_cast<size_t>(row)] !=
        made.rows.keys()[static_cast<size_t>(made_row)]) {
      continue;
    }
    const bool is_bad = next_bad != bad.end() && next_bad->row == made_row;
    if (is_bad) ++next_bad;
    if (!is_bad) good.push_back(row);
    ++made_row;
  }
  return samples.Take(good);
}

// Each sample gets the value of another: the next one in a random order.
std::vector<int64_t> Exchanged(std::span<const int64_t> keys, int64_t seed) {
  std::vector<int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  const RandomKey key{.seed = seed, .purpose = "exchange"};
  std::ranges::sort(order, {}, [&](int64_t row) {
    return std::pair(RandomBits(key, keys[static_cast<size_t>(row)]), row);
  });
  std::vector<int64_t> rows(keys.size());
  for (size_t i = 0; i < order.size(); ++i) {
    rows[static_cast<size_t>(order[i])] = order[(i + 1) % order.size()];
  }
  return rows;
}

// The model's answers for rows of its graph.
absl::StatusOr<OutcomeTable> Answers(ScoredModel& model, const batch::Batch& rows) {
  OutcomeTable table(OutcomeKeeper::kMaxBytes * 8);
  if (rows.num_rows() == 0) return table;
  ASSIGN_OR_RETURN(const batch::Column* times,
                   rows.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
  const batch::Column* const target = rows.Find(transform::kTargetColumn);
  if (target == nullptr) return FailedPrecondition("the model's graph makes no target");
  OutcomeBlock block{.keys = rows.keys(), .times = times->Values<int64_t>()};
  if (target->type != batch::DataType::kInt64) {
    ASSIGN_OR_RETURN(const std::vector<float> values, model.PredictValues(rows));
    block.outcomes = {.predicted_values = values, .true_values = target->Values<float>()};
    table.Add(block);
    return table;
  }
  ASSIGN_OR_RETURN(const ClassPredictions predictions,
                   model.predictor->PredictClasses(rows, /*with_probabilities=*/true));
  const auto truth = target->Values<int64_t>();
  const ClassOutcomes derived =
      OutcomesOf(predictions, truth, predictions.num_classes <= OutcomeKeeper::kMaxScores);
  block.outcomes = {.predicted_classes = predictions.classes,
                    .true_classes = truth,
                    .true_probabilities = derived.true_probabilities,
                    .top_probabilities = derived.top_probabilities,
                    .true_places = derived.true_places};
  block.scores = derived.scores;
  table.Add(block);
  return table;
}

// The answers about intact samples, and about those that exchanged a column, window by window.
class Exchanges {
 public:
  explicit Exchanges(const ImportanceParts& parts) : parts_(parts) {}

  // Adds a window that is measured with a model.
  absl::Status Add(const v1::Window& window, ScoredModel& model) {
    RETURN_IF_ERROR(model.status);
    const PreparedGraph& graph = *model.graph;
    if (columns_.empty()) ChooseColumns(graph.graph);
    if (columns_.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const std::vector<int64_t> keys,
                     DrawKeys(parts_, window, most_samples_ - num_samples_));
    ASSIGN_OR_RETURN(const batch::Batch read, ReadSamples(parts_, keys));
    if (read.num_rows() == 0) return absl::OkStatus();
    ASSIGN_OR_RETURN(const batch::Batch samples, GoodSamples(graph, read));
    if (samples.num_rows() < 2) return absl::OkStatus();
    const transform::FittedState* const fitted = graph.fitted ? &*graph.fitted : nullptr;
    ASSIGN_OR_RETURN(const transform::Transformed intact, graph.graph.Run(samples, fitted));
    RETURN_IF_ERROR(AddAnswers(model, intact.batch, intact_));
    const std::vector<int64_t> rows = Exchanged(samples.keys(), parts_.spec.bootstrap.seed);
    for (const std::string& column : columns_) {
      ASSIGN_OR_RETURN(const transform::Transformed exchanged,
                       graph.graph.RunShuffled(samples, fitted, column, rows));
      RETURN_IF_ERROR(AddAnswers(model, exchanged.batch, by_column_[column]));
    }
    num_samples_ += samples.num_rows();
    return absl::OkStatus();
  }

  int64_t num_samples() const { return num_samples_; }
  int64_t num_columns_left_out() const { return num_columns_left_out_; }
  bool has_columns() const { return !columns_.empty(); }
  bool is_full() const { return num_samples_ >= std::min(kEnoughImportanceSamples, most_samples_); }

  absl::StatusOr<std::vector<v1::ColumnImportance>> Importances(const Measure& measure) const {
    std::vector<v1::ColumnImportance> all;
    for (const auto& [column, exchanged] : by_column_) {
      ASSIGN_OR_RETURN(const JoinedSeries joined, JoinedSeries::Join(intact_, exchanged));
      const auto difference = joined.DifferenceOf(measure, parts_.spec.bootstrap.replicates,
                                                  parts_.spec.bootstrap.seed);
      if (!difference) continue;
      v1::ColumnImportance& importance = all.emplace_back();
      importance.set_column(column);
      importance.set_intact(difference->one);
      importance.set_exchanged(difference->other);
      if (!difference->interval) continue;
      importance.set_low(difference->interval->low);
      importance.set_high(difference->interval->high);
    }
    const double sign = measure.LowerIsBetter() ? -1 : 1;
    std::ranges::stable_sort(all, std::greater(), [&](const v1::ColumnImportance& one) {
      return sign * (one.intact() - one.exchanged());
    });
    return all;
  }

 private:
  void ChooseColumns(const transform::Graph& graph) {
    for (const transform::ColumnSchema& column : graph.record_columns()) {
      columns_.push_back(column.name);
    }
    num_columns_left_out_ = std::max<int64_t>(0, std::ssize(columns_) - kMostImportanceColumns);
    if (num_columns_left_out_ > 0) columns_.resize(kMostImportanceColumns);
    if (columns_.empty()) return;
    most_samples_ = std::min(kMostImportanceSamples, kMostExchanges / std::ssize(columns_));
  }

  static absl::Status AddAnswers(ScoredModel& model, const batch::Batch& rows,
                                 OutcomeSeries& series) {
    ASSIGN_OR_RETURN(const OutcomeTable table, Answers(model, rows));
    if (table.num_kept() > 0) series.push_back({.columns = table.ToBatch()});
    return absl::OkStatus();
  }

  const ImportanceParts& parts_;
  std::vector<std::string> columns_;
  int64_t num_columns_left_out_ = 0;
  int64_t most_samples_ = kMostImportanceSamples;
  int64_t num_samples_ = 0;
  OutcomeSeries intact_;
  std::map<std::string, OutcomeSeries> by_column_;
};

}  // namespace

absl::StatusOr<v1::ColumnImportances> MeasureImportance(std::span<const v1::JobWindow> windows,
                                                        const ImportanceParts& parts) {
  v1::ColumnImportances importances;
  const Measure* const measure = JudgingMeasure(parts.spec);
  if (measure == nullptr) {
    importances.set_missing("no measure of the evaluation has values without a plug-in");
    return importances;
  }
  importances.set_measure(measure->Name());
  Exchanges exchanges(parts);
  for (auto window = windows.rbegin(); window != windows.rend() && !exchanges.is_full(); ++window) {
    const int64_t model_id = window->window().model_in_use();
    ASSIGN_OR_RETURN(const std::vector<ScoredModel*> models,
                     parts.models.GetFirst(std::span(&model_id, 1)));
    absl::Status added = exchanges.Add(window->window(), *models.front());
    if (IsTransient(added)) return added;
    if (!added.ok()) {
      importances.set_missing(ShortReason(added));
      return importances;
    }
    if (!exchanges.has_columns()) return v1::ColumnImportances();
    if (importances.trigger() == 0) importances.set_trigger(models.front()->trigger);
    importances.set_num_windows(importances.num_windows() + 1);
  }
  importances.set_num_samples(exchanges.num_samples());
  importances.set_num_columns_left_out(exchanges.num_columns_left_out());
  const auto columns = exchanges.Importances(*measure);
  if (!columns.ok()) {
    importances.set_missing(ShortReason(columns.status()));
    return importances;
  }
  importances.mutable_columns()->Add(columns->begin(), columns->end());
  return importances;
}

}  // namespace tidemill::evaluator
