#include "cli/run_directory/report_decisions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"

#include "cli/run_directory/report_data.h"
#include "cli/run_directory/report_tables.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using nlohmann::ordered_json;

struct Point {
  int64_t at = 0;
  double value = 0;
  std::optional<double> threshold;  // Absent where none was found.
  bool retrained = false;
};

struct Series {
  std::string policy;
  std::string quantity;
  std::string unit;
  bool waiting = false;
  bool said_no = false;
  int64_t num_yes = 0;
  std::vector<Point> points;
};

// By place and quantity.
using SeriesByPlace = std::map<std::pair<std::string, std::string>, Series>;

Series& SeriesOf(const v1::Verdict& verdict, const std::string& place, const std::string& quantity,
                 SeriesByPlace& all) {
  Series& series = all[{place, quantity}];
  series.policy = place.empty() ? verdict.policy() : place + ": " + verdict.policy();
  series.quantity = quantity;
  series.said_no |= !verdict.fired();
  series.num_yes += verdict.fired() ? 1 : 0;
  return series;
}

// Adds what a verdict and those below it compared. `place` is "of[1]" below an ensemble. A score
// without a threshold is a separate series.
void Collect(const v1::Decision& decision, const v1::Verdict& verdict, const std::string& place,
             SeriesByPlace& all) {
  if (!verdict.passed_over() && verdict.has_comparison()) {
    const v1::Comparison& compared = verdict.comparison();
    Series& series = SeriesOf(verdict, place, compared.quantity(), all);
    series.unit = compared.unit();
    series.waiting = compared.waiting();
    series.points.push_back({.at = decision.at().event_time() / 1000,
                             .value = compared.value(),
                             .threshold = compared.threshold(),
                             .retrained = decision.fired()});
    const auto score = verdict.observed().find("score");
    if (compared.waiting() && score != verdict.observed().end()) {
      SeriesOf(verdict, place, "score, without a threshold", all)
          .points.push_back({.at = decision.at().event_time() / 1000,
                             .value = score->second,
                             .threshold = std::nullopt,
                             .retrained = decision.fired()});
    }
  }
  for (int i = 0; i < verdict.members_size(); ++i) {
    const std::string below = (place.empty() ? "of[" : place + ".of[") + std::to_string(i) + "]";
    Collect(decision, verdict.members(i), below, all);
  }
}

ordered_json PointsOf(const std::vector<Point>& all) {
  const size_t each = all.size() / kMaxPoints + 1;
  ordered_json points = ordered_json::array();
  for (size_t i = 0; i < all.size(); ++i) {
    const bool taken = i % each == 0 || (all[i].retrained && points.size() < kMaxPoints);
    if (!taken) continue;
    points.push_back({all[i].at, Rounded(all[i].value),
                      all[i].threshold ? Rounded(*all[i].threshold) : ordered_json(nullptr),
                      all[i].retrained});
  }
  return points;
}

// Long times are shown in days, because no spec says 10,368,000 seconds.
void ShowInDays(Series& series) {
  constexpr double kDay = 86'400;
  const bool is_long = std::ranges::any_of(series.points, [](const Point& point) {
    return std::max(std::abs(point.value), std::abs(point.threshold.value_or(0))) >= 2 * kDay;
  });
  if (series.unit != "seconds" || !is_long) return;
  series.unit = "days";
  for (Point& point : series.points) {
    point.value /= kDay;
    if (point.threshold) *point.threshold /= kDay;
  }
}

}  // namespace

ordered_json ComparedOf(const v1::GetRunResponse& run) {
  SeriesByPlace all;
  for (const v1::Decision& decision : run.decisions()) {
    Collect(decision, decision.verdict(), "", all);
  }
  std::vector<const Series*> shown;
  for (auto& [place, series] : all) {
    ShowInDays(series);
    if (series.said_no) shown.push_back(&series);
  }
  // The number that decides comes before the ones that were waited for.
  std::stable_sort(shown.begin(), shown.end(), [](const Series* a, const Series* b) {
    return std::tuple(a->waiting, -a->num_yes) < std::tuple(b->waiting, -b->num_yes);
  });
  ordered_json compared = ordered_json::array();
  for (const Series* series : shown) {
    compared.push_back({{"policy", series->policy},
                        {"quantity", series->quantity},
                        {"unit", series->unit},
                        {"waiting", series->waiting},
                        {"total", series->points.size()},
                        {"points", PointsOf(series->points)}});
  }
  return compared;
}

}  // namespace tidemill::cli
