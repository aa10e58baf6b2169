#include "storage/filesystems/data_roots.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "storage/filesystems/object_path.h"

namespace tidemill::storage {

namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;

absl::Status Outside(const std::string& path) {
  return InvalidArgument(
      "path '{}' is in none of the allowed data folders, see storage.allowed_roots", path);
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

std::deque<std::string> NamesOf(const std::string& path) {
  std::deque<std::string> names;
  for (const fs::path& name : fs::path(path)) {
    if (!name.empty() && name != "." && name != "/") names.push_back(name.string());
  }
  return names;
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
  const std::optional<Place> place = Locate(path);
  if (!place) return Outside(path);
  Walk walk{.at = place->root, .ahead = NamesOf(place->below)};
  while (!walk.ahead.empty()) {
    const std::string name = std::move(walk.ahead.front());
    walk.ahead.pop_front();
    if (name == "..") {
      // What lies above a name that was not looked at depends on whether that is a link.
      if (!walk.is_known) return Outside(path);
      walk.at = fs::path(walk.at).parent_path().string();
    } else if (IsInside(walk.at)) {
      RETURN_IF_ERROR(StepInside(name, path, walk));
    } else {
      StepOutside(name, walk);
    }
  }
  if (!IsInside(walk.at)) return Outside(path);
  return std::move(walk.at);
}

absl::Status DataRoots::StepInside(const std::string& name, const std::string& asked,
                                   Walk& walk) const {
  const fs::path next = fs::path(walk.at) / name;
  struct stat status = {};
  if (lstat(next.c_str(), &status) != 0) return NotFound("there is no {}", asked);
  if (!S_ISLNK(status.st_mode)) {
    walk.at = next.string();
    return absl::OkStatus();
  }
  if (++walk.num_links > kMostLinks) {
    return NotFound("there is no {}: its links form a circle", asked);
  }
  std::error_code error;
  const fs::path target = fs::read_symlink(next, error);
  if (error) return NotFound("there is no {}", asked);
  if (target.is_absolute()) walk.at = "/";
  std::deque<std::string> names = NamesOf(target.string());
  walk.ahead.insert(walk.ahead.begin(), names.begin(), names.end());
  return absl::OkStatus();
}

void DataRoots::StepOutside(const std::string& name, Walk& walk) const {
  walk.at = (fs::path(walk.at) / name).string();
  const auto root = std::ranges::find_if(folders_, [&](const Root& folder) {
    return walk.at == folder.resolved || walk.at == folder.written;
  });
  walk.is_known = root != folders_.end();
  if (walk.is_known) walk.at = root->resolved;
}

bool DataRoots::IsInside(const std::string& path) const {
  return std::ranges::any_of(
      folders_, [&](const Root& root) { return Below(root.resolved, path).has_value(); });
}

absl::StatusOr<std::string> DataRoots::ResolveObject(const std::string& path) const {
  // Without "..", which a store would take for a name.
  ASSIGN_OR_RETURN(std::string object, ObjectRoot(path));
  const auto is_below = [&](const std::string& root) { return IsBelowObjectRoot(root, object); };
  if (!std::ranges::any_of(objects_, is_below)) return Outside(path);
  return object;
}

}  // namespace tidemill::storage
