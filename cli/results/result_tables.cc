#include "cli/results/result_tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "fmt/format.h"

#include "cli/results/ledger.h"
#include "cli/results/run_measures.h"
#include "cli/results/sample_mean.h"
#include "cli/terminal/text.h"
#include "evaluator/client/pooling.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using Span = std::pair<Cut, Cut>;

constexpr std::string_view kConfusionMatrix = "confusion_matrix";

Span SpanOf(const auto& value) { return {ToCut(value.from()), ToCut(value.to())}; }

// Rows and columns of a table that is being filled.
struct Axes {
  std::set<int64_t> triggers;
  std::map<Span, int64_t> windows;  // With samples.
};

size_t ColumnOf(const ResultTable& table, const Span& span) {
  const auto at = std::lower_bound(table.windows.begin(), table.windows.end(), span,
                                   [](const ResultWindow& window, const Span& wanted) {
                                     return Span(window.from, window.to) < wanted;
                                   });
  const bool found = at != table.windows.end() && Span(at->from, at->to) == span;
  return found ? static_cast<size_t>(at - table.windows.begin()) : table.windows.size();
}

ResultTable TableOf(const Axes& axes) {
  ResultTable table;
  table.triggers.assign(axes.triggers.begin(), axes.triggers.end());
  for (const auto& [span, samples] : axes.windows) {
    table.windows.push_back({.from = span.first, .to = span.second, .num_samples = samples});
  }
  table.cells.resize(table.triggers.size());
  table.active.resize(table.windows.size());
  table.trained.resize(table.windows.size());
  return table;
}

template <typename Value>
auto KeyOf(const Value& value) {
  return std::tuple(value.evaluation(), value.dataset(), value.measure());
}

// Slices have their own tables, and a confusion matrix has no single value.
bool IsCell(const v1::EvaluationValue& value) {
  return value.slice().empty() && value.measure() != kConfusionMatrix;
}

void SetCell(const v1::EvaluationValue& value, ResultTable& table) {
  const auto row = static_cast<size_t>(
      std::lower_bound(table.triggers.begin(), table.triggers.end(), value.trigger()) -
      table.triggers.begin());
  ResultCell& cell = table.cells[row][ColumnOf(table, SpanOf(value))];
  if (value.has_value()) cell.value = value.value();
  if (value.has_low()) cell.low = value.low();
  if (value.has_high()) cell.high = value.high();
  if (!value.sums().empty()) cell.sums = value.sums();
}

void Complete(const v1::GetRunResponse& run, ResultTable& table) {
  table.of_pipeline = PluginMeasureOf(run, table.evaluation, table.measure);
  table.lower_is_better = LowerIsBetter(table.measure);
  if (table.of_pipeline != nullptr) {
    table.lower_is_better = table.of_pipeline->LowerIsBetter();
    table.unit = table.of_pipeline->Unit();
  }
  table.share = IsShare(table.measure);
  table.baselines = BaselinesOf(run, table.evaluation, table.dataset, table.measure);
  for (const OutcomeDifference& difference : run.outcomes().differences()) {
    if (difference.evaluation() == table.evaluation && difference.measure() == table.measure) {
      table.differences.push_back(difference);
    }
  }
}

evaluator::WindowValue ValueOf(const ResultTable& table, const ResultCell& cell, size_t column) {
  return {.value = cell.value, .num_samples = table.windows[column].num_samples, .sums = cell.sums};
}

std::optional<ResultMean> MeanOf(const ResultTable& table,
                                 const std::vector<evaluator::WindowValue>& windows) {
  const auto pooled = evaluator::Pool(table.measure, windows, table.of_pipeline.get());
  if (!pooled) return std::nullopt;
  return ResultMean{.value = pooled->value,
                    .num_samples = pooled->num_samples,
                    .how = std::string(evaluator::Describe(pooled->how))};
}

// The mean over columns of the model of `by_column`'s trigger in each.
std::optional<ResultMean> MeanOf(const ResultTable& table, const std::vector<int64_t>& by_column) {
  std::vector<evaluator::WindowValue> windows;
  for (size_t column = 0; column < table.windows.size(); ++column) {
    const ResultCell* cell = table.At(by_column[column], column);
    if (cell == nullptr || (!cell->value && cell->sums.empty())) continue;
    windows.push_back(ValueOf(table, *cell, column));
  }
  return MeanOf(table, windows);
}

// Values of series have sums where others have none.
void SetSums(const v1::CompositeValue& value, size_t column, ResultTable& table) {
  const auto row = std::lower_bound(table.triggers.begin(), table.triggers.end(), value.trigger());
  if (row == table.triggers.end() || *row != value.trigger()) return;
  table.cells[static_cast<size_t>(row - table.triggers.begin())][column].sums = value.sums();
}

std::vector<int64_t> LastEverywhere(const ResultTable& table) {
  return std::vector<int64_t>(table.windows.size(), table.triggers.back());
}

