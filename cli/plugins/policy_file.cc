#include "cli/plugins/policy_file.h"

#include "base/files.h"
#include "cli/plugins/named_plugin.h"
#include "config/config.h"
#include "config/named_files.h"
#include "supervisor/triggers/trigger.h"

namespace tidemill::cli {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;

}  // namespace

absl::StatusOr<std::string> PolicyText(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, files::Read(path, kMaxBytes));
  auto policy = config::Decode<supervisor::TriggerSpec>({.text = text, .name = path});
  if (!policy.problems.empty() || config::AllRunsWith(policy.value).empty()) return text;
  PluginFile beside(NamedPlugin{.use = path + ":"});
  policy.value->TakeFiles(beside, policy.problems);
  RETURN_IF_ERROR(policy.problems.ToStatus());
  return config::Print(policy.value);
}

}  // namespace tidemill::cli
