#include "storage/filesystems/data_roots.h"

#include <algorithm>
#include <utility>

#include "storage/filesystems/object_path.h"

namespace tidemill::storage {

namespace {

constexpr char kOutside[] = "is in none of the allowed data folders, see storage.allowed_roots";

}  // namespace

DataRoots::DataRoots(const std::vector<std::string>& allowed,
                     std::shared_ptr<const StateFolders> states)
    : folders_(allowed, std::move(states), kOutside) {
  for (const std::string& root : allowed) {
    if (!IsObjectPath(root)) continue;
    if (auto object = ObjectRoot(root); object.ok()) objects_.push_back(*std::move(object));
  }
}

absl::StatusOr<std::string> DataRoots::Resolve(const std::string& path) const {
  return IsObjectPath(path) ? ResolveObject(path) : folders_.Resolve(path);
}

absl::StatusOr<std::string> DataRoots::ResolveObject(const std::string& path) const {
  // Without "..", which a store would take for a name.
  ASSIGN_OR_RETURN(std::string object, ObjectRoot(path));
  const auto is_below = [&](const std::string& root) { return IsBelowObjectRoot(root, object); };
  if (!std::ranges::any_of(objects_, is_below)) {
    return InvalidArgument("path '{}' {}", path, kOutside);
  }
  return object;
}

}  // namespace tidemill::storage
