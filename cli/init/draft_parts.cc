#include "cli/init/draft_parts.h"

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "fmt/format.h"

#include "base/names.h"
#include "base/numbers/thousands.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;

// The path of `folder` from `root`, if it is below it.
std::optional<std::string> Below(const fs::path& root, const fs::path& folder) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(root, error);
  if (error || root.empty()) return std::nullopt;
  std::string relative = folder.lexically_relative(whole).string();
  if (relative.empty() || relative == ".." || relative.starts_with("../")) return std::nullopt;
  return relative;
}

}  // namespace

std::string NameFromPath(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  std::string stem = whole.filename().string();
  stem = stem.substr(0, stem.find('.', 1));
  std::string name;
  for (const char c : stem) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool capital = c >= 'A' && c <= 'Z';
    if (letter || capital) name += capital ? static_cast<char>(c - 'A' + 'a') : c;
    if (!letter && !capital && !name.empty() && name.back() != '_') name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  name.resize(std::min(name.size(), kMaxNameBytes));
  return name.empty() ? "mine" : name;
}

absl::StatusOr<Guess> PathGuess(const std::string& folder, const std::string& output) {
  Guess guess{.key = "path"};
  const fs::path home = fs::absolute(output).parent_path();
  if (const auto relative = Below(home, folder)) {
    guess.value = YamlText(*relative);
    return guess;
  }
  const char* const data = std::getenv("TIDEMILL_DATA");
  if (const auto relative = Below(data == nullptr ? "" : data, folder)) {
    // In quotes, and without escapes of the variable.
    std::string rest = *relative == "." ? "" : YamlText("/" + *relative);
    if (!rest.starts_with('"')) rest = "\"" + rest + "\"";
    guess.value = "\"${TIDEMILL_DATA}" + rest.substr(1);
    guess.reason = "the folder that TIDEMILL_DATA names";
    return guess;
  }
  return FailedPrecondition(
      "the data in {} is outside of {}, the pipeline's folder, so storage would not read it; write "
      "the pipeline beside the data (--output {}/pipeline.yaml), or name a folder of data: export "
      "TIDEMILL_DATA={}",
      folder, home.string(), folder, folder);
}

Guess FilesGuess(const SeenData& data) {
  Guess guess{.key = "files", .value = YamlText(data.files)};
  if (data.paths.size() > 1) {
    guess.reason =
        fmt::format("{} files match", WithThousands(static_cast<int64_t>(data.paths.size())));
  }
  if (data.num_others > 0) {
    guess.reason +=
        fmt::format("; {} other file{} of the folder do{} not", WithThousands(data.num_others),
                    data.num_others == 1 ? "" : "s", data.num_others == 1 ? "es" : "");
  }
  return guess;
}

}  // namespace tidemill::cli
