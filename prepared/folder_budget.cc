#include "prepared/folder_budget.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "base/descriptor.h"
#include "base/files.h"

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
  const auto text = files::Read(files::Join(folder, kAboutFile), kMostAboutBytes);
  double worth = 0;
  if (text.ok()) std::from_chars(text->data(), text->data() + text->size(), worth);
  return worth;
}

// Files that vanish meanwhile are passed over.
std::vector<PointOnDisk> PointsIn(const std::string& folder) {
  std::vector<PointOnDisk> points;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (!entry.is_directory(error)) continue;
    PointOnDisk point{.digest = entry.path().filename().string(),
                      .worth = WorthIn(entry.path().string())};
    for (const fs::directory_entry& file : fs::directory_iterator(entry.path(), error)) {
      if (file.path().extension() != kRowsExtension) continue;
      const auto size = file.file_size(error);
      if (!error) point.files.push_back({file.path().string(), static_cast<int64_t>(size)});
    }
    points.push_back(std::move(point));
  }
  return points;
}

int64_t BytesOf(const std::vector<PointOnDisk>& points) {
  int64_t bytes = 0;
  for (const PointOnDisk& point : points) {
    for (const RowsOnDisk& file : point.files) bytes += file.bytes;
  }
  return bytes;
}

// One process at a time makes room.
Descriptor LockOf(const std::string& folder) {
  Descriptor lock(open(files::Join(folder, kLockFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.is_open()) flock(lock.number(), LOCK_EX);
  return lock;
}

}  // namespace

FolderBudget::FolderBudget(std::string folder, int64_t bytes, Duration keep_unused)
    : folder_(std::move(folder)), bytes_(bytes) {
  if (files::Exists(folder_)) RemoveUnused(keep_unused);
}

void FolderBudget::RemoveUnused(Duration keep_unused) const {
  const Descriptor lock = LockOf(folder_);
  const int64_t oldest = std::time(nullptr) - keep_unused.micros / 1'000'000;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    const std::string path = entry.path().string();
    const bool is_point = entry.is_directory(error);
    if (entry.path().filename() == kLockFile) continue;
    struct stat about = {};
    const std::string used = is_point ? files::Join(path, kAboutFile) : path;
    if (stat(used.c_str(), &about) == 0 && about.st_mtim.tv_sec >= oldest) continue;
    if (is_point && WorthIn(path) >= kAskedFor) continue;
    // What cannot be removed is tried again by the next process.
    files::Remove(path).IgnoreError();
  }
}

absl::StatusOr<std::string> FolderBudget::OpenPoint(std::string_view digest,
                                                    const PointAbout& about) const {
  std::string folder = files::Join(folder_, digest);
  RETURN_IF_ERROR(files::CreateFolder(folder));
  const std::string path = files::Join(folder, kAboutFile);
  const std::string text = fmt::format("{:.6g}\n{}\n", about.worth, about.text);
  const auto known = files::Read(path, kMostAboutBytes);
  const bool is_kept = known.ok() && (*known == text || about.worth == 0 || IsAskedFor(digest));
  if (!is_kept) {
    RETURN_IF_ERROR(files::WriteAtomically(path, text));
  } else {
    // It is used now.
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  }
  return folder;
}

bool FolderBudget::IsAskedFor(std::string_view digest) const {
  return WorthIn(files::Join(folder_, digest)) >= kAskedFor;
}

bool FolderBudget::MakeRoom(std::string_view digest, int64_t bytes) const {
  if (bytes > bytes_) return false;
  const Descriptor lock = LockOf(folder_);
  if (!lock.is_open()) return false;
  std::vector<PointOnDisk> points = PointsIn(folder_);
  int64_t used = BytesOf(points);
  if (used + bytes <= bytes_) return true;
  const auto own = std::ranges::find(points, digest, &PointOnDisk::digest);
  if (own == points.end()) return false;
  const double worth = own->worth;
  std::erase_if(points, [&](const PointOnDisk& point) {
    return point.digest == digest || point.worth * kGivesWay > worth;
  });
  if (used - BytesOf(points) + bytes > bytes_) return false;
  std::ranges::sort(points, {}, &PointOnDisk::worth);
  for (const PointOnDisk& point : points) {
    for (const RowsOnDisk& file : point.files) {
      if (used + bytes <= bytes_) return true;
      if (files::Remove(file.path).ok()) used -= file.bytes;
    }
  }
  return used + bytes <= bytes_;
}

int64_t FolderBudget::BytesFor(std::span<const std::string> digests) const {
  std::vector<PointOnDisk> others = PointsIn(folder_);
  std::erase_if(others, [&](const PointOnDisk& point) {
    return std::ranges::find(digests, point.digest) != digests.end();
  });
  return std::max<int64_t>(0, bytes_ - BytesOf(others));
}

}  // namespace tidemill::prepared
