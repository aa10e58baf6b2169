#include "prepared/folder_budget.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "base/descriptor.h"
#include "base/disk_full.h"
#include "base/files.h"
#include "base/paths/own_folder.h"
#include "base/paths/regular_file.h"
#include "base/whole_io.h"

namespace tidemill::prepared {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAboutFile = "about";
constexpr std::string_view kLockFile = "lock";
constexpr std::string_view kRowsExtension = ".rows";
constexpr size_t kMostAboutBytes = size_t{1} << 16;
// A point gives way to another only if a byte of that one is worth this many times as much: two of
// about equal worth must not take turns.
constexpr double kGivesWay = 1.25;
// Room is taken for several blocks at once, because looking for it lists the folder: this much, and
// at most this part of the budget.
constexpr int64_t kRoomAtOnce = int64_t{4} << 20;
constexpr int64_t kPartAtOnce = 256;
// A process that makes room takes less than this, unless it is stopped.
constexpr int kMostWaits = 1000;
constexpr timespec kWait = {.tv_sec = 0, .tv_nsec = 1'000'000};

struct RowsOnDisk {
  std::string path;
  int64_t bytes = 0;
};
struct PointOnDisk {
  std::string digest;
  double worth = 0;
  std::vector<RowsOnDisk> files = {};
};

double WorthIn(const std::string& folder) {
  const auto text = files::ReadRegular(files::Join(folder, kAboutFile), kMostAboutBytes);
  double worth = 0;
  if (text.ok()) std::from_chars(text->data(), text->data() + text->size(), worth);
  return worth;
}

// Calls `see` with what is in a folder. What vanishes meanwhile is passed over. `unlisted` is set
// when the folder could not be listed.
void ForEachIn(const std::string& folder,
               const std::function<void(const fs::directory_entry&)>& see,
               std::error_code* unlisted = nullptr) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  while (!error && entry != fs::directory_iterator()) {
    see(*entry);
    entry.increment(error);
  }
  const bool is_gone = error == std::errc::no_such_file_or_directory;
  if (error && !is_gone && unlisted != nullptr) *unlisted = error;
}

// A folder, and not a link to one, that says what its rows are worth.
bool IsPoint(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.symlink_status(error).type() == fs::file_type::directory &&
         fs::symlink_status(entry.path() / kAboutFile, error).type() == fs::file_type::regular;
}

std::vector<RowsOnDisk> RowsIn(const std::string& point) {
  std::vector<RowsOnDisk> files;
  ForEachIn(point, [&](const fs::directory_entry& file) {
    std::error_code error;
    if (file.path().extension() != kRowsExtension ||
        file.symlink_status(error).type() != fs::file_type::regular) {
      return;
    }
    const auto size = file.file_size(error);
    if (!error) files.push_back({file.path().string(), static_cast<int64_t>(size)});
  });
  return files;
}

std::vector<PointOnDisk> PointsIn(const std::string& folder) {
  std::vector<PointOnDisk> points;
  ForEachIn(folder, [&](const fs::directory_entry& entry) {
    if (!IsPoint(entry)) return;
    const std::string path = entry.path().string();
    points.push_back({entry.path().filename().string(), WorthIn(path), RowsIn(path)});
  });
  return points;
}

// Removes the rows of a point, and the point unless something else is in it.
void RemovePoint(const std::string& path) {
  for (const RowsOnDisk& file : RowsIn(path)) files::Remove(file.path).IgnoreError();
  ForEachIn(path, [](const fs::directory_entry& file) {
    // Also what a process that was killed has left while it wrote.
    const std::string name = file.path().filename().string();
    if (name == kAboutFile || name.starts_with(".about.")) unlink(file.path().c_str());
  });
  rmdir(path.c_str());
}

// Whether this room makes such a file beside the points.
bool IsOwnFile(const fs::directory_entry& entry) {
  std::string name = entry.path().filename().string();
  if (name.starts_with('.')) name.erase(0, 1);
  std::error_code error;
  return entry.symlink_status(error).type() == fs::file_type::regular &&
         (name.starts_with("speed") || name.starts_with("probe-") || name.starts_with("profile-"));
}

