// Files that pipelines name, kept by their content for as long as a pipeline needs them.
//
//   <folder>/files/<sha256>
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/status.h"
#include "base/time.h"
#include "model_store/part_file.h"

namespace tidemill::model_store {

// A file on its way in. Leaves nothing behind when dropped before Finish(). Thread-compatible.
class IncomingFile {
 public:
  // The next bytes, cut anywhere. DATA_LOSS for more than were announced.
  absl::Status Append(std::string_view bytes);

  // Makes the file durable. DATA_LOSS when its bytes are not those announced.
  absl::Status Finish();

 private:
  friend class KeptFiles;
  IncomingFile(std::unique_ptr<PartFile> file, std::string folder, std::string digest,
               int64_t size_bytes);

  const std::unique_ptr<PartFile> file_;
  const std::string folder_;
  const std::string digest_;
  int64_t missing_bytes_;
  const int64_t size_bytes_;
};

// Thread-safe: a file never changes once it has its name. Movable while nobody uses it.
class KeptFiles {
 public:
  // Makes the folder, and removes what was cut short by a crash.
  static absl::StatusOr<KeptFiles> Open(const std::string& folder);

  // Begins to take a file. INVALID_ARGUMENT for what is no SHA-256 in hexadecimal and for a
  // negative size; RESOURCE_EXHAUSTED above 1 GiB.
  absl::StatusOr<std::unique_ptr<IncomingFile>> Begin(const std::string& digest,
                                                      int64_t size_bytes) const;

  // Its size, and keeps it for the time of grace from now on. NOT_FOUND; INVALID_ARGUMENT for what
  // is no digest.
  absl::StatusOr<int64_t> Find(const std::string& digest) const;

  // Hands the file to `sink` in pieces, after having checked all of it. NOT_FOUND; DATA_LOSS for
  // one that has changed.
  absl::Status Read(const std::string& digest,
                    const std::function<absl::Status(std::string_view)>& sink) const;

  // Whether the file is there with that size and the bytes of its digest, all of which are read;
  // keeps it like Find().
  bool IsSound(const std::string& digest, int64_t size_bytes) const;

  // Removes the files whose digests are not among `kept` and that nobody asked for within `grace`:
  // their pipelines may be on their way. Returns how many.
  absl::StatusOr<int64_t> Retire(const std::set<std::string>& kept, Duration grace) const;

 private:
  explicit KeptFiles(std::string folder) : folder_(std::move(folder)) {}
  // The path of a file. INVALID_ARGUMENT for what is no digest.
  absl::StatusOr<std::string> PathOf(const std::string& digest) const;

  std::string folder_;
  // Between marking a file as used and removing one that is not.
  std::unique_ptr<Mutex> mutex_ = std::make_unique<Mutex>();
};

}  // namespace tidemill::model_store
