#include "supervisor/statistics/two_samples/binned.h"

#include <algorithm>
#include <cmath>

#include "supervisor/statistics/two_samples/merged.h"

namespace tidemill::supervisor::statistics {

std::vector<double> QuantileEdges(std::span<const double> reference, int64_t num_bins) {
  std::vector<double> sorted(reference.begin(), reference.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> edges;
  for (int64_t bin = 1; bin < num_bins; ++bin) {
    const size_t at = static_cast<size_t>(bin) * sorted.size() / static_cast<size_t>(num_bins);
    const double edge = sorted[at];
    // An edge at the least value would leave nothing of the reference below it.
    if (edge > sorted.front() && (edges.empty() || edge > edges.back())) edges.push_back(edge);
  }
  return edges;
}

std::vector<int64_t> CountIn(std::span<const double> edges, std::span<const double> values) {
  std::vector<int64_t> counts(edges.size() + 1, 0);
  for (const double value : values) {
    ++counts[static_cast<size_t>(std::upper_bound(edges.begin(), edges.end(), value) -
                                 edges.begin())];
  }
  return counts;
}

ClassCounts CountClasses(std::span<const double> reference, std::span<const double> current) {
  ClassCounts counts;
  int64_t i = 0, j = 0;
  VisitMerged(reference, current, [&](const MergedValue& value) {
    counts.reference.push_back(value.num_reference - i);
    counts.current.push_back(value.num_current - j);
    i = value.num_reference;
    j = value.num_current;
  });
  return counts;
}

std::vector<double> Shares(std::span<const int64_t> counts, double instead_of_zero) {
  double all = 0;
  for (const int64_t count : counts) all += static_cast<double>(count);
  std::vector<double> shares;
  for (const int64_t count : counts) {
    shares.push_back(count == 0 ? instead_of_zero : static_cast<double>(count) / all);
  }
  return shares;
}

double KullbackLeibler(std::span<const double> p, std::span<const double> q) {
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    if (p[i] > 0) sum += p[i] * std::log(p[i] / q[i]);
  }
  return sum;
}

double JensenShannonDistance(std::span<const double> p, std::span<const double> q) {
  std::vector<double> middle;
  for (size_t i = 0; i < p.size(); ++i) middle.push_back((p[i] + q[i]) / 2);
  const double divergence = (KullbackLeibler(p, middle) + KullbackLeibler(q, middle)) / 2;
  return std::sqrt(std::max(divergence, 0.0));
}

double HellingerDistance(std::span<const double> p, std::span<const double> q) {
  double overlap = 0;
  for (size_t i = 0; i < p.size(); ++i) overlap += std::sqrt(p[i] * q[i]);
  return std::sqrt(std::max(1 - overlap, 0.0));
}

double PopulationStability(std::span<const double> p, std::span<const double> q) {
  return KullbackLeibler(p, q) + KullbackLeibler(q, p);
}

}  // namespace tidemill::supervisor::statistics
