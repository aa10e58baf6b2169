// Names in object stores: s3://bucket/key.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/spec/dataset_path.h"

namespace tidemill::storage {

struct ObjectPath {
  std::string bucket;
  std::string key;  // Empty for the bucket itself.

  std::string ToString() const;
};

// INVALID_ARGUMENT when it is neither s3://bucket nor s3://bucket/key.
absl::StatusOr<ObjectPath> ParseObjectPath(std::string_view path);

// Returns a path as the root of a dataset, without a slash at the end. INVALID_ARGUMENT also for an
// empty folder's name, and for "." and "..", which mean nothing in a store.
absl::StatusOr<std::string> ObjectRoot(std::string_view path);

// Whether `path` is the root or below it. Both are object paths. Nothing is resolved.
bool IsBelowObjectRoot(std::string_view root, std::string_view path);

// Encodes everything except letters, digits and "-._~" as %XX, as names in signed requests are
// written.
std::string PercentEncode(std::string_view text, bool keep_slashes);
// Does the reverse, and turns "+" into a space.
std::string PercentDecode(std::string_view text);

}  // namespace tidemill::storage
