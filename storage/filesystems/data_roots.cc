#include "storage/filesystems/data_roots.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "storage/filesystems/object_path.h"

namespace tidemill::storage {

namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;

absl::Status Outside(const std::string& path) {
  return InvalidArgument(
      "path '{}' lies in none of the allowed data folders, see storage.allowed_roots", path);
}

// Without links being followed, and without a slash at the end.
std::string Normal(const std::string& path) {
  std::string normal = fs::path(path).lexically_normal().string();
  while (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

// What of `path` lies below `folder`; both are normal.
std::optional<std::string> Below(const std::string& folder, const std::string& path) {
  if (path == folder) return "";
  const std::string prefix = folder == "/" ? folder : folder + "/";
  if (!path.starts_with(prefix)) return std::nullopt;
  return path.substr(prefix.size());
}

// One walk down from a root, in which no name leads elsewhere, or to the first link.
struct Walk {
  std::string at;
  // Where the link leads, and what lies behind it; std::nullopt: the walk came to its end.
  std::optional<fs::path> link;
};

absl::StatusOr<Walk> WalkDown(const std::string& root, const std::string& below,
                              const std::string& asked) {
  Walk walk{.at = root, .link = std::nullopt};
  const fs::path names = below;
  for (auto name = names.begin(); name != names.end(); ++name) {
    const fs::path next = fs::path(walk.at) / *name;
    struct stat status = {};
    if (lstat(next.c_str(), &status) != 0) return NotFound("there is no {}", asked);
    if (!S_ISLNK(status.st_mode)) {
      walk.at = next.string();
      continue;
    }
    std::error_code error;
    fs::path target = fs::read_symlink(next, error);
    if (error) return NotFound("there is no {}", asked);
    if (target.is_relative()) target = fs::path(walk.at) / target;
    for (++name; name != names.end(); ++name) target /= *name;
    walk.link = std::move(target);
    return walk;
  }
  return walk;
}

}  // namespace

DataRoots::DataRoots(const std::vector<std::string>& allowed) {
  for (const std::string& root : allowed) {
    if (IsObjectPath(root)) {
      if (auto object = ObjectRoot(root); object.ok()) objects_.push_back(*std::move(object));
      continue;
    }
    if (!root.starts_with('/')) continue;
    std::error_code error;
    const fs::path resolved = fs::canonical(root, error);
    if (!error) folders_.push_back({.written = Normal(root), .resolved = resolved.string()});
  }
}

std::optional<DataRoots::Place> DataRoots::Locate(const std::string& path) const {
  if (path.find('\0') != std::string::npos) return std::nullopt;
  const std::string normal = Normal(path);
  for (const Root& root : folders_) {
    for (const std::string& folder : {root.resolved, root.written}) {
      if (auto below = Below(folder, normal)) {
        return Place{.root = root.resolved, .below = *std::move(below)};
      }
    }
  }
  return std::nullopt;
}

absl::StatusOr<std::string> DataRoots::Resolve(const std::string& path) const {
  if (IsObjectPath(path)) return ResolveObject(path);
  if (!path.starts_with('/')) return InvalidArgument("path '{}' is not absolute", path);
  std::string asked = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    const std::optional<Place> place = Locate(asked);
    if (!place) return Outside(path);
    ASSIGN_OR_RETURN(Walk walk, WalkDown(place->root, place->below, path));
    if (!walk.link) return std::move(walk.at);
    asked = walk.link->string();
  }
  return NotFound("there is no {}: its links lead in a circle", path);
}

absl::StatusOr<std::string> DataRoots::ResolveObject(const std::string& path) const {
  // Without "..", which a store would take for a name.
  ASSIGN_OR_RETURN(std::string object, ObjectRoot(path));
  const auto is_below = [&](const std::string& root) { return IsBelowObjectRoot(root, object); };
  if (!std::ranges::any_of(objects_, is_below)) return Outside(path);
  return object;
}

}  // namespace tidemill::storage
