#include "cli/bench/suite.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "absl/strings/str_join.h"
#include "fmt/format.h"

#include "base/files.h"

namespace tidemill::cli {
namespace {

constexpr size_t kMaxSpecBytes = size_t{1} << 20;

std::vector<std::filesystem::path> FoldersIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->is_directory()) found.push_back(it->path());
  }
  std::ranges::sort(found);
  return found;
}

absl::StatusOr<SuiteEntry> ReadEntry(const std::filesystem::path& folder) {
  const std::string path = folder / "benchmark.yaml";
  ASSIGN_OR_RETURN(const std::string text, files::Read(path, kMaxSpecBytes));
  auto decoded = config::Decode<BenchmarkSpec>({.text = text, .name = path});
  const std::string domain = folder.parent_path().filename();
  if (decoded.problems.empty() &&
      (decoded.value.name != folder.filename() || decoded.value.domain != domain)) {
    decoded.problems.Add(
        "name", "the entry's folder is not named domain/name",
        fmt::format("put it into {}/{}", decoded.value.domain, decoded.value.name));
  }
  RETURN_IF_ERROR(decoded.problems.ToStatus());
  return SuiteEntry{std::move(decoded.value), std::filesystem::absolute(folder).lexically_normal()};
}

}  // namespace

absl::StatusOr<std::vector<SuiteEntry>> ReadSuite(const std::string& folder) {
  std::vector<SuiteEntry> suite;
  for (const auto& domain : FoldersIn(folder)) {
    for (const auto& entry : FoldersIn(domain)) {
      if (!files::Exists(entry / "benchmark.yaml")) continue;
      ASSIGN_OR_RETURN(suite.emplace_back(), ReadEntry(entry));
    }
  }
  if (suite.empty()) {
    return NotFound(
        "'{}' has no benchmark.yaml in a folder domain/entry; name the suite's folder with --suite "
        "(benchmarks/suite in the sources)",
        folder);
  }
  return suite;
}

absl::StatusOr<std::vector<SuiteEntry>> ChooseEntries(const std::vector<SuiteEntry>& suite,
                                                      const std::vector<std::string>& names) {
  std::vector<SuiteEntry> chosen;
  std::set<std::string> unknown(names.begin(), names.end());
  for (const SuiteEntry& entry : suite) {
    const auto is_meant = [&](const std::string& name) {
      return name == entry.spec.name || name == entry.spec.domain ||
             name == entry.spec.domain + "/" + entry.spec.name;
    };
    std::erase_if(unknown, is_meant);
    if (names.empty() || std::ranges::any_of(names, is_meant)) chosen.push_back(entry);
  }
  if (unknown.empty()) return chosen;
  const std::string known = absl::StrJoin(
      suite, ", ", [](std::string* out, const SuiteEntry& entry) { *out += entry.spec.name; });
  return NotFound("the suite has no '{}'; it has {}", *unknown.begin(), known);
}

}  // namespace tidemill::cli
