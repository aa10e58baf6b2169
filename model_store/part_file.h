// The files of the model store. A file is written once under its digest and checked on every read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/digest.h"
#include "base/status.h"

namespace tidemill::model_store {

// Writes one file under a temporary name, and gives it its name once its bytes are verified. The
// destructor removes a file that was not published. Thread-compatible.
class PartFile {
 public:
  // `path` is the final name. The temporary one is beside it and ends with kPartialSuffix.
  static absl::StatusOr<std::unique_ptr<PartFile>> Create(const std::string& path);
  ~PartFile();

  // UNAVAILABLE when the disk is full (disk_full.h).
  absl::Status Append(std::string_view bytes);

  // Syncs the bytes. DATA_LOSS when they do not have this size and SHA-256.
  absl::Status Seal(int64_t size_bytes, const std::string& digest);

  // Gives the sealed file its name. The caller syncs the folder.
  absl::Status Publish();

 private:
  PartFile(std::string path, std::string partial_path, Descriptor file);

  const std::string path_;
  const std::string partial_path_;
  Descriptor file_;
  int64_t size_bytes_ = 0;
  Sha256Stream digest_;
};

inline constexpr std::string_view kPartialSuffix = ".partial";

// Makes the renames in a folder durable.
absl::Status SyncFolder(const std::string& folder);

// Gives a file a second name, and replaces an existing file of that name. The caller syncs the
// folder. NOT_FOUND when `from` does not exist.
absl::Status ShareFile(const std::string& from, const std::string& to);

// Passes the bytes of a file to `sink` in pieces of at most 1 MiB, after all of them were checked.
// DATA_LOSS when the file is gone or does not have this size and SHA-256.
absl::Status ReadVerified(const std::string& path, int64_t size_bytes, const std::string& digest,
                          const std::function<absl::Status(std::string_view)>& sink);

}  // namespace tidemill::model_store
