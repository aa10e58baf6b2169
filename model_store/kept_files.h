// The files that pipelines name. They are stored by their content for as long as a pipeline needs
// them.
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

// A file that is being received. Leaves nothing on disk when it is destroyed before Finish().
// Thread-compatible.
class IncomingFile {
 public:
  // Takes the next bytes, cut anywhere. DATA_LOSS for more bytes than announced.
  absl::Status Append(std::string_view bytes);

  // Makes the file durable. DATA_LOSS when its bytes are not the announced ones.
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

// Thread-safe: a file never changes once it has its name. Movable while no other thread uses it.
class KeptFiles {
 public:
  // Creates the folder, and removes files that a crash cut short.
  static absl::StatusOr<KeptFiles> Open(const std::string& folder);

  // Begins to receive a file. INVALID_ARGUMENT when the digest is not a SHA-256 in hexadecimal, or
  // the size is negative. RESOURCE_EXHAUSTED above 1 GiB.
  absl::StatusOr<std::unique_ptr<IncomingFile>> Begin(const std::string& digest,
                                                      int64_t size_bytes) const;

  // Returns the size of a file. The file is then kept for the grace period. NOT_FOUND;
  // INVALID_ARGUMENT when it is not a digest.
  absl::StatusOr<int64_t> Find(const std::string& digest) const;

  // Passes the file to `sink` in pieces, after all of it was checked. NOT_FOUND; DATA_LOSS when it
  // has changed.
  absl::Status Read(const std::string& digest,
                    const std::function<absl::Status(std::string_view)>& sink) const;

  // Whether the file exists with that size and with the bytes of its digest. All bytes are read.
  // Keeps the file as Find() does.
  bool IsSound(const std::string& digest, int64_t size_bytes) const;

  // Removes the files whose digests are not among `kept` and that were not requested within
  // `grace`, because their pipelines may be on their way. Returns their number.
  absl::StatusOr<int64_t> Retire(const std::set<std::string>& kept, Duration grace) const;

 private:
  explicit KeptFiles(std::string folder) : folder_(std::move(folder)) {}
  // Returns the path of a file. INVALID_ARGUMENT when it is not a digest.
  absl::StatusOr<std::string> PathOf(const std::string& digest) const;

  std::string folder_;
  // Held while a file is marked as used, and while an unused file is removed.
  std::unique_ptr<Mutex> mutex_ = std::make_unique<Mutex>();
};

}  // namespace tidemill::model_store
