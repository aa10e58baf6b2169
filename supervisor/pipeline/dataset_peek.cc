#include "supervisor/pipeline/dataset_peek.h"

#include <fnmatch.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace tidemill::supervisor {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxEntries = 100'000;

// Known as far as the pattern is simple enough to tell: it has no `**` and no brackets.
DatasetPeek FindFiles(const storage::DatasetSpec& spec) {
  if (spec.files.find("**") != std::string::npos ||
      spec.files.find_first_of("[\\") != std::string::npos) {
    return {};
  }
  DatasetPeek files{.files_known = true, .first = std::nullopt, .head = {}};
  std::error_code error;
  const fs::path root = spec.path;
  int num_entries = 0;
  fs::recursive_directory_iterator entry(root, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (++num_entries > kMaxEntries) return {};
    std::error_code ignored;  // A link that leads nowhere is no file.
    if (!entry->is_regular_file(ignored)) continue;
    const std::string path = entry->path().lexically_relative(root).string();
    const bool fits = fnmatch(spec.files.c_str(), path.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
    if (fits && (!files.first || path < *files.first)) files.first = path;
  }
  return files;
}

}  // namespace

absl::StatusOr<DatasetPeek> PeekAtDisk(const storage::DatasetSpec& spec) {
  std::error_code error;
  if (!fs::exists(spec.path, error)) return NotFound("there is no {}", spec.path);
  DatasetPeek peek = FindFiles(spec);
  if (!peek.first) return peek;
  std::ifstream stream(fs::path(spec.path) / *peek.first, std::ios::binary);
  peek.head.resize(kHeadBytes);
  stream.read(peek.head.data(), static_cast<std::streamsize>(peek.head.size()));
  peek.head.resize(static_cast<size_t>(stream.gcount()));
  return peek;
}

}  // namespace tidemill::supervisor
