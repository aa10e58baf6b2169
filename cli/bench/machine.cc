#include "cli/bench/machine.h"

#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "nlohmann/json.hpp"

#include "base/version.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;

std::string ProcessorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string FirstLine(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The folder with HEAD; in a work tree, `.git` is a file that names it.
std::optional<fs::path> GitFolder(fs::path folder) {
  for (;; folder = folder.parent_path()) {
    fs::path git = folder / ".git";
    std::error_code error;
    if (fs::is_directory(git, error)) return git;
    if (fs::is_regular_file(git, error)) {
      const std::string line = FirstLine(git);
      return line.starts_with("gitdir: ") ? std::optional(fs::path(line.substr(8))) : std::nullopt;
    }
    if (folder == folder.parent_path()) return std::nullopt;
  }
}

std::optional<std::string> CommitIn(const std::string& suite) {
  std::error_code error;
  const auto git = GitFolder(fs::absolute(suite, error));
  if (!git) return std::nullopt;
  const std::string head = FirstLine(*git / "HEAD");
  if (!head.starts_with("ref: ")) return head.empty() ? std::nullopt : std::optional(head);
  const std::string reference = head.substr(5);
  // Branches of a work tree are in the folder that it shares.
  for (const fs::path& folder : {*git, *git / ".." / ".."}) {
    if (std::string commit = FirstLine(folder / reference); !commit.empty()) return commit;
    std::ifstream packed(folder / "packed-refs");
    for (std::string line; std::getline(packed, line);) {
      if (line.ends_with(" " + reference)) return line.substr(0, line.find(' '));
    }
  }
  return std::nullopt;
}

}  // namespace

nlohmann::ordered_json DescribeMachine(const std::string& suite) {
  struct sysinfo memory {};
  sysinfo(&memory);
  utsname system{};
  uname(&system);
  const double bytes = static_cast<double>(memory.totalram) * memory.mem_unit;
  const auto commit = CommitIn(suite);
  return {{"processor", ProcessorName()},
          {"cores", std::thread::hardware_concurrency()},
          {"memory_gib", static_cast<int64_t>(bytes / (1 << 30) + 0.5)},
          {"system", std::string(system.sysname) + " " + system.release},
          {"version", kVersion},
          {"commit", commit ? nlohmann::ordered_json(*commit) : nlohmann::ordered_json(nullptr)}};
}

}  // namespace tidemill::cli
