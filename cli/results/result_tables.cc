#include "cli/results/result_tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "fmt/format.h"

#include "cli/results/ledger.h"
#include "cli/results/run_measures.h"
#include "cli/terminal/text.h"
#include "results/known_measures.h"
#include "results/pooling.h"
#include "results/sample_mean.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using results::Measured;
using results::Row;
using results::Rows;

size_t ColumnOf(const ResultTable& table, const results::Window& wanted) {
  const auto at = std::ranges::lower_bound(
      table.windows, wanted, {},
      [](const ResultWindow& window) { return results::Window(window.from, window.to); });
  return static_cast<size_t>(at - table.windows.begin());
}

// The windows of a dataset, with the samples of a measure in each.
using Windows = std::map<results::Window, int64_t>;

ResultTable TableOf(const Measured& measured, const Rows& cells, const Windows& windows) {
  ResultTable table{
      .evaluation = measured.evaluation, .dataset = measured.dataset, .measure = measured.measure};
  std::set<int64_t> triggers;
  Windows samples = windows;
  for (const Row* row : cells) {
    triggers.insert(row->trigger());
    int64_t& most = samples[results::WindowOf(*row)];
    most = std::max(most, row->num_samples());
  }
  table.triggers.assign(triggers.begin(), triggers.end());
  for (const auto& [window, num_samples] : samples) {
    table.windows.push_back(
        {.from = window.first, .to = window.second, .num_samples = num_samples});
  }
  table.cells.resize(table.triggers.size());
  table.active.resize(table.windows.size());
  table.trained.resize(table.windows.size());
  for (const Row* row : cells) {
    const auto line = std::ranges::lower_bound(table.triggers, row->trigger());
    const size_t column = ColumnOf(table, results::WindowOf(*row));
    table.cells[static_cast<size_t>(line - table.triggers.begin())][column] = row;
    if (row->active()) table.active[column] = row->trigger();
    if (row->trained()) table.trained[column] = row->trigger();
  }
  return table;
}

void Complete(const v1::GetRunResponse& run, ResultTable& table) {
  table.of_pipeline = PluginMeasureOf(run, table.evaluation, table.measure);
  table.lower_is_better = results::LowerIsBetter(table.measure);
  if (table.of_pipeline != nullptr) {
    table.lower_is_better = table.of_pipeline->LowerIsBetter();
    table.unit = table.of_pipeline->Unit();
  }
  table.share = results::IsShare(table.measure);
  table.active_interval =
      results::SampleMean(SeriesOf(table, table.active), table.of_pipeline).Interval();
  table.baselines = BaselinesOf(run, table.measured());
  for (const OutcomeDifference& difference : run.outcomes().differences()) {
    if (difference.evaluation() == table.evaluation && difference.measure() == table.measure) {
      table.differences.push_back(difference);
    }
  }
}

std::optional<ResultMean> MeanOf(const ResultTable& table, const Rows& rows) {
  const auto pooled = results::Pool(table.measure, rows, table.of_pipeline.get());
  if (!pooled) return std::nullopt;
  return ResultMean{.value = pooled->value,
                    .num_samples = pooled->num_samples,
                    .how = std::string(results::Describe(pooled->how))};
}

// The mean over columns of the model of `by_column`'s trigger in each.
std::optional<ResultMean> MeanOf(const ResultTable& table, const std::vector<int64_t>& by_column) {
  return MeanOf(table, SeriesOf(table, by_column));
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

const Row* ResultTable::At(int64_t trigger, size_t column) const {
  const auto row = std::lower_bound(triggers.begin(), triggers.end(), trigger);
  if (row == triggers.end() || *row != trigger) return nullptr;
  const auto& measured = cells[static_cast<size_t>(row - triggers.begin())];
  const auto cell = measured.find(column);
  return cell == measured.end() ? nullptr : cell->second;
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
  const Rows all = results::Select(run.results(), results::IsOfModel);
  std::map<std::pair<int32_t, std::string>, Windows> windows;
  std::map<Measured, Rows> cells;
  for (const Row* row : all) {
    windows[{row->evaluation(), row->dataset_name()}].emplace(results::WindowOf(*row), 0);
    if (results::IsCell(*row)) cells[results::MeasuredOf(*row)].push_back(row);
  }
  std::vector<ResultTable> tables;
  for (const Measured& measured : results::AllMeasured(all)) {
    tables.push_back(
        TableOf(measured, cells[measured], windows[{measured.evaluation, measured.dataset}]));
    Complete(run, tables.back());
  }
  return tables;
}

std::set<std::string> FailuresOf(const v1::GetRunResponse& run) {
  std::set<std::string> failures;
  for (const Row& row : run.results()) {
    if (results::IsOfModel(row) && !row.failure().empty()) failures.insert(row.failure());
  }
  return failures;
}

Rows SeriesOf(const ResultTable& table, const std::vector<int64_t>& by_column) {
  Rows rows;
  for (size_t column = 0; column < table.windows.size(); ++column) {
    const Row* const cell = table.At(by_column[column], column);
    if (cell != nullptr) rows.push_back(cell);
  }
  return rows;
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
  Rows of_active;
  Rows of_first;
  bool another = false;
  for (size_t column = 0; column < table.windows.size(); ++column) {
    const Row* const active = table.At(by_column[column], column);
    const Row* const first = table.At(table.triggers.front(), column);
    if (active == nullptr || !active->has_value() || first == nullptr || !first->has_value()) {
      continue;
    }
    if (!std::isfinite(active->value()) || !std::isfinite(first->value())) continue;
    another = another || active != first;
    of_active.push_back(active);
    of_first.push_back(first);
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
