#include "cli/results/slices_table.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "fmt/format.h"

#include "cli/results/run_measures.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

using results::Row;
using supervisor::v1::GetRunResponse;

// The largest slices of each measure come first.
void AddLines(const SlicedMeasure& sliced, Table& table) {
  std::vector<const std::pair<const std::string, results::SampleMean>*> lines;
  for (const auto& line : sliced.slices) lines.push_back(&line);
  std::ranges::stable_sort(lines, std::greater<>(),
                           [](const auto* line) { return line->second.num_samples(); });
  for (const auto* line : lines) {
    const auto& [slice, mean] = *line;
    table.Add({sliced.of.measure, Printable(slice), WithThousands(mean.num_samples()),
               mean.ToString(), std::string(mean.How())});
  }
}

}  // namespace

std::vector<SlicedMeasure> SlicedMeasures(const GetRunResponse& run) {
  std::vector<SlicedMeasure> all;
  for (const Row* row : results::InUse(run.results())) {
    if (results::IsWhole(*row)) continue;
    auto at = std::ranges::find_if(
        all, [&](const SlicedMeasure& sliced) { return sliced.of.Holds(*row); });
    if (at == all.end()) {
      all.push_back({.of = results::MeasuredOf(*row),
                     .of_pipeline = PluginMeasureOf(run, row->evaluation(), row->measure())});
      at = all.end() - 1;
    }
    at->slices.try_emplace(row->slice(), at->of_pipeline).first->second.Add(*row);
  }
  std::ranges::stable_sort(all, {},
                           [](const SlicedMeasure& sliced) { return sliced.of.evaluation; });
  return all;
}

std::string DrawSlices(const GetRunResponse& run) {
  std::string text;
  const std::vector<SlicedMeasure> all = SlicedMeasures(run);
  for (auto first = all.begin(); first != all.end();) {
    Table table({"MEASURE", "SLICE", "SAMPLES", "VALUE", "IS"});
    auto next = first;
    for (; next != all.end() && next->of.evaluation == first->of.evaluation; ++next) {
      AddLines(*next, table);
    }
    text += fmt::format("{}slices of {} (evaluation {}), the active models\n{}",
                        text.empty() ? "" : "\n", Printable(first->of.dataset),
                        first->of.evaluation + 1, table.ToString());
    first = next;
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
