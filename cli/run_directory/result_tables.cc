#include "cli/run_directory/result_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "fmt/format.h"

#include "cli/sample_mean.h"
#include "cli/text.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using Span = std::pair<Cut, Cut>;

// What shrinks as a model gets better.
constexpr std::array<std::string_view, 8> kErrors = {
    "mae",   "rmse", "mse", "log_loss", "calibration_error", "expected_calibration_error",
    "brier", "loss"};

constexpr std::string_view kConfusionMatrix = "confusion_matrix";

Cut ToCut(const rpc::v1::Cut& cut) { return {{cut.event_time()}, {cut.sample_key()}}; }

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
  for (auto& row : table.cells) row.resize(table.windows.size());
  table.active.resize(table.windows.size());
  table.trained.resize(table.windows.size());
  return table;
}

template <typename Value>
auto KeyOf(const Value& value) {
  return std::tuple(value.evaluation(), value.dataset(), value.measure());
}

// Slices are for tables of their own, and a confusion matrix has no value.
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
}

void Complete(ResultTable& table) {
  table.lower_is_better = LowerIsBetter(table.measure);
  table.share = !table.lower_is_better && table.measure != "r2";
  for (const auto& row : table.cells) {
    for (const ResultCell& cell : row) {
      if (cell.value && (*cell.value < 0 || *cell.value > 1)) table.share = false;
    }
  }
}

void Add(double value, int64_t samples, double& sum, int64_t& total) {
  if (!std::isfinite(value)) return;
  sum += value * static_cast<double>(samples);
  total += samples;
}

std::optional<ResultMean> MeanOf(double sum, int64_t total) {
  if (total == 0) return std::nullopt;
  return ResultMean{.value = sum / static_cast<double>(total), .num_samples = total};
}

// Of the model of `by_column`'s trigger in each column.
std::optional<ResultMean> MeanOf(const ResultTable& table, const std::vector<int64_t>& by_column) {
  double sum = 0;
  int64_t total = 0;
  for (size_t column = 0; column < table.windows.size(); ++column) {
    const ResultCell* cell = table.At(by_column[column], column);
    if (cell != nullptr && cell->value) {
      Add(*cell->value, table.windows[column].num_samples, sum, total);
    }
  }
  return MeanOf(sum, total);
}

std::vector<int64_t> LastEverywhere(const ResultTable& table) {
  return std::vector<int64_t>(table.windows.size(), table.triggers.back());
}

std::string Gain(const ResultTable& table, const Comparison& comparison) {
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

// "accuracy 77.6 % [75.4 %, 79.7 %]".
std::string Reached(const ResultTable& table, const ResultMean& mean, bool in_use) {
  std::string value = table.measure + " " + ShowValue(table, mean.value);
  if (in_use && table.active_interval) {
    value += fmt::format(" [{}, {}]", ShowValue(table, table.active_interval->first),
                         ShowValue(table, table.active_interval->second));
  }
  const std::string samples = WithThousands(mean.num_samples);
  if (!in_use) {
    return fmt::format("The last model reached {} on {}, over {} samples.", value, table.dataset,
                       samples);
  }
  return fmt::format(
      "The models in use reached {} on {}, over {} samples that each of them met only after its "
      "training.",
      value, table.dataset, samples);
}

std::string Worth(const ResultTable& table) {
  const auto comparison = CompareWithFirst(table);
  if (!comparison) return "";
  const std::string gain = Gain(table, *comparison);
  return fmt::format(" The first model, never retrained, would have had {}{}.",
                     ShowValue(table, comparison->first.value), gain.empty() ? "" : ": " + gain);
}

}  // namespace

const ResultCell* ResultTable::At(int64_t trigger, size_t column) const {
  const auto row = std::lower_bound(triggers.begin(), triggers.end(), trigger);
  if (row == triggers.end() || *row != trigger) return nullptr;
  return &cells[static_cast<size_t>(row - triggers.begin())][column];
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
      if (column < table->second.windows.size()) (table->second.*which)[column] = value.trigger();
    }
  };
  mark(run.active(), &ResultTable::active);
  mark(run.trained(), &ResultTable::trained);
  for (auto& [key, table] : tables) {
    SampleMean mean;
    for (const v1::CompositeValue& value : run.active()) {
      if (KeyOf(value) == key) mean.Add(value);
    }
    table.active_interval = mean.Interval();
  }
  std::vector<ResultTable> ordered;
  for (const auto& key : order) {
    Complete(tables[key]);
    ordered.push_back(std::move(tables[key]));
  }
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
  double active_sum = 0;
  double first_sum = 0;
  int64_t active_total = 0;
  int64_t first_total = 0;
  bool another = false;
  if (table.triggers.empty()) return std::nullopt;
  const std::vector<int64_t> by_column = ActiveMean(table) ? table.active : LastEverywhere(table);
  for (size_t column = 0; column < table.windows.size(); ++column) {
    const ResultCell* active = table.At(by_column[column], column);
    const ResultCell* first = table.At(table.triggers.front(), column);
    if (active == nullptr || !active->value || first == nullptr || !first->value) continue;
    if (!std::isfinite(*active->value) || !std::isfinite(*first->value)) continue;
    another = another || active != first;
    Add(*active->value, table.windows[column].num_samples, active_sum, active_total);
    Add(*first->value, table.windows[column].num_samples, first_sum, first_total);
  }
  const auto active = MeanOf(active_sum, active_total);
  const auto first = MeanOf(first_sum, first_total);
  if (!another || !active || !first) return std::nullopt;
  return Comparison{.active = *active, .first = *first};
}

bool LowerIsBetter(std::string_view measure) {
  return std::find(kErrors.begin(), kErrors.end(), measure) != kErrors.end();
}

std::string ShowValue(const ResultTable& table, double value) {
  return table.share ? fmt::format("{:.1f} %", 100 * value) : fmt::format("{:.4g}", value);
}

std::string Headline(const v1::GetRunResponse& run, const std::vector<ResultTable>& tables) {
  if (run.run().state() == v1::RUN_STATE_FAILED) return "The run failed: " + run.run().error();
  // The first table in which models were in use, else the first that has a value.
  for (const bool in_use : {true, false}) {
    for (const ResultTable& table : tables) {
      const auto mean = in_use ? ActiveMean(table) : LastMean(table);
      if (mean) return Reached(table, *mean, in_use) + Worth(table);
    }
  }
  if (run.triggers().empty()) return "No trigger has fired yet.";
  return fmt::format("{} models were trained; nothing has been evaluated yet.",
                     run.triggers_size());
}

}  // namespace tidemill::cli
