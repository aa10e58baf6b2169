#include "cli/views/engine_text.h"

#include <algorithm>

#include "google/protobuf/util/time_util.h"
#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

using google::protobuf::util::TimeUtil;
using Json = nlohmann::ordered_json;

const char* PhaseNameOf(const rpc::v1::EngineProcess& process) {
  switch (process.phase()) {
    case rpc::v1::ENGINE_PHASE_WAITING:
      return "waits";
    case rpc::v1::ENGINE_PHASE_RUNNING:
      return "runs";
    default:
      return "ends";
  }
}

std::string PhaseTimeOf(const rpc::v1::EngineProcess& process, int64_t now) {
  constexpr double kMicrosPerSecond = 1e6;
  if (!process.has_since()) return "-";
  const int64_t since = TimeUtil::TimestampToMicroseconds(process.since());
  return Elapsed(static_cast<double>(now - since) / kMicrosPerSecond);
}

std::string OrDash(const std::string& text) { return text.empty() ? "-" : OneLine(text); }

}  // namespace

std::string DescribeEngine(const rpc::v1::EngineGroup& group, int64_t now) {
  const auto count = [&](rpc::v1::EnginePhase phase) {
    return std::ranges::count(group.processes(), phase, &rpc::v1::EngineProcess::phase);
  };
  std::string text =
      fmt::format("{}: {} {} wanted, {} run, {} wait\n", OneLine(group.backend()), group.wanted(),
                  OneLine(group.name()), count(rpc::v1::ENGINE_PHASE_RUNNING),
                  count(rpc::v1::ENGINE_PHASE_WAITING));
  if (!group.error().empty()) text += "error: " + OneLine(group.error()) + "\n";
  if (!group.last_end().empty()) text += "last end: " + OneLine(group.last_end()) + "\n";
  if (group.processes().empty()) return text;
  Table table({"NUMBER", "STATE", "SINCE", "ID", "REASON", "HOST", "MEMBER"});
  for (const rpc::v1::EngineProcess& process : group.processes()) {
    table.Add({std::to_string(process.number()), PhaseNameOf(process), PhaseTimeOf(process, now),
               OrDash(process.id()), OrDash(process.reason()), OrDash(process.host()),
               OrDash(process.member())});
  }
  return text + table.ToString();
}

Json EngineToJson(const rpc::v1::EngineGroup& group) {
  Json json = {{"name", group.name()},         {"backend", group.backend()},
               {"wanted", group.wanted()},     {"error", group.error()},
               {"last_end", group.last_end()}, {"processes", Json::array()}};
  for (const rpc::v1::EngineProcess& process : group.processes()) {
    Json& entry = json["processes"].emplace_back();
    entry = {{"number", process.number()}, {"phase", PhaseNameOf(process)}, {"id", process.id()},
             {"reason", process.reason()}, {"host", process.host()},        {"since", nullptr},
             {"member", process.member()}};
    if (process.has_since()) {
      entry["since"] = FormatTimestamp({TimeUtil::TimestampToMicroseconds(process.since())});
    }
  }
  return json;
}

}  // namespace tidemill::cli
