#include "cli/commands/runs/run_places.h"

#include <set>

#include "google/protobuf/util/time_util.h"
#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

using google::protobuf::util::TimeUtil;
using supervisor::v1::Placement;

constexpr double kMicros = 1e6;
// A shorter wait is that of a job whose turn it is.
constexpr double kShownWait = 1;

double SecondsUntil(const google::protobuf::Timestamp& from, bool has_end,
                    const google::protobuf::Timestamp& end, int64_t now) {
  const int64_t until = has_end ? TimeUtil::TimestampToMicroseconds(end) : now;
  return static_cast<double>(until - TimeUtil::TimestampToMicroseconds(from)) / kMicros;
}

double WaitOf(const Placement& placement, int64_t now) {
  const bool was_given = placement.has_given_at();
  return SecondsUntil(placement.asked_at(), was_given || placement.has_ended_at(),
                      was_given ? placement.given_at() : placement.ended_at(), now);
}

bool IsWorthTelling(const supervisor::v1::ListPlacementsResponse& placements, int64_t now) {
  std::set<std::pair<bool, std::string>> members;
  for (const Placement& placement : placements.placements()) {
    if (WaitOf(placement, now) >= kShownWait) return true;
    if (placement.has_given_at()) {
      members.emplace(placement.job().stage() == "evaluate", placement.member_name());
    }
  }
  constexpr size_t kUsual = 2;  // A trainer server and an evaluator.
  return members.size() > kUsual;
}

nlohmann::ordered_json TimeOrNull(bool is_set, const google::protobuf::Timestamp& time) {
  if (!is_set) return nullptr;
  return FormatTimestamp({TimeUtil::TimestampToMicroseconds(time)});
}

}  // namespace

std::string DescribePlaces(const supervisor::v1::ListPlacementsResponse& placements, int64_t now) {
  if (!IsWorthTelling(placements, now)) return "";
  Table table({"JOB", "WHERE", "ON", "WAITED", "RAN", "END"});
  for (const Placement& placement : placements.placements()) {
    const bool was_given = placement.has_given_at();
    table.Add({fmt::format("{} {}", placement.job().stage(), placement.job().number()),
               was_given ? OneLine(placement.member_name()) : "-",
               was_given ? OneLine(placement.slots()) : OneLine(placement.device()),
               Elapsed(WaitOf(placement, now)),
               was_given ? Elapsed(SecondsUntil(placement.given_at(), placement.has_ended_at(),
                                                placement.ended_at(), now))
                         : "-",
               placement.has_ended_at() ? OneLine(placement.end_reason()) : "-"});
  }
  return "where its jobs ran\n" + table.ToString();
}

nlohmann::ordered_json PlacesToJson(const supervisor::v1::ListPlacementsResponse& placements) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Placement& placement : placements.placements()) {
    json.push_back({{"stage", placement.job().stage()},
                    {"number", placement.job().number()},
                    {"member", placement.member_name()},
                    {"devices", placement.slots()},
                    {"asked_at", TimeOrNull(true, placement.asked_at())},
                    {"given_at", TimeOrNull(placement.has_given_at(), placement.given_at())},
                    {"ended_at", TimeOrNull(placement.has_ended_at(), placement.ended_at())},
                    {"end_reason", placement.end_reason()}});
  }
  return json;
}

}  // namespace tidemill::cli
