#include "cli/doctor/plugins.h"

#include <string>

#include "absl/strings/escaping.h"
#include "fmt/format.h"

#include "plugin/process/description.h"
#include "plugin/process/fault.h"
#include "plugin/spec/json_fields.h"

namespace tidemill::cli {
namespace {

constexpr char kCheck[] = "plug-ins";

}  // namespace

Finding ExaminePlugins(const plugin::HostSettings& settings) {
  plugin::PluginUse nothing;
  nothing.use = "doctor.py:Nothing";
  nothing.program = absl::Base64Escape("pass");
  const auto host = plugin::StartHost(nothing, settings);
  if (!host.ok()) {
    return {kCheck, Health::kWarn,
            fmt::format("plug-ins in Python cannot run: {}; {}",
                        std::string(host.status().message()), plugin::TracebackOf(host.status())),
            "set cluster.plugins.python or cluster.plugins.sandbox in the configuration"};
  }
  const auto versions = plugin::ObjectAt((*host)->hello(), "versions");
  const std::string numpy = plugin::TextAt(versions, "numpy");
  if (numpy.empty()) {
    return {kCheck, Health::kWarn,
            fmt::format("{} has no numpy, which plug-ins in Python need", settings.python),
            fmt::format("{} -m pip install numpy", settings.python)};
  }
  const std::string sandbox = plugin::TextAt((*host)->hello(), "sandbox");
  return {kCheck, Health::kOk,
          fmt::format("they run with Python {}, numpy {}; sandbox: {}",
                      plugin::TextAt(versions, "python"), numpy, sandbox),
          ""};
}

}  // namespace tidemill::cli
