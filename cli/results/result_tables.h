// The evaluations of a run as matrices: one row per model, one column per window of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "cli/results/baselines.h"
#include "cli/results/run_measures.h"
#include "cli/results/worth.h"
#include "results/rows.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

struct ResultWindow {
  Cut from;
  Cut to;
  int64_t num_samples = 0;
};

// One value for several windows, from results::Pool().
struct ResultMean {
  double value = 0;
  int64_t num_samples = 0;
  // "per sample", "pooled" or "mean over windows".
  std::string how = {};
};

// One measure of one evaluation on one dataset. Its cells are views of the run, which must outlive
// it.
struct ResultTable {
  int32_t evaluation = 0;
  std::string dataset;
  std::string measure;
  bool lower_is_better = false;
  // The measure where it is a plug-in, from PluginMeasureOf(); else nullptr.
  std::shared_ptr<const evaluator::Measure> of_pipeline = nullptr;
  // Such as "EUR"; empty for most measures.
  std::string unit = {};
  // Whether values are shares of one, which people read in percent.
  bool share = false;
  std::vector<int64_t> triggers = {};      // The triggers of the rows, ascending.
  std::vector<ResultWindow> windows = {};  // The windows of the columns, ascending.
  // For each row, the measured cells by column. A long run measures few of all cells.
  std::vector<std::map<size_t, const results::Row*>> cells = {};
  // For each column: the trigger whose model was in use in the window, and the trigger whose model
  // was trained on it; 0 for none.
  std::vector<int64_t> active = {};
  std::vector<int64_t> trained = {};
  // The interval of the mean of the models in use, if every window has one.
  std::optional<std::pair<double, double>> active_interval = std::nullopt;
  std::vector<Baseline> baselines = {};
  // What the models in use gain over others; see differences.h.
  std::vector<OutcomeDifference> differences = {};

  results::Measured measured() const { return {evaluation, dataset, measure}; }
  MeasureStyle style() const;
  // nullptr when there is none.
  const OutcomeDifference* DifferenceThan(std::string_view than) const;

  // Returns nullptr when that model was not measured on that window.
  const results::Row* At(int64_t trigger, size_t column) const;
};

// Returns the tables in the order of the evaluations. Slices of windows are left out. The windows
// of a dataset have one number each, whether a measure has a value for them or not.
std::vector<ResultTable> ResultTables(const supervisor::v1::GetRunResponse& run);

// Returns why values of models are missing, each reason once.
std::set<std::string> FailuresOf(const supervisor::v1::GetRunResponse& run);

// Returns the cells of these triggers' models, one for each column: of the models in use, for
// `table.active`. A column without such a cell is left out.
results::Rows SeriesOf(const ResultTable& table, const std::vector<int64_t>& by_column);

// Returns the value of the models in use; std::nullopt when no window has a value.
std::optional<ResultMean> ActiveMean(const ResultTable& table);

// Returns the value of the last model on all windows, for evaluations that are not divided by time.
std::optional<ResultMean> LastMean(const ResultTable& table);

// The gain of retraining: the models in use against the first model, on all windows on which both
// were measured. If no model was ever in use in an evaluation, the last model is compared.
struct Comparison {
  ResultMean active;
  ResultMean first;
};
// Returns std::nullopt when there is no window with another model than the first to compare.
std::optional<Comparison> CompareWithFirst(const ResultTable& table);

// Returns "77.6 %" for a share, else four digits.
std::string ShowValue(const ResultTable& table, double value);

// Returns the main result in a sentence or two, for the run's first measure.
std::string Headline(const supervisor::v1::GetRunResponse& run,
                     const std::vector<ResultTable>& tables);

}  // namespace tidemill::cli
