#include "evaluator/outcomes/joined_series.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tidemill::evaluator {
namespace {

uint64_t LowestLimit(const OutcomeSeries& series) {
  uint64_t limit = OutcomeTable::kNoLimit;
  for (const SeriesWindow& window : series) limit = std::min(limit, window.key_limit);
  return limit;
}

struct Place {
  size_t window = 0;
  int64_t row = 0;
};

// Where each sample is, the first time that it occurs.
std::unordered_map<int64_t, Place> PlacesOf(const OutcomeSeries& series, uint64_t limit) {
  std::unordered_map<int64_t, Place> places;
  for (size_t window = 0; window < series.size(); ++window) {
    const std::span<const int64_t> keys = series[window].columns.keys();
    for (size_t row = 0; row < keys.size(); ++row) {
      if (!OutcomeTable::IsWithin(keys[row], limit)) continue;
      places.try_emplace(keys[row], Place{window, static_cast<int64_t>(row)});
    }
  }
  return places;
}

// Models may know different numbers of classes, and a measure may have failed in a window: what one
// lacks is of no use.
void DropWhatOneLacks(std::vector<batch::Batch>& batches) {
  for (size_t i = 0; i < batches.size(); ++i) {
    std::vector<std::string> lacking;
    for (const batch::Column& column : batches[i].columns()) {
      const bool all_have = std::ranges::all_of(batches, [&](const batch::Batch& other) {
        const batch::Column* const own = other.Find(column.name);
        return own != nullptr && own->type == column.type && own->shape == column.shape;
      });
      if (!all_have) lacking.push_back(column.name);
    }
    for (const std::string& name : lacking) batches[i].Drop(name);
  }
}

// Scores of one class mean nothing beside those of another number of classes.
void DropUnequalScores(std::vector<batch::Batch>& batches) {
  constexpr std::string_view kScore = "score:";
  const auto scores_of = [&](const batch::Batch& columns) {
    return std::ranges::count_if(columns.columns(), [&](const batch::Column& column) {
      return column.name.starts_with(kScore);
    });
  };
  if (batches.empty()) return;
  const auto number = scores_of(batches.front());
  if (std::ranges::all_of(batches, [&](const auto& one) { return scores_of(one) == number; })) {
    return;
  }
  for (batch::Batch& columns : batches) {
    std::vector<std::string> names;
    for (const batch::Column& column : columns.columns()) {
      if (column.name.starts_with(kScore)) names.push_back(column.name);
    }
    for (const std::string& name : names) columns.Drop(name);
  }
}

// Concatenates the rows, in the order of time.
absl::StatusOr<OutcomeTable> TableOf(std::vector<batch::Batch> batches) {
  if (batches.empty()) return OutcomeTable(0);
  DropUnequalScores(batches);
  DropWhatOneLacks(batches);
  ASSIGN_OR_RETURN(const batch::Batch all, batch::Concatenate(batches));
  const std::span<const int64_t> keys = all.keys();
  const batch::Column* const times = all.Find(batch::kEventTimeColumn);
  const auto time_of = [&](int64_t row) {
    return times == nullptr ? 0 : times->Values<int64_t>()[static_cast<size_t>(row)];
  };
  std::vector<int64_t> rows(keys.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::ranges::sort(rows, {}, [&](int64_t row) {
    return std::pair(time_of(row), keys[static_cast<size_t>(row)]);
  });
  return OutcomeTable::FromBatch(all.Take(rows));
}

absl::Status CheckColumns(const OutcomeSeries& series) {
  for (const SeriesWindow& window : series) {
    RETURN_IF_ERROR(window.columns.Get(batch::kKeyColumn, batch::DataType::kInt64).status());
    const batch::Column* const times = window.columns.Find(batch::kEventTimeColumn);
    if (times != nullptr && times->type != batch::DataType::kInt64) {
      return DataLoss("the times of kept outcomes have another type");
    }
  }
  return absl::OkStatus();
}

}  // namespace

PairedOutcomes JoinedSeries::Part::pair() const {
  return {.one = one.outcomes(),
          .other = other.outcomes(),
          .samples = {.keys = one.keys(), .times = one.times()},
          .windows = windows};
}

absl::StatusOr<JoinedSeries::Part> JoinedSeries::PartOf(std::vector<batch::Batch> one,
                                                        std::vector<batch::Batch> other) {
  Part part;
  for (const batch::Batch& rows : one) part.num_samples += rows.num_rows();
  ASSIGN_OR_RETURN(part.one, TableOf(std::move(one)));
  ASSIGN_OR_RETURN(part.other, TableOf(std::move(other)));
  return part;
}

absl::StatusOr<JoinedSeries> JoinedSeries::Join(const OutcomeSeries& one,
                                                const OutcomeSeries& other) {
  RETURN_IF_ERROR(CheckColumns(one));
  RETURN_IF_ERROR(CheckColumns(other));
  const uint64_t limit = std::min(LowestLimit(one), LowestLimit(other));
  const auto of_one = PlacesOf(one, limit);
  const auto of_other = PlacesOf(other, limit);
  using Rows = std::pair<std::vector<int64_t>, std::vector<int64_t>>;
  std::map<std::pair<size_t, size_t>, Rows> by_windows;
  for (size_t window = 0; window < one.size(); ++window) {
    const std::span<const int64_t> keys = one[window].columns.keys();
    for (size_t row = 0; row < keys.size(); ++row) {
      const auto own = of_one.find(keys[row]);
      const auto found = of_other.find(keys[row]);
      if (own == of_one.end() || found == of_other.end()) continue;
      if (own->second.window != window) continue;
      Rows& rows = by_windows[{window, found->second.window}];
      rows.first.push_back(static_cast<int64_t>(row));
      rows.second.push_back(found->second.row);
    }
  }
  JoinedSeries joined;
  std::vector<batch::Batch> all_of_one;
  std::vector<batch::Batch> all_of_other;
  std::unordered_map<int64_t, int32_t> window_of;
  for (const auto& [windows, rows] : by_windows) {
    all_of_one.push_back(one[windows.first].columns.Take(rows.first));
    all_of_other.push_back(other[windows.second].columns.Take(rows.second));
    const auto number = static_cast<int32_t>(joined.parts_.size());
    for (const int64_t key : all_of_one.back().keys()) window_of[key] = number;
    ASSIGN_OR_RETURN(Part part, PartOf({all_of_one.back()}, {all_of_other.back()}));
    joined.parts_.push_back(std::move(part));
  }
  ASSIGN_OR_RETURN(joined.all_, PartOf(std::move(all_of_one), std::move(all_of_other)));
  for (const int64_t key : joined.all_.one.keys()) {
    joined.all_.windows.push_back(window_of.at(key));
  }
  if (limit != OutcomeTable::kNoLimit) joined.share_ = std::ldexp(static_cast<double>(limit), -64);
  return joined;
}

std::optional<PairedDifference> JoinedSeries::DifferenceOf(const Measure& measure, int replicates,
                                                           int64_t seed) const {
  std::vector<PairedOutcomes> windows;
  if (measure.Pooling() == Pooling::kMeanOverWindows) {
    for (const Part& part : parts_) windows.push_back(part.pair());
  } else {
    windows.push_back(all_.pair());
  }
  std::erase_if(windows, [&](const PairedOutcomes& window) {
    return !HasWhatItNeeds(measure, window.one) || !HasWhatItNeeds(measure, window.other);
  });
  return evaluator::DifferenceOf(measure, windows, replicates, seed);
}

absl::StatusOr<OutcomeTable> TableOf(const OutcomeSeries& series) {
  RETURN_IF_ERROR(CheckColumns(series));
  const uint64_t limit = LowestLimit(series);
  const auto places = PlacesOf(series, limit);
  std::vector<batch::Batch> batches;
  for (size_t window = 0; window < series.size(); ++window) {
    const std::span<const int64_t> keys = series[window].columns.keys();
    std::vector<int64_t> rows;
    for (size_t row = 0; row < keys.size(); ++row) {
      const auto place = places.find(keys[row]);
      if (place != places.end() && place->second.window == window) {
        rows.push_back(static_cast<int64_t>(row));
      }
    }
    if (!rows.empty()) batches.push_back(series[window].columns.Take(rows));
  }
  return TableOf(std::move(batches));
}

}  // namespace tidemill::evaluator
