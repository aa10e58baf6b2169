#include "engine/engine.h"

#include <filesystem>

#include "engine/engine_config.h"
#include "rpc/members/own_name.h"

namespace tidemill::engine {

std::string MemberOf(const Group& group, int64_t number) {
  return fmt::format("{}/{}", group.name, number);
}

std::vector<std::string> CommandOf(const std::string& program, const ProcessNeeds& needs,
                                   const std::string& config) {
  std::vector<std::string> command;
  if (needs.processors > 0) {
    command = {"env", fmt::format("{}={}", rpc::kProcessorsVariable, needs.processors)};
  }
  const std::string& named = needs.config.empty() ? config : needs.config;
  for (const std::string& word :
       {program, std::string("--config"), named, std::string("--listen"), std::string("auto")}) {
    command.push_back(word);
  }
  return command;
}

std::string ConfigOfMembers(const std::string& config_name, const std::string& state_folder,
                            bool has_network) {
  namespace fs = std::filesystem;
  if (has_network) return fs::path(state_folder) / kMembersConfig;
  return fs::absolute(config_name);
}

std::optional<int64_t> NumberOf(const std::string& member, const std::string& group) {
  if (!member.starts_with(group + "/")) return std::nullopt;
  const auto number = config::ParseCount(member.substr(group.size() + 1));
  return number.ok() ? std::optional(*number) : std::nullopt;
}

bool HasEngine(const std::string& config_text) {
  return config_text.starts_with("engine:") || config_text.find("\nengine:") != std::string::npos;
}

}  // namespace tidemill::engine
