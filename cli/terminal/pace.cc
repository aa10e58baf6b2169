#include "cli/terminal/pace.h"

#include <algorithm>
#include <cmath>

#include "fmt/format.h"

namespace tidemill::cli {
namespace {

constexpr double kLeastSeconds = 2;
constexpr double kLeastShare = 0.01;

}  // namespace

void Pace::Note(double share, Time now) {
  if (!first_ || share < last_.share) first_ = Point{.share = share, .at = now};
  last_ = {.share = share, .at = now};
}

std::optional<double> Pace::SecondsLeft() const {
  if (!first_) return std::nullopt;
  const std::chrono::duration<double> spent = last_.at - first_->at;
  const double gained = last_.share - first_->share;
  if (spent.count() < kLeastSeconds || gained < kLeastShare) return std::nullopt;
  return std::max(0.0, 1 - last_.share) / gained * spent.count();
}

std::string About(double seconds) {
  if (seconds < 57.5) return fmt::format("{} s", std::max(5LL, 5 * std::llround(seconds / 5)));
  const auto minutes = std::llround(seconds / 60);
  if (minutes < 60) return fmt::format("{} min", minutes);
  if (minutes < 48 * 60) return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  return fmt::format("{} d", std::llround(seconds / 86400));
}

}  // namespace tidemill::cli
