// Where a dataset's folder is.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tidemill::storage {

// Whether a path names something in an object store.
inline bool IsObjectPath(std::string_view path) { return path.starts_with("s3://"); }

// A path as written in a file of `folder`, made absolute. What lies in an object store is so
// already.
inline std::string AbsolutePath(const std::string& folder, const std::string& path) {
  if (IsObjectPath(path)) return path;
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

}  // namespace tidemill::storage
