#include "base/paths/state_folders.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/descriptor.h"

namespace tidemill {
namespace {

std::optional<struct stat> StatusOf(int folder) {
  struct stat status = {};
  if (fstat(folder, &status) != 0) return std::nullopt;
  return status;
}

// Whether the folder has a mark: other files may have its name, but not its two lines.
bool IsMarked(int folder) {
  struct stat status = {};
  if (fstatat(folder, kStateMark, &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (!S_ISREG(status.st_mode)) return false;
  const Descriptor mark(
      openat(folder, kStateMark, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  // A state folder of another user, which this user cannot read.
  if (!mark.is_open()) return true;
  std::array<char, 256> bytes{};
  const ssize_t size = pread(mark.number(), bytes.data(), bytes.size(), 0);
  if (size <= 0) return false;
  const std::string_view text(bytes.data(), static_cast<size_t>(size));
  const size_t line = text.find('\n');
  if (line == std::string_view::npos || !text.substr(line + 1).starts_with('/')) return false;
  constexpr size_t kLeastDigits = 16;
  return line >= kLeastDigits && text.substr(0, line).find_first_not_of(
                                     "0123456789abcdefghijklmnopqrstuvwxyz") == std::string::npos;
}

}  // namespace

StateFolders::StateFolders(const std::vector<std::string>& own) {
  const auto add = [&](const std::string& path) {
    struct stat status = {};
    if (!path.empty() && stat(path.c_str(), &status) == 0) {
      own_.emplace(status.st_dev, status.st_ino);
    }
  };
  for (const std::string& path : own) {
    add(path);
    std::error_code error;
    for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error)) {
      // Files come and go, and their inodes become other files'.
      std::error_code gone;
      if (!entry->is_symlink(gone) && entry->is_directory(gone)) add(entry->path().string());
    }
  }
}

bool StateFolders::Contains(const struct stat& file) const {
  return own_.contains(Inode(file.st_dev, file.st_ino));
}

bool StateFolders::Contains(int folder) const {
  if (!own_.empty()) {
    const std::optional<struct stat> status = StatusOf(folder);
    if (status && Contains(*status)) return true;
  }
  return IsMarked(folder);
}

bool StateFolders::ContainsBelow(int folder) const {
  if (Contains(folder)) return true;
  Descriptor above(openat(folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::optional<struct stat> below = StatusOf(folder);
  while (above.is_open() && below) {
    const std::optional<struct stat> status = StatusOf(above.number());
    if (!status || (status->st_dev == below->st_dev && status->st_ino == below->st_ino)) break;
    if (Contains(above.number())) return true;
    below = status;
    above = Descriptor(openat(above.number(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  return false;
}

}  // namespace tidemill
