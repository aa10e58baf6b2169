#include "cli/results/slices_table.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "cli/results/run_measures.h"
#include "cli/results/sample_mean.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

using supervisor::v1::EvaluationValue;
using supervisor::v1::GetRunResponse;

using WindowPlace = std::tuple<int64_t, int64_t, int64_t, int64_t>;

template <typename Value>
WindowPlace PlaceOf(const Value& value) {
  return {value.from().event_time(), value.from().sample_key(), value.to().event_time(),
          value.to().sample_key()};
}

// The (evaluation, trigger, window) in which models were active.
using Active = std::set<std::tuple<int32_t, int64_t, WindowPlace>>;

struct Row {
  std::string measure;
  std::string slice;
  SampleMean mean = SampleMean();
};

// The rows of an evaluation, in the order of measures.
std::vector<Row> RowsOf(const GetRunResponse& run, int32_t evaluation, const Active& active) {
  const bool followed = std::any_of(active.begin(), active.end(), [&](const auto& member) {
    return std::get<int32_t>(member) == evaluation;
  });
  int64_t last = 0;
  for (const EvaluationValue& value : run.evaluations()) {
    if (value.evaluation() == evaluation) last = std::max(last, value.trigger());
  }
  std::vector<Row> rows;
  std::map<std::pair<std::string, std::string>, size_t> places;
  std::map<std::string, std::optional<std::shared_ptr<const evaluator::Measure>>> measures;
  for (const EvaluationValue& value : run.evaluations()) {
    if (value.evaluation() != evaluation || value.slice().empty()) continue;
    const bool counts = followed ? active.contains({evaluation, value.trigger(), PlaceOf(value)})
                                 : value.trigger() == last;
    if (!counts) continue;
    const auto [place, is_new] = places.try_emplace({value.measure(), value.slice()}, rows.size());
    if (is_new) {
      auto& of_pipeline = measures[value.measure()];
      if (!of_pipeline) of_pipeline = PluginMeasureOf(run, evaluation, value.measure());
      rows.push_back(
          {.measure = value.measure(), .slice = value.slice(), .mean = SampleMean(*of_pipeline)});
    }
    rows[place->second].mean.Add(value);
  }
  return rows;
}

std::string SortedTable(std::vector<Row> rows) {
  std::map<std::string, size_t> order;  // The order of measures.
  for (const Row& row : rows) order.try_emplace(row.measure, order.size());
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    const size_t first = order.at(a.measure);
    const size_t second = order.at(b.measure);
    return first != second ? first < second : a.mean.num_samples() > b.mean.num_samples();
  });
  Table table({"MEASURE", "SLICE", "SAMPLES", "VALUE", "IS"});
  for (const Row& row : rows) {
    table.Add({row.measure, Printable(row.slice), WithThousands(row.mean.num_samples()),
               row.mean.ToString(), std::string(row.mean.How())});
  }
  return table.ToString();
}

}  // namespace

std::string DrawSlices(const GetRunResponse& run) {
  Active active;
  for (const auto& value : run.active()) {
    active.insert({value.evaluation(), value.trigger(), PlaceOf(value)});
  }
  std::map<int32_t, std::string> datasets;
  for (const EvaluationValue& value : run.evaluations()) {
    if (!value.slice().empty()) datasets[value.evaluation()] = value.dataset();
  }
  std::string text;
  for (const auto& [evaluation, dataset] : datasets) {
    if (!text.empty()) text += '\n';
    text += fmt::format("slices of {} (evaluation {}), the active models\n", Printable(dataset),
                        evaluation + 1);
    text += SortedTable(RowsOf(run, evaluation, active));
  }
  return text;
}

std::string DescribeBeyondLimits(const GetRunResponse& run) {
  std::string text;
  if (run.num_slice_values_left_out() > 0) {
    text += fmt::format(
        "{} values of slices are beyond the limit of a run and not shown, so that slices may lack "
        "windows. Write `models: active`, longer windows or fewer `slices`.\n",
        WithThousands(run.num_slice_values_left_out()));
  }
  if (run.num_details_left_out() > 0) {
    text += fmt::format("{} details, such as confusion matrices, are beyond the limit of a run.\n",
                        WithThousands(run.num_details_left_out()));
  }
  return text;
}

}  // namespace tidemill::cli
