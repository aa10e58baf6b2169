// Names in object stores: s3://bucket/key.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/client/dataset_path.h"

namespace tidemill::storage {

struct ObjectPath {
  std::string bucket;
  std::string key;  // Empty: the bucket itself.

  std::string ToString() const;
};

// INVALID_ARGUMENT for what is no s3://bucket or s3://bucket/key.
absl::StatusOr<ObjectPath> ParseObjectPath(std::string_view path);

// A path as the root of a dataset: no slash at the end. INVALID_ARGUMENT besides for an empty
// folder's name, "." and "..", which mean nothing in a store.
absl::StatusOr<std::string> ObjectRoot(std::string_view path);

// Whether `path` is the root or lies below it; both are object paths. Nothing is resolved.
bool IsBelowObjectRoot(std::string_view root, std::string_view path);

// All but letters, digits, "-._~" as %XX, which is how signed requests write names.
std::string PercentEncode(std::string_view text, bool keep_slashes);
// The same back, and "+" as a space.
std::string PercentDecode(std::string_view text);

}  // namespace tidemill::storage
