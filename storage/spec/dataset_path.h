// The path of a dataset's folder.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tidemill::storage {

// Whether a path names something in an object store.
inline bool IsObjectPath(std::string_view path) { return path.starts_with("s3://"); }

// Makes a path absolute that a file in `folder` contains. A path in an object store is absolute
// already.
inline std::string AbsolutePath(const std::string& folder, const std::string& path) {
  if (IsObjectPath(path)) return path;
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

}  // namespace tidemill::storage
