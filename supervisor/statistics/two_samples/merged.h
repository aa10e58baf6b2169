// Visits two columns in one ascending order. Every statistic on distribution functions is computed
// this way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tidemill::supervisor::statistics {

// One of the distinct values of two columns.
struct MergedValue {
  double value;
  double next;            // The next greater one; the last one has itself.
  int64_t num_reference;  // The number of values of the reference that are at most `value`.
  int64_t num_current;
};

// Calls visit(MergedValue) for each distinct value, ascending. Sorts copies of columns that are not
// ascending: O((n + m) log(n + m)) time, or O(n + m).
template <typename Visit>
void VisitMerged(std::span<const double> reference, std::span<const double> current, Visit visit) {
  std::vector<double> x(reference.begin(), reference.end());
  std::vector<double> y(current.begin(), current.end());
  if (!std::is_sorted(x.begin(), x.end())) std::sort(x.begin(), x.end());
  if (!std::is_sorted(y.begin(), y.end())) std::sort(y.begin(), y.end());
  size_t i = 0, j = 0;
  while (i < x.size() || j < y.size()) {
    const double value = j == y.size() || (i < x.size() && x[i] <= y[j]) ? x[i] : y[j];
    while (i < x.size() && x[i] == value) ++i;
    while (j < y.size() && y[j] == value) ++j;
    double next = value;
    if (i < x.size()) next = x[i];
    if (j < y.size()) next = i < x.size() ? std::min(next, y[j]) : y[j];
    visit(MergedValue{value, next, static_cast<int64_t>(i), static_cast<int64_t>(j)});
  }
}

}  // namespace tidemill::supervisor::statistics
