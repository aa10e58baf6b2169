// The evaluations of a run as matrices: one row a model, one column a window of time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "cli/results/baselines.h"
#include "cli/results/measure_kinds.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// A place in the stream, as others send it.
Cut ToCut(const rpc::v1::Cut& cut);

struct ResultCell {
  std::optional<double> value = std::nullopt;
  // The bounds of its interval, where there is one.
  std::optional<double> low = std::nullopt;
  std::optional<double> high = std::nullopt;
  // As in EvaluationValue.
  std::string sums = {};
};

struct ResultWindow {
  Cut from;
  Cut to;
  int64_t num_samples = 0;
};

// One value of several windows, as evaluator::Pool() makes it.
struct ResultMean {
  double value = 0;
  int64_t num_samples = 0;
  // "per sample", "pooled" or "mean over windows".
  std::string how = {};
};

// One measure of one evaluation on one dataset.
struct ResultTable {
  int32_t evaluation = 0;
  std::string dataset;
  std::string measure;
  bool lower_is_better = false;
  // Whether values are shares of one, which people read in percent.
  bool share = false;
  std::vector<int64_t> triggers = {};      // Of the rows, ascending.
  std::vector<ResultWindow> windows = {};  // Of the columns, ascending.
  // cells[row][column].
  std::vector<std::vector<ResultCell>> cells = {};
  // By column: the trigger whose model was in use in the window, and the one whose model was
  // trained on it; 0 for none.
  std::vector<int64_t> active = {};
  std::vector<int64_t> trained = {};
  // Around the mean of the models in use, where every window has one.
  std::optional<std::pair<double, double>> active_interval = std::nullopt;
  std::vector<Baseline> baselines = {};

  // Null where the table has no such row.
  const ResultCell* At(int64_t trigger, size_t column) const;
};

// In the order of the evaluations; slices of windows are left out.
std::vector<ResultTable> ResultTables(const supervisor::v1::GetRunResponse& run);

// What the models in use reached; std::nullopt when no window has a value.
std::optional<ResultMean> ActiveMean(const ResultTable& table);

// What the last model reached on all windows: for evaluations that are not cut by time.
std::optional<ResultMean> LastMean(const ResultTable& table);

// What retraining was worth: the models in use against the first model, on all windows on which
// both were measured. In an evaluation in which no model was ever in use, the last model stands for
// them.
struct Comparison {
  ResultMean active;
  ResultMean first;
};
// std::nullopt when there is no window in which another than the first stands against it.
std::optional<Comparison> CompareWithFirst(const ResultTable& table);

// "77.6 %" for a share, else four digits.
std::string ShowValue(const ResultTable& table, double value);

// The main result in a sentence or two, of the run's first measure.
std::string Headline(const supervisor::v1::GetRunResponse& run,
                     const std::vector<ResultTable>& tables);

}  // namespace tidemill::cli
