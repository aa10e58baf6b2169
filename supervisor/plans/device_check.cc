#include "supervisor/plans/device_check.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_join.h"
#include "fmt/format.h"

#include "config/numbers.h"

namespace tidemill::supervisor {
namespace {

using Kind = config::DeviceChoice::Kind;

constexpr char kTrainings[] = "trainer_server";
constexpr char kEvaluations[] = "evaluator";

// A device as the pipeline asks for it.
struct Asked {
  std::string path;
  config::DeviceChoice device;
  std::string_view server;
};

std::vector<Asked> DevicesOf(const PipelineSpec& spec) {
  std::vector<Asked> asked = {{"training.device", spec.training.device, kTrainings}};
  for (size_t i = 0; i < spec.evaluation.size(); ++i) {
    asked.push_back(
        {fmt::format("evaluation[{}].device", i), spec.evaluation[i].device, kEvaluations});
  }
  return asked;
}

bool IsGpu(const rpc::v1::Slot& slot) { return !slot.id().empty(); }

bool Fits(const rpc::v1::Slot& slot, const config::DeviceChoice& device) {
  return IsGpu(slot) && (!device.index || slot.device() == config::FormatDevice(device));
}

std::string TextOf(const rpc::v1::Slot& slot) {
  if (!IsGpu(slot)) return slot.device();
  constexpr double kGiB = 1 << 30;
  return fmt::format("{} ({}, {:.4g} GiB)", slot.device(), slot.name(),
                     static_cast<double>(slot.memory_bytes()) / kGiB);
}

// "cpu, cuda:0 (NVIDIA H200, 139.8 GiB)": each device once.
std::string TextOf(const v1::ServerSlots& server) {
  std::vector<std::string> texts;
  for (const rpc::v1::Slot& slot : server.slots()) {
    std::string text = TextOf(slot);
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  std::string all = absl::StrJoin(texts, ", ");
  if (!server.why_no_gpu().empty()) all += fmt::format(", and no GPU: {}", server.why_no_gpu());
  return all;
}

void Check(const Asked& asked, const v1::ListDevicesResponse& there, config::Problems& problems) {
  if (asked.device.kind != Kind::kCuda) return;
  std::vector<std::string> texts;
  for (const v1::ServerSlots& server : there.servers()) {
    if (server.server() != asked.server) continue;
    if (!server.error().empty()) return;
    for (const rpc::v1::Slot& slot : server.slots()) {
      if (Fits(slot, asked.device)) return;
    }
    texts.push_back(TextOf(server));
  }
  if (texts.empty()) return;
  problems.Add(
      asked.path,
      fmt::format("the {} of the stack has no {}; it has {}",
                  asked.server == kTrainings ? "trainer server" : "evaluator",
                  config::FormatDevice(asked.device), absl::StrJoin(texts, "; another has ")),
      "write one of these, or auto");
}

}  // namespace

bool NamesGpu(const PipelineSpec& spec) {
  return std::ranges::any_of(DevicesOf(spec),
                             [](const Asked& asked) { return asked.device.kind == Kind::kCuda; });
}

void CheckDevices(const PipelineSpec& spec, const v1::ListDevicesResponse& there,
                  config::Problems& problems) {
  for (const Asked& asked : DevicesOf(spec)) Check(asked, there, problems);
}

}  // namespace tidemill::supervisor
