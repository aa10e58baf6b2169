#include "cli/run_directory/report_decisions.h"

#include <algorithm>
#include <map>
#include <string>
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
  double threshold = 0;
  bool retrained = false;
};

struct Series {
  std::string policy;
  std::string quantity;
  std::string unit;
  bool said_no = false;
  int64_t num_yes = 0;
  std::vector<Point> points;
};

// Adds what a verdict and those below it compared. `place` is "of[1]" below an ensemble.
void Collect(const v1::Decision& decision, const v1::Verdict& verdict, const std::string& place,
             std::map<std::pair<std::string, std::string>, Series>& all) {
  if (!verdict.passed_over() && verdict.has_comparison()) {
    Series& series = all[{place, verdict.comparison().quantity()}];
    series.policy = place.empty() ? verdict.policy() : place + ": " + verdict.policy();
    series.quantity = verdict.comparison().quantity();
    series.unit = verdict.comparison().unit();
    series.said_no |= !verdict.fired();
    series.num_yes += verdict.fired() ? 1 : 0;
    series.points.push_back({.at = decision.at().event_time() / 1000,
                             .value = verdict.comparison().value(),
                             .threshold = verdict.comparison().threshold(),
                             .retrained = decision.fired()});
  }
  for (int i = 0; i < verdict.members_size(); ++i) {
    const std::string below = (place.empty() ? "of[" : place + ".of[") + std::to_string(i) + "]";
    Collect(decision, verdict.members(i), below, all);
  }
}

ordered_json PointsOf(const std::vector<Point>& all) {
  const size_t each = all.size() / kMostPoints + 1;
  ordered_json points = ordered_json::array();
  for (size_t i = 0; i < all.size(); ++i) {
    const bool taken = i % each == 0 || (all[i].retrained && points.size() < kMostPoints);
    if (!taken) continue;
    points.push_back(
        {all[i].at, Rounded(all[i].value), Rounded(all[i].threshold), all[i].retrained});
  }
  return points;
}

}  // namespace

ordered_json ComparedOf(const v1::GetRunResponse& run) {
  std::map<std::pair<std::string, std::string>, Series> all;
  for (const v1::Decision& decision : run.decisions()) {
    Collect(decision, decision.verdict(), "", all);
  }
  std::vector<const Series*> shown;
  for (const auto& [place, series] : all) {
    if (series.said_no) shown.push_back(&series);
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [](const Series* a, const Series* b) { return a->num_yes > b->num_yes; });
  ordered_json compared = ordered_json::array();
  for (const Series* series : shown) {
    compared.push_back({{"policy", series->policy},
                        {"quantity", series->quantity},
                        {"unit", series->unit},
                        {"total", series->points.size()},
                        {"points", PointsOf(series->points)}});
  }
  return compared;
}

}  // namespace tidemill::cli