// The gain from retraining, on the samples that both have.
std::string PairedGain(const ResultTable& table, const OutcomeDifference& difference) {
  return fmt::format("retraining was worth {} {}{}", ShowDifference(difference, table.style()),
                     OverSamples(difference),
                     IsBeyondChance(difference) ? ""
                     : difference.has_low()     ? ", which may be chance"
                                                : ", which are too few to rule out chance");
}

std::string Gain(const ResultTable& table, const Comparison& comparison) {
  const OutcomeDifference* const difference = table.DifferenceThan("first");
  if (difference != nullptr && difference->missing().empty()) {
    return PairedGain(table, *difference);
  }
  const double gain =
      (comparison.active.value - comparison.first.value) * (table.lower_is_better ? -1 : 1);
  if (table.share) {
    return fmt::format("retraining was worth {}{:.1f} points", gain < 0 ? "−" : "+",
                       std::abs(100 * gain));
  }
  if (comparison.first.value == 0) return "";
  const double share = std::abs(gain / comparison.first.value);
  return fmt::format("retraining made it {:.0f} % {}", 100 * share, gain < 0 ? "worse" : "better");
}

// A first model of fewer samples is beaten by anything.
constexpr int64_t kTinyTraining = 30;

int64_t SamplesOf(const v1::GetRunResponse& run, int64_t trigger) {
  for (const v1::Trigger& one : run.triggers()) {
    if (one.number() == trigger) return one.num_samples();
  }
  return kTinyTraining;
}

// "accuracy 77.6 % [75.4 %, 79.7 %]".
std::string Reached(const ResultTable& table, const ResultMean& mean, bool in_use) {
  std::string value = table.measure + " " + ShowValue(table, mean.value);
  if (mean.how == "mean over windows") value += " (" + mean.how + ")";
  if (in_use && table.active_interval) {
    value += fmt::format(" [{}, {}]", ShowValue(table, table.active_interval->first),
                         ShowValue(table, table.active_interval->second));
  }
  const std::string samples = WithThousands(mean.num_samples);
  if (!in_use) {
    return fmt::format(
        "The last model reached {} on {}, over {} samples, on some of which it may have been "
        "trained.",
        value, table.dataset, samples);
  }
  return fmt::format(
      "The models in use reached {} on {}, over {} samples that each of them met only after its "
      "training.",
      value, table.dataset, samples);
}

// What the first model would have reached. Beating it is worth nothing where a rule without a model
// would have done better.
std::string Worth(const v1::GetRunResponse& run, const ResultTable& table, bool in_use) {
  const auto comparison = CompareWithFirst(table);
  if (!comparison) return "";
  const bool loses = std::any_of(
      table.baselines.begin(), table.baselines.end(),
      [](const Baseline& baseline) { return baseline.name == "constant" && baseline.Wins(); });
  // Models that have seen the samples are no evidence of what retraining is worth.
  const bool is_tiny = SamplesOf(run, table.triggers.front()) < kTinyTraining;
  std::string gain = loses || !in_use ? "" : Gain(table, *comparison);
  if (is_tiny && !gain.empty()) {
    gain =
        "so few samples do not show what retraining was worth; `first` of the trigger waits for "
        "more";
  }
  std::string first = DescribeFirstModel(run, table.triggers.front());
  first.front() = 'T';
  return fmt::format(" {}, would have had {}{}.", first, ShowValue(table, comparison->first.value),
                     gain.empty() ? "" : ": " + gain);
}

// How a rule without a model compares with the models on the samples that both have.
RuleComparison Against(const ResultTable& table, const Baseline& baseline) {
  const OutcomeDifference* const difference = table.DifferenceThan(baseline.name);
  if (difference == nullptr || !difference->missing().empty() || !difference->has_low()) return {};
  return {.difference = ShowDifference(*difference, table.style()),
          .may_be_chance = !IsBeyondChance(*difference)};
}

// What the models have reached.
std::string Outcome(const v1::GetRunResponse& run, const std::vector<ResultTable>& tables) {
  // The first table in which models were in use, else the first that has a value.
  for (const bool in_use : {true, false}) {
    for (const ResultTable& table : tables) {
      const auto mean = in_use ? ActiveMean(table) : LastMean(table);
      if (!mean) continue;
      const auto show = [&](double value) { return ShowValue(table, value); };
      return Reached(table, *mean, in_use) +
             BaselineSentences(table.baselines, show,
                               [&](const Baseline& baseline) { return Against(table, baseline); }) +
             Worth(run, table, in_use);
    }
  }
  const bool over = run.run().state() != v1::RUN_STATE_RUNNING;
  if (run.triggers().empty() && over) {
    return "The run is over and no trigger fired, so no model was trained.";
  }
  if (run.triggers().empty()) return "No trigger has fired yet.";
  const auto num_models =
      std::count_if(run.triggers().begin(), run.triggers().end(),
                    [](const v1::Trigger& trigger) { return trigger.model_id() != 0; });
  return fmt::format("{} {} trained; nothing {} evaluated{}.", num_models,
                     num_models == 1 ? "model was" : "models were", over ? "was" : "has been",
                     over ? "" : " yet");
}

}  // namespace

