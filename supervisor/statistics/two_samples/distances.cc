#include "supervisor/statistics/two_samples/distances.h"

#include <algorithm>
#include <cmath>

#include "supervisor/statistics/two_samples/merged.h"

namespace tidemill::supervisor::statistics {
namespace {

// The integral of of(F_reference - F_current) over the column's unit.
template <typename Of>
double Integrate(std::span<const double> reference, std::span<const double> current, Of of) {
  double integral = 0;
  VisitMerged(reference, current, [&](const MergedValue& value) {
    const double difference =
        static_cast<double>(value.num_reference) / static_cast<double>(reference.size()) -
        static_cast<double>(value.num_current) / static_cast<double>(current.size());
    integral += of(difference) * (value.next - value.value);
  });
  return integral;
}

double StandardDeviation(std::span<const double> values) {
  double mean = 0, squares = 0;
  for (const double value : values) mean += value;
  mean /= static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

double WassersteinDistance(std::span<const double> reference, std::span<const double> current) {
  return Integrate(reference, current, [](double difference) { return std::abs(difference); });
}

double NormedWassersteinDistance(std::span<const double> reference,
                                 std::span<const double> current) {
  return WassersteinDistance(reference, current) / std::max(StandardDeviation(reference), 1e-3);
}

double EnergyDistance(std::span<const double> reference, std::span<const double> current) {
  return std::sqrt(
      2 * Integrate(reference, current, [](double difference) { return difference * difference; }));
}

}  // namespace tidemill::supervisor::statistics
