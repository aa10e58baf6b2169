#include "plugin/spec/host_settings.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "config/numbers.h"

namespace tidemill::plugin {
namespace {

constexpr char kPython[] = "TIDEMILL_PLUGIN_PYTHON";
constexpr char kSandbox[] = "TIDEMILL_PLUGIN_SANDBOX";
constexpr char kMemory[] = "TIDEMILL_PLUGIN_MEMORY";
constexpr std::string_view kSandboxes[] = {"auto", "bwrap", "landlock", "none"};

void TakeFrom(const char* variable, std::string& value) {
  const char* const set = std::getenv(variable);
  if (set != nullptr && *set != '\0') value = set;
}

}  // namespace

void HostSettings::Check(config::Problems& problems) const {
  if (python.empty()) problems.Add("python", "names no program", "write python3");
  if (std::ranges::find(kSandboxes, sandbox) == std::end(kSandboxes)) {
    problems.Add("sandbox", fmt::format("'{}' is none of auto, bwrap, landlock and none", sandbox),
                 "leave it out for auto");
  }
}

HostSettings HostSettings::OfThisProcess(HostSettings others) {
  HostSettings settings = std::move(others);
  TakeFrom(kPython, settings.python);
  TakeFrom(kSandbox, settings.sandbox);
  std::string memory;
  TakeFrom(kMemory, memory);
  if (const auto bytes = config::ParseByteSize(memory); bytes.ok()) settings.memory = *bytes;
  return settings;
}

HostSettings HostSettings::OfThisProcess() { return OfThisProcess({}); }

void HostSettings::PutIntoEnvironment() const {
  setenv(kPython, python.c_str(), /*overwrite=*/1);
  setenv(kSandbox, sandbox.c_str(), /*overwrite=*/1);
  setenv(kMemory, config::FormatByteSize(memory).c_str(), /*overwrite=*/1);
}

}  // namespace tidemill::plugin