Cut ToCut(const rpc::v1::Cut& cut) { return {{cut.event_time()}, {cut.sample_key()}}; }

const ResultCell* ResultTable::At(int64_t trigger, size_t column) const {
  const auto row = std::lower_bound(triggers.begin(), triggers.end(), trigger);
  if (row == triggers.end() || *row != trigger) return nullptr;
  const auto& measured = cells[static_cast<size_t>(row - triggers.begin())];
  const auto cell = measured.find(column);
  return cell == measured.end() ? nullptr : &cell->second;
}

MeasureStyle ResultTable::style() const {
  return {.lower_is_better = lower_is_better, .is_share = share, .unit = unit};
}

const OutcomeDifference* ResultTable::DifferenceThan(std::string_view than) const {
  for (const OutcomeDifference& difference : differences) {
    if (difference.than() == than) return &difference;
  }
  return nullptr;
}

std::vector<ResultTable> ResultTables(const v1::GetRunResponse& run) {
  std::vector<decltype(KeyOf(v1::EvaluationValue()))> order;
  std::map<decltype(KeyOf(v1::EvaluationValue())), Axes> axes;
  for (const v1::EvaluationValue& value : run.evaluations()) {
    if (!IsCell(value)) continue;
    const auto key = KeyOf(value);
    if (!axes.contains(key)) order.push_back(key);
    Axes& of = axes[key];
    of.triggers.insert(value.trigger());
    int64_t& samples = of.windows[SpanOf(value)];
    samples = std::max(samples, value.num_samples());
  }
  std::map<decltype(KeyOf(v1::EvaluationValue())), ResultTable> tables;
  for (const auto& [key, of] : axes) {
    ResultTable& table = tables[key] = TableOf(of);
    std::tie(table.evaluation, table.dataset, table.measure) = key;
  }
  for (const v1::EvaluationValue& value : run.evaluations()) {
    if (IsCell(value)) SetCell(value, tables[KeyOf(value)]);
  }
  const auto mark = [&](const auto& series, std::vector<int64_t> ResultTable::*which) {
    for (const v1::CompositeValue& value : series) {
      const auto table = tables.find(KeyOf(value));
      if (table == tables.end()) continue;
      const size_t column = ColumnOf(table->second, SpanOf(value));
      if (column >= table->second.windows.size()) continue;
      (table->second.*which)[column] = value.trigger();
      SetSums(value, column, table->second);
    }
  };
  mark(run.active(), &ResultTable::active);
  mark(run.trained(), &ResultTable::trained);
  for (auto& [key, table] : tables) {
    Complete(run, table);
    SampleMean mean(table.of_pipeline);
    for (const v1::CompositeValue& value : run.active()) {
      if (KeyOf(value) == key) mean.Add(value);
    }
    table.active_interval = mean.Interval();
  }
  std::vector<ResultTable> ordered;
  for (const auto& key : order) ordered.push_back(std::move(tables[key]));
  return ordered;
}

std::optional<ResultMean> ActiveMean(const ResultTable& table) {
  return MeanOf(table, table.active);
}

std::optional<ResultMean> LastMean(const ResultTable& table) {
  if (table.triggers.empty()) return std::nullopt;
  return MeanOf(table, LastEverywhere(table));
}

std::optional<Comparison> CompareWithFirst(const ResultTable& table) {
  if (table.triggers.empty()) return std::nullopt;
  const std::vector<int64_t> by_column = ActiveMean(table) ? table.active : LastEverywhere(table);
  std::vector<evaluator::WindowValue> of_active;
  std::vector<evaluator::WindowValue> of_first;
  bool another = false;
  for (size_t column = 0; column < table.windows.size(); ++column) {
    const ResultCell* active = table.At(by_column[column], column);
    const ResultCell* first = table.At(table.triggers.front(), column);
    if (active == nullptr || !active->value || first == nullptr || !first->value) continue;
    if (!std::isfinite(*active->value) || !std::isfinite(*first->value)) continue;
    another = another || active != first;
    of_active.push_back(ValueOf(table, *active, column));
    of_first.push_back(ValueOf(table, *first, column));
  }
  const auto active = MeanOf(table, of_active);
  const auto first = MeanOf(table, of_first);
  if (!another || !active || !first) return std::nullopt;
  return Comparison{.active = *active, .first = *first};
}

std::string ShowValue(const ResultTable& table, double value) {
  if (table.share) return fmt::format("{:.1f} %", 100 * value);
  return fmt::format("{:.4g}{}{}", value, table.unit.empty() ? "" : " ", table.unit);
}

std::string Headline(const v1::GetRunResponse& run, const std::vector<ResultTable>& tables) {
  if (run.run().state() == v1::RUN_STATE_FAILED) return "The run failed: " + run.run().error();
  const std::string lost = MuchLost(run);
  return lost + (lost.empty() ? "" : " ") + Outcome(run, tables);
}

}  // namespace tidemill::cli
