#include "cli/stack/device_text.h"

#include <vector>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

double InGiB(int64_t bytes) { return static_cast<double>(bytes) / (int64_t{1} << 30); }

std::string DescribeGpu(const rpc::v1::Slot& slot) {
  std::string text = slot.device() + ", " + slot.name();
  text += slot.has_used_bytes() ? fmt::format(", {:.1f} of {:.1f} GiB used",
                                              InGiB(slot.used_bytes()), InGiB(slot.memory_bytes()))
                                : fmt::format(", {:.1f} GiB", InGiB(slot.memory_bytes()));
  if (slot.has_busy_share()) text += fmt::format(", busy {:.0f} %", 100 * slot.busy_share());
  return text + (slot.job().empty() ? ", free" : ": " + slot.job());
}

// Null if the driver does not say.
template <typename Value>
nlohmann::ordered_json JsonOf(bool has, Value value) {
  return has ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json ToJson(const rpc::v1::Slot& slot) {
  return {{"device", slot.device()},
          {"id", slot.id()},
          {"name", slot.name()},
          {"memory_bytes", slot.memory_bytes()},
          {"used_bytes", JsonOf(slot.has_used_bytes(), slot.used_bytes())},
          {"busy_share", JsonOf(slot.has_busy_share(), slot.busy_share())},
          {"job", slot.job()},
          {"pretended", slot.is_pretended()}};
}

}  // namespace

std::string DescribeSlots(const supervisor::v1::ServerSlots& server) {
  if (!server.error().empty()) return "does not say: " + server.error();
  std::vector<std::string> parts;
  int on_processors = 0;
  int in_use = 0;
  for (const rpc::v1::Slot& slot : server.slots()) {
    if (!slot.id().empty()) continue;
    ++on_processors;
    if (!slot.job().empty()) ++in_use;
  }
  if (on_processors > 0)
    parts.push_back(fmt::format("cpu, {} of {} in use", in_use, on_processors));
  for (const rpc::v1::Slot& slot : server.slots()) {
    if (!slot.id().empty()) parts.push_back(DescribeGpu(slot));
  }
  if (!server.why_no_gpu().empty()) parts.push_back("no GPU: " + server.why_no_gpu());
  return fmt::format("{}", fmt::join(parts, "; "));
}

nlohmann::ordered_json DevicesToJson(const supervisor::v1::ListDevicesResponse& devices) {
  auto servers = nlohmann::ordered_json::array();
  for (const supervisor::v1::ServerSlots& server : devices.servers()) {
    auto slots = nlohmann::ordered_json::array();
    for (const rpc::v1::Slot& slot : server.slots()) slots.push_back(ToJson(slot));
    servers.push_back({{"server", server.server()},
                       {"error", server.error()},
                       {"why_no_gpu", server.why_no_gpu()},
                       {"slots", std::move(slots)}});
  }
  return servers;
}

}  // namespace tidemill::cli
