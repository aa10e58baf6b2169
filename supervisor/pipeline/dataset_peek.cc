#include "supervisor/pipeline/dataset_peek.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "base/descriptor.h"
#include "base/paths/allowed_folders.h"

namespace tidemill::supervisor {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxEntries = 100'000;

// Storage passes such a folder over, too.
bool IsState(const StateFolders& states, const fs::path& path) {
  const Descriptor folder(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return folder.is_open() && states.Contains(folder.number());
}

// Known as far as the pattern is simple enough to tell: it has no `**` and no brackets.
DatasetPeek FindFiles(const storage::DatasetSpec& spec) {
  if (spec.files.find("**") != std::string::npos ||
      spec.files.find_first_of("[\\") != std::string::npos) {
    return {};
  }
  DatasetPeek files{.files_known = true, .first = std::nullopt, .head = {}};
  std::error_code error;
  const fs::path root = spec.path;
  const StateFolders states({});
  int num_entries = 0;
  fs::recursive_directory_iterator entry(root, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (++num_entries > kMaxEntries) return {};
    std::error_code ignored;  // A link that leads nowhere is no file.
    if (entry->is_directory(ignored) && IsState(states, entry->path())) {
      entry.disable_recursion_pending();
    }
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
  // All that the user may read, but no state of a stack.
  const AllowedFolders folders({"/"}, std::make_shared<StateFolders>(std::vector<std::string>()),
                               "cannot be read");
  const fs::path path = fs::absolute(fs::path(spec.path) / *peek.first);
  const absl::StatusOr<Descriptor> file = folders.OpenFile(path.string());
  if (absl::IsInvalidArgument(file.status())) return file.status();
  peek.head.resize(kHeadBytes);
  const ssize_t size = file.ok() ? pread(file->number(), peek.head.data(), peek.head.size(), 0) : 0;
  peek.head.resize(static_cast<size_t>(std::max<ssize_t>(0, size)));
  return peek;
}

}  // namespace tidemill::supervisor
