// From a store's refusal to a status that says what to do.
#pragma once

#include "base/status.h"
#include "storage/filesystems/object_path.h"
#include "storage/filesystems/object_store_config.h"
#include "storage/filesystems/s3_http.h"

namespace tidemill::storage {

// Of an answer whose status is none of success. Codes as S3Client's; only what is UNAVAILABLE is
// worth another attempt.
absl::Status ToStatus(const HttpResponse& response, const ObjectPath& path,
                      const ObjectStoreConfig& config);

}  // namespace tidemill::storage
