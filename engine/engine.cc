#include "engine/engine.h"

#include "engine/engine_config.h"

namespace tidemill::engine {

std::string MemberOf(const Group& group, int64_t number) {
  return fmt::format("{}/{}", group.name, number);
}

bool HasEngine(const std::string& config_text) {
  return config_text.starts_with("engine:") || config_text.find("\nengine:") != std::string::npos;
}

}  // namespace tidemill::engine
