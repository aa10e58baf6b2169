#include "plugin/process/host_settings.h"

#include <cstdlib>

namespace tidemill::plugin {
namespace {

void TakeFrom(const char* variable, std::string& value) {
  const char* const set = std::getenv(variable);
  if (set != nullptr && *set != '\0') value = set;
}

}  // namespace

HostSettings HostSettings::OfThisProcess() {
  HostSettings settings;
  TakeFrom("TIDEMILL_PLUGIN_PYTHON", settings.python);
  TakeFrom("TIDEMILL_PLUGIN_SANDBOX", settings.sandbox);
  return settings;
}

}  // namespace tidemill::plugin
