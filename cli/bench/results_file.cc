#include "cli/bench/results_file.h"

#include <algorithm>
#include <utility>

#include "base/files.h"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMaxBytes = size_t{256} << 20;

}  // namespace

absl::StatusOr<ResultsFile> ResultsFile::Open(const std::string& path) {
  ResultsFile file(path);
  if (!files::Exists(path)) return file;
  ASSIGN_OR_RETURN(const std::string text, files::Read(path, kMaxBytes));
  for (size_t begin = 0, number = 1; begin < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    ordered_json result =
        ordered_json::parse(text.begin() + static_cast<ptrdiff_t>(begin),
                            text.begin() + static_cast<ptrdiff_t>(end), nullptr, false);
    if (!file.Take(std::move(result)).ok()) {
      return DataLoss("{}:{}: is not a result of a benchmark; remove the line to measure it again",
                      path, number);
    }
    begin = end + 1;
  }
  return file;
}

absl::Status ResultsFile::Take(ordered_json result) {
  if (!result.is_object() || !result.contains("case") || !result["case"].is_string() ||
      !result.contains("digest")) {
    return InvalidArgument("a result has a case and a digest");
  }
  const std::string name = result["case"];
  results_[name] = std::move(result);
  return absl::OkStatus();
}

const ordered_json* ResultsFile::FindAny(const std::string& name) const {
  const auto found = results_.find(name);
  return found == results_.end() ? nullptr : &found->second;
}

const ordered_json* ResultsFile::Find(const std::string& name, const std::string& digest) const {
  const ordered_json* found = FindAny(name);
  return found != nullptr && found->at("digest") == digest ? found : nullptr;
}

// The whole file is small beside what it cost to measure: it is rewritten, and either replaced as a
// whole or unchanged.
absl::Status ResultsFile::Add(ordered_json result) {
  RETURN_IF_ERROR(Take(std::move(result)));
  std::string text;
  for (const auto& [name, own] : results_) text += own.dump() + "\n";
  return files::WriteAtomically(path_, text);
}

}  // namespace tidemill::cli
