// Turns a store's refusal into a status that says what to do.
#pragma once

#include "base/status.h"
#include "storage/filesystems/object_path.h"
#include "storage/filesystems/object_store_config.h"
#include "storage/filesystems/s3_http.h"

namespace tidemill::storage {

// `response` must not be a success. Returns the errors of S3Client. Only UNAVAILABLE is worth
// another attempt.
absl::Status ToStatus(const HttpResponse& response, const ObjectPath& path,
                      const ObjectStoreConfig& config);

}  // namespace tidemill::storage
