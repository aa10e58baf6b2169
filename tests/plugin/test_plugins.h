// Plug-ins of tests: their files in the build, and their processes.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/testing/tree.h"
#include "config/config.h"
#include "config/named_files.h"

namespace tidemill::tests {

// The sources beside the tests, the shared objects that were made of them, and the examples.
class PluginFiles final : public config::NamedFiles {
 public:
  std::optional<std::string> Read(const std::string& name, size_t most, std::string_view key,
                                  config::Problems& problems) override {
    std::string path = name.ends_with(".so") ? testing::InBuild("tests/plugin/" + name)
                                             : testing::InTree("tests/plugin/plugins/" + name);
    if (!std::filesystem::exists(path)) path = testing::InTree("plugin/examples/" + name);
    auto bytes = files::Read(path, most);
    if (bytes.ok()) return *std::move(bytes);
    problems.Add(key, std::string(bytes.status().message()));
    return std::nullopt;
  }
};

// A choice of a pipeline after its submission.
template <typename Spec>
absl::StatusOr<Spec> SubmittedPart(const std::string& yaml) {
  auto decoded = config::Decode<Spec>({.text = yaml, .name = "pipeline", .variables = {}});
  PluginFiles files;
  if (decoded.problems.empty()) {
    if constexpr (requires { decoded.value.TakeFiles(files, decoded.problems); }) {
      decoded.value.TakeFiles(files, decoded.problems);
    } else {
      decoded.value->TakeFiles(files, decoded.problems);
    }
  }
  RETURN_IF_ERROR(decoded.problems.ToStatus());
  return std::move(decoded.value);
}

// Processes below this one.
inline std::vector<pid_t> Descendants() {
  std::vector<pid_t> found = {getpid()};
  for (size_t i = 0; i < found.size(); ++i) {
    std::error_code error;
    const std::string tasks = "/proc/" + std::to_string(found[i]) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
      std::ifstream file(task.path() / "children");
      for (pid_t child = 0; file >> child;) found.push_back(child);
    }
  }
  found.erase(found.begin());
  return found;
}

inline void KillDescendants() {
  for (const pid_t process : Descendants()) kill(process, SIGKILL);
}

}  // namespace tidemill::tests
