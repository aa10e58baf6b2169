#include "cli/commands/stack/pool_text.h"

#include <map>
#include <vector>

#include "fmt/ranges.h"
#include "google/protobuf/util/time_util.h"
#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/terminal/text.h"
#include "cli/views/engine_text.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using google::protobuf::util::TimeUtil;
using Json = nlohmann::ordered_json;

const char* KindOf(const v1::Member& member) {
  return member.kind() == v1::MEMBER_KIND_EVALUATOR ? "evaluator" : "trainer server";
}

const char* StateOf(const v1::Member& member) {
  switch (member.state()) {
    case v1::MEMBER_STATE_ALIVE:
      return "alive";
    case v1::MEMBER_STATE_DRAINING:
      return "draining";
    default:
      return "lost";
  }
}

std::string SlotsOf(const v1::Member& member) {
  std::vector<std::string> slots;
  for (const v1::SlotOffer& slot : member.offer().slots()) {
    std::string text = fmt::format("{} {}", slot.count(), OneLine(slot.device()));
    if (!slot.model().empty()) text += fmt::format(" ({})", OneLine(slot.model()));
    slots.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(slots, ", "));
}

std::string LabelsOf(const google::protobuf::Map<std::string, std::string>& labels) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : std::map(labels.begin(), labels.end())) {
    texts.push_back(OneLine(name) + ": " + OneLine(value));
  }
  return texts.empty() ? "-" : fmt::format("{}", fmt::join(texts, ", "));
}

double SecondsBetween(const google::protobuf::Timestamp& from, int64_t to) {
  constexpr double kMicros = 1e6;
  return static_cast<double>(to - TimeUtil::TimestampToMicroseconds(from)) / kMicros;
}

std::string JobOf(const v1::Placement& placement) {
  return fmt::format("{} {}", placement.job().stage(), placement.job().number());
}

std::string ShownTime(const google::protobuf::Timestamp& time) {
  return FormatTimestamp({TimeUtil::TimestampToMicroseconds(time)});
}

Json PlacementToJson(const v1::Placement& placement) {
  Json json = {{"placement", placement.placement_id()},
               {"run", placement.job().run_id()},
               {"stage", placement.job().stage()},
               {"number", placement.job().number()},
               {"pipeline", placement.pipeline_id()},
               {"priority", placement.priority()},
               {"share", placement.share()},
               {"device", placement.device()},
               {"slots", placement.num_slots()},
               {"labels", Json::object()},
               {"asked_at", ShownTime(placement.asked_at())}};
  for (const auto& [name, value] : std::map(placement.labels().begin(), placement.labels().end())) {
    json["labels"][name] = value;
  }
  if (!placement.waits_for().empty()) {
    json["waits_for"] = placement.waits_for();
    return json;
  }
  json["member"] = placement.member_name();
  json["devices"] = placement.slots();
  json["given_at"] = ShownTime(placement.given_at());
  return json;
}

}  // namespace

std::string DescribePool(const v1::GetPoolResponse& pool, int64_t now, bool paint) {
  Table members({"NAME", "KIND", "STATE", "SLOTS", "RUNS", "LABELS", "ENDPOINT"});
  if (paint) {
    members.Paint(2, [](const std::string& state) {
      return state == "alive" ? Tone::kGood : state == "lost" ? Tone::kBad : Tone::kDoubtful;
    });
  }
  for (const v1::Member& member : pool.members()) {
    int64_t num_running = 0;
    for (const v1::Placement& placement : pool.running()) {
      num_running += placement.member_name() == member.name() ? 1 : 0;
    }
    members.Add({OneLine(member.name()), KindOf(member), StateOf(member), SlotsOf(member),
                 std::to_string(num_running), LabelsOf(member.offer().labels()),
                 OneLine(member.endpoint())});
  }
  std::string text = members.ToString();
  for (const rpc::v1::EngineGroup& group : pool.engines()) {
    text += "\n" + DescribeEngine(group, now);
  }
  if (pool.running().empty() && pool.waiting().empty()) return text;
  Table jobs({"RUN", "JOB", "PRIORITY", "WHERE", "ON", "SINCE"});
  for (const v1::Placement& placement : pool.running()) {
    jobs.Add({std::to_string(placement.job().run_id()), JobOf(placement),
              std::to_string(placement.priority()), OneLine(placement.member_name()),
              OneLine(placement.slots()), Elapsed(SecondsBetween(placement.given_at(), now))});
  }
  for (const v1::Placement& placement : pool.waiting()) {
    jobs.Add({std::to_string(placement.job().run_id()), JobOf(placement),
              std::to_string(placement.priority()), "waits " + OneLine(placement.waits_for()),
              OneLine(placement.device()), Elapsed(SecondsBetween(placement.asked_at(), now))});
  }
  return text + "\n" + jobs.ToString();
}

Json MemberToJson(const v1::Member& member) {
  Json json = {{"name", member.name()},
               {"kind", KindOf(member)},
               {"state", StateOf(member)},
               {"why", member.lost_because()},
               {"endpoint", member.endpoint()},
               {"labels", Json::object()},
               {"last_seen", ShownTime(member.last_seen())},
               {"slots", Json::array()}};
  const auto& labels = member.offer().labels();
  for (const auto& [name, value] : std::map(labels.begin(), labels.end())) {
    json["labels"][name] = value;
  }
  for (const v1::SlotOffer& slot : member.offer().slots()) {
    json["slots"].push_back({{"device", slot.device()},
                             {"count", slot.count()},
                             {"model", slot.model()},
                             {"memory_bytes", slot.memory_bytes()}});
  }
  return json;
}

Json PoolToJson(const v1::GetPoolResponse& pool) {
  Json json = {{"members", Json::array()}, {"running", Json::array()}, {"waiting", Json::array()}};
  for (const v1::Member& member : pool.members()) json["members"].push_back(MemberToJson(member));
  for (const v1::Placement& placement : pool.running()) {
    json["running"].push_back(PlacementToJson(placement));
  }
  for (const v1::Placement& placement : pool.waiting()) {
    json["waiting"].push_back(PlacementToJson(placement));
  }
  if (!pool.engines().empty()) json["engines"] = Json::array();
  for (const rpc::v1::EngineGroup& group : pool.engines()) {
    json["engines"].push_back(EngineToJson(group));
  }
  return json;
}

}  // namespace tidemill::cli
