#include "evaluator/reading/window_overlap.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace tidemill::evaluator {

double OverlapOf(std::span<const v1::JobWindow> windows) {
  double first = std::numeric_limits<double>::max();
  double last = std::numeric_limits<double>::lowest();
  for (const v1::JobWindow& of : windows) {
    for (const auto* bound : {&of.window().from(), &of.window().to()}) {
      const bool has = bound == &of.window().from() ? of.window().has_from() : of.window().has_to();
      if (!has) continue;
      first = std::min(first, static_cast<double>(bound->event_time()));
      last = std::max(last, static_cast<double>(bound->event_time()));
    }
  }
  if (first >= last) return std::max<double>(0, static_cast<double>(windows.size()) - 1);
  std::vector<std::pair<double, double>> parts;
  double total = 0;
  for (const v1::JobWindow& of : windows) {
    const v1::Window& window = of.window();
    parts.emplace_back(window.has_from() ? static_cast<double>(window.from().event_time()) : first,
                       window.has_to() ? static_cast<double>(window.to().event_time()) : last);
    total += std::max(0.0, parts.back().second - parts.back().first);
  }
  std::ranges::sort(parts);
  double covered = 0;
  double end = first;
  for (const auto& [from, to] : parts) {
    covered += std::max(0.0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return covered > 0 ? std::max(0.0, total / covered - 1) : 0;
}

}  // namespace tidemill::evaluator