int64_t BytesOf(const std::vector<PointOnDisk>& points) {
  int64_t bytes = 0;
  for (const PointOnDisk& point : points) {
    for (const RowsOnDisk& file : point.files) bytes += file.bytes;
  }
  return bytes;
}

// Removes files, those whose bytes are worth least first, until at most `wanted` of the `used`
// bytes are left, or all are removed. Returns the bytes that are used then.
int64_t RemovePoorest(std::vector<PointOnDisk> points, int64_t used, int64_t wanted) {
  std::ranges::sort(points, {}, &PointOnDisk::worth);
  for (const PointOnDisk& point : points) {
    for (const RowsOnDisk& file : point.files) {
      if (used <= wanted) return used;
      if (files::Remove(file.path).ok()) used -= file.bytes;
    }
  }
  return used;
}

// Writes a file as a whole. What a power cut may lose saves a wait for the disk each time that a
// point is opened.
absl::Status WriteWithoutSync(const std::string& path, std::string_view bytes) {
  static std::atomic<int64_t> number = 0;
  const fs::path target(path);
  const std::string temporary =
      files::Join(target.parent_path().string(),
                  fmt::format(".{}.{}.{}", target.filename().string(), getpid(), number++));
  const Descriptor file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.is_open() && WriteWhole(file.number(), bytes) &&
      rename(temporary.c_str(), path.c_str()) == 0) {
    return absl::OkStatus();
  }
  const int error = errno;
  unlink(temporary.c_str());
  if (IsNoRoom(error)) return DiskFull(path);
  return PermissionDenied("cannot write {}: {}", path, std::strerror(error));
}

// One process at a time makes room.
absl::StatusOr<Descriptor> LockOf(const std::string& folder) {
  const std::string path = files::Join(folder, kLockFile);
  Descriptor lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!lock.is_open()) {
    const int error = errno;
    if (error == ENOENT) return NotFound("{} was removed", folder);
    if (IsNoRoom(error)) return DiskFull(path);
    return PermissionDenied("cannot open {}: {}", path, std::strerror(error));
  }
  // Where files cannot be locked, processes may exceed the budget together.
  for (int wait = 0; flock(lock.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++wait) {
    if (wait == kMostWaits) return Unavailable("{} is locked by a process that hangs", path);
    nanosleep(&kWait, nullptr);
  }
  return lock;
}

}  // namespace

FolderBudget::FolderBudget(std::string folder, int64_t bytes, Duration keep_unused,
                           FolderPlace place)
    : folder_(std::move(folder)), bytes_(bytes), place_(place) {
  if (files::Exists(folder_) && Check().ok()) RemoveUnused(keep_unused);
}

absl::Status FolderBudget::Check() const {
  if (place_ == FolderPlace::kPublic) {
    for (const std::string& path : {fs::path(folder_).parent_path().string(), folder_}) {
      const absl::Status own = files::CheckOwnFolder(path);
      if (absl::IsNotFound(own)) return absl::OkStatus();
      RETURN_IF_ERROR(own);
    }
    return absl::OkStatus();
  }
  struct stat about = {};
  if (stat(folder_.c_str(), &about) != 0) return absl::OkStatus();
  if ((about.st_mode & S_IWOTH) != 0) {
    return PermissionDenied("other users may write into {}", folder_);
  }
  return absl::OkStatus();
}

absl::Status FolderBudget::MakeFolder() const {
  if (place_ == FolderPlace::kPublic) {
    RETURN_IF_ERROR(files::MakeOwnFolder(fs::path(folder_).parent_path().string()));
    return files::MakeOwnFolder(folder_);
  }
  RETURN_IF_ERROR(files::CreateFolder(folder_));
  return Check();
}

