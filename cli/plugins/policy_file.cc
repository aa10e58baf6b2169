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

absl::StatusOr<std::string> PolicyText(const std::string& path,
                                       const std::vector<config::Override>& overrides) {
  ASSIGN_OR_RETURN(std::string text, files::Read(path, kMaxBytes));
  auto policy =
      config::Decode<supervisor::TriggerSpec>({.text = text, .name = path, .overrides = overrides});
  if (!overrides.empty()) {
    RETURN_IF_ERROR(policy.problems.ToStatus());
    text = config::Print(policy.value);
  }
  if (!policy.problems.empty() || config::AllRunsWith(policy.value).empty()) return text;
  PluginFile beside(NamedPlugin{.use = path + ":"});
  policy.value->TakeFiles(beside, policy.problems);
  RETURN_IF_ERROR(policy.problems.ToStatus());
  return config::Print(policy.value);
}

absl::StatusOr<std::string> PolicyWith(const supervisor::TriggerSpec& policy,
                                       const std::vector<config::Override>& overrides) {
  const std::string text = config::Print(policy);
  auto changed = config::Decode<supervisor::TriggerSpec>({.text = text,
                                                          .name = "trigger",
                                                          .max_bytes = config::kMaxKeptBytes,
                                                          .overrides = overrides});
  RETURN_IF_ERROR(changed.problems.ToStatus());
  return config::Print(changed.value);
}

}  // namespace tidemill::cli
