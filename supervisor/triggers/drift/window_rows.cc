#include "supervisor/triggers/drift/window_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fmt/format.h"

#include "supervisor/statistics/contingency.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"

namespace tidemill::supervisor {
namespace {

// The most samples of a window that have one and the same value.
int64_t MostValues(const WindowRows& window) {
  if (window.num_values.empty()) return 0;
  return std::min(window.num_rows,
                  *std::max_element(window.num_values.begin(), window.num_values.end()));
}

// How often a column has a value, by the name of the number that says so.
std::string ValuesName(bool of_current, size_t column) {
  return fmt::format("values_{}[{}]", of_current ? "since" : "before", column);
}

// A column that some samples lack, if it is much rarer or much less rare now.
struct Gap {
  std::string column;
  double before = 0;  // Samples with a value.
  double since = 0;
  bool is_compared = true;
  double change = 0;  // The change of the share of samples without one.
};

std::vector<Gap> GapsOf(const std::vector<std::string>& columns, const Observed& seen) {
  std::vector<Gap> gaps;
  const double num_before = ValueOf(seen, number::kReferenceSamples);
  const double num_since = ValueOf(seen, number::kCurrentSamples);
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string before = ValuesName(false, i), since = ValuesName(true, i);
    if (!seen.contains(before)) continue;
    Gap gap = {.column = columns[i],
               .before = ValueOf(seen, NumberName(before)),
               .since = ValueOf(seen, NumberName(since))};
    gap.is_compared = gap.before >= LeastRows(seen, Side::kReference) &&
                      gap.since >= LeastRows(seen, Side::kCurrent);
    gap.change = std::abs(gap.before / num_before - gap.since / num_since);
    gaps.push_back(std::move(gap));
  }
  std::stable_sort(gaps.begin(), gaps.end(), [](const Gap& left, const Gap& right) {
    return std::pair(left.is_compared, -left.change) < std::pair(right.is_compared, -right.change);
  });
  return gaps;
}

// How many samples lack the column, before and since, and whether chance alone would do that.
std::string ExplainGap(const Gap& gap, const Observed& seen) {
  const double num_before = ValueOf(seen, number::kReferenceSamples);
  const double num_since = ValueOf(seen, number::kCurrentSamples);
  const auto lacking = [](double all, double values) {
    return fmt::format("{} of {}", Figure(all - values), Figure(all));
  };
  std::string text = fmt::format("`{}` is missing in {} since and {} before", gap.column,
                                 lacking(num_since, gap.since), lacking(num_before, gap.before));
  const double p = statistics::FisherExactP(
      static_cast<int64_t>(gap.before), static_cast<int64_t>(num_before - gap.before),
      static_cast<int64_t>(gap.since), static_cast<int64_t>(num_since - gap.since));
  if (p < 0.01) text += fmt::format(" (by chance with p {:.2g})", p);
  if (!gap.is_compared) text += ", too many to compare it";
  return text;
}

}  // namespace

statistics::Rows RowsOf(const EvidenceTable& table) {
  return {.values = table.values, .num_columns = table.width};
}

WindowRows::WindowRows(const EvidenceTable& table, bool by_column)
    : num_samples(table.num_rows + table.num_missing), num_rows(table.num_rows) {
  if (table.num_rows == 0) return;
  num_values = statistics::CountValues(RowsOf(table));
  if (by_column) return;
  const std::vector<double> complete = statistics::CompleteRows(RowsOf(table));
  num_rows = static_cast<int64_t>(complete.size()) / table.width;
}

void ObserveRows(const WindowRows& reference, const WindowRows& current, Observed& observed) {
  observed[number::kReferenceRows] = static_cast<double>(MostValues(reference));
  observed[number::kCurrentRows] = static_cast<double>(MostValues(current));
  observed[number::kReferenceSamples] = static_cast<double>(reference.num_samples);
  observed[number::kCurrentSamples] = static_cast<double>(current.num_samples);
  observed[number::kMissing] = static_cast<double>(reference.num_samples - reference.num_rows +
                                                   current.num_samples - current.num_rows);
  if (reference.num_values.size() != current.num_values.size()) return;
  for (size_t i = 0; i < reference.num_values.size(); ++i) {
    if (reference.num_values[i] == reference.num_samples &&
        current.num_values[i] == current.num_samples) {
      continue;
    }
    observed[ValuesName(false, i)] = static_cast<double>(reference.num_values[i]);
    observed[ValuesName(true, i)] = static_cast<double>(current.num_values[i]);
  }
}

// Observes the column that drifted most.
void ObserveColumn(const statistics::DriftScore& score, const WindowRows& reference,
                   const WindowRows& current, Observed& observed) {
  size_t most = 0;
  for (size_t i = 0; i < score.columns.size(); ++i) {
    if (score.columns[i] == score.score) most = i;
  }
  observed[number::kColumn] = static_cast<double>(most);
  observed[number::kReferenceRows] = static_cast<double>(reference.num_values[most]);
  observed[number::kCurrentRows] = static_cast<double>(current.num_values[most]);
}

double LeastRows(const Observed& observed, Side side) {
  const double samples = ValueOf(
      observed, side == Side::kReference ? number::kReferenceSamples : number::kCurrentSamples);
  return static_cast<double>(statistics::LeastToCompare(static_cast<int64_t>(samples)));
}

bool CanBeCompared(const Observed& observed) {
  return ValueOf(observed, number::kReferenceRows) >= LeastRows(observed, Side::kReference) &&
         ValueOf(observed, number::kCurrentRows) >= LeastRows(observed, Side::kCurrent);
}

std::string ExplainMissing(const std::vector<std::string>& columns, const Observed& seen) {
  constexpr size_t kMaxGaps = 3;
  std::string text;
  if (const double missing = ValueOf(seen, number::kMissing); missing > 0) {
    text += fmt::format(
        "; {} of {} lack what is compared and were left out", Figure(missing),
        Counted(ValueOf(seen, number::kReferenceSamples) + ValueOf(seen, number::kCurrentSamples),
                "sample"));
  }
  const std::vector<Gap> gaps = GapsOf(columns, seen);
  for (size_t i = 0; i < std::min(gaps.size(), kMaxGaps); ++i) {
    text += "; " + ExplainGap(gaps[i], seen);
  }
  if (gaps.size() > kMaxGaps) {
    text += fmt::format("; {} have missing values, too",
                        Counted(static_cast<double>(gaps.size() - kMaxGaps), "more column"));
  }
  return text;
}

}  // namespace tidemill::supervisor
