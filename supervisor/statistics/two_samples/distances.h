// Distances of two columns, in the unit of the column or its root. They say how far the columns are
// apart, not how certain that is.
#pragma once

#include <span>

namespace tidemill::supervisor::statistics {

// The integral of |F_reference - F_current|: how far values would have to be moved, on average
// (Ramdas, Garcia Trillos and Cuturi, "On Wasserstein two-sample testing", 2017). In the unit of
// the column. O((n + m) log(n + m)).
double WassersteinDistance(std::span<const double> reference, std::span<const double> current);

// The same distance in standard deviations of the reference, so that columns of different units can
// be compared. It is the population's deviation, and at least 0.001.
double NormedWassersteinDistance(std::span<const double> reference,
                                 std::span<const double> current);

// sqrt(2 integral (F_reference - F_current)^2), which equals sqrt(2 E|X - Y| - E|X - X'| - E|Y -
// Y'|) (Szekely and Rizzo, "Energy statistics", 2013, theorem 1 and equation 5). In the root of the
// column's unit. O((n + m) log(n + m)).
double EnergyDistance(std::span<const double> reference, std::span<const double> current);

}  // namespace tidemill::supervisor::statistics