void FolderBudget::RemoveUnused(Duration keep_unused) const {
  const auto lock = LockOf(folder_);
  if (!lock.ok()) return;
  const int64_t oldest = std::time(nullptr) - keep_unused.micros / 1'000'000;
  ForEachIn(folder_, [&](const fs::directory_entry& entry) {
    const std::string path = entry.path().string();
    const bool is_point = IsPoint(entry);
    if (!is_point && !IsOwnFile(entry)) return;
    struct stat about = {};
    const std::string used = is_point ? files::Join(path, kAboutFile) : path;
    if (stat(used.c_str(), &about) == 0 && about.st_mtim.tv_sec >= oldest) return;
    // What cannot be removed is tried again by the next process.
    if (!is_point) {
      files::Remove(path).IgnoreError();
    } else if (WorthIn(path) < kAskedFor) {
      RemovePoint(path);
    }
  });
}

absl::StatusOr<std::string> FolderBudget::OpenPoint(std::string_view digest,
                                                    const PointAbout& about) const {
  RETURN_IF_ERROR(MakeFolder());
  std::string folder = files::Join(folder_, digest);
  RETURN_IF_ERROR(files::CreateFolder(folder));
  const std::string path = files::Join(folder, kAboutFile);
  const std::string text = fmt::format("{:.6g}\n{}\n", about.worth, about.text);
  const auto known = files::ReadRegular(path, kMostAboutBytes);
  const bool is_kept = known.ok() && (*known == text || about.worth == 0 || IsAskedFor(digest));
  if (!is_kept) {
    // What a user has asked for must not be taken for something else after a power cut.
    RETURN_IF_ERROR(about.worth >= kAskedFor ? files::WriteAtomically(path, text)
                                             : WriteWithoutSync(path, text));
  } else {
    // It is used now.
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  }
  return folder;
}

bool FolderBudget::IsAskedFor(std::string_view digest) const {
  return WorthIn(files::Join(folder_, digest)) >= kAskedFor;
}

absl::Status FolderBudget::MakeRoom(std::string_view digest, int64_t bytes,
                                    const std::function<void(int64_t)>& take) const {
  auto used_up =
      ResourceExhausted("its budget of {} bytes is used up by rows that save as much", bytes_);
  if (bytes > bytes_) return used_up;
  ASSIGN_OR_RETURN(const Descriptor lock, LockOf(folder_));
  std::vector<PointOnDisk> points = PointsIn(folder_);
  int64_t used = BytesOf(points);
  if (used + bytes > bytes_) {
    const auto own = std::ranges::find(points, digest, &PointOnDisk::digest);
    if (own == points.end()) return NotFound("{} was removed", files::Join(folder_, digest));
    const double worth = own->worth;
    std::erase_if(points, [&](const PointOnDisk& point) {
      return point.digest == digest || point.worth * kGivesWay > worth;
    });
    if (used - BytesOf(points) + bytes > bytes_) return used_up;
    used = RemovePoorest(std::move(points), used, bytes_ - bytes);
    if (used + bytes > bytes_) return used_up;
  }
  take(std::min(bytes_ - used, std::max(bytes, std::min(kRoomAtOnce, bytes_ / kPartAtOnce))));
  return absl::OkStatus();
}

int64_t FolderBudget::BytesFor(std::span<const std::string> digests) const {
  std::vector<PointOnDisk> others = PointsIn(folder_);
  std::erase_if(others, [&](const PointOnDisk& point) {
    return std::ranges::find(digests, point.digest) != digests.end();
  });
  return std::max<int64_t>(0, bytes_ - BytesOf(others));
}

absl::StatusOr<std::vector<std::string>> RowFilesIn(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  const auto add_rows_of = [&](const fs::directory_entry& point) {
    if (!IsPoint(point)) return;
    ForEachIn(
        point.path().string(),
        [&](const fs::directory_entry& file) {
          if (file.path().extension() == kRowsExtension) paths.push_back(file.path().string());
        },
        &error);
  };
  ForEachIn(folder, add_rows_of, &error);
  if (error) return PermissionDenied("cannot list {}: {}", folder, error.message());
  return paths;
}

}  // namespace tidemill::prepared
