// Files that are stored by their content for as long as something names them: a pipeline, or a
// model or a job of a run.
//
//   <folder>/files/<sha256>              those that pipelines name
//   <folder>/models/<run_id>/<sha256>    those of a run
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

// Whether the text can be the SHA-256 of a file, in hexadecimal.
bool IsDigest(std::string_view text);

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

// The files of one folder. Thread-safe: a file never changes once it has its name. Movable while no
// other thread uses it.
class KeptFiles {
 public:
  // The most bytes of a file that a pipeline names, and of a file of a run.
  static constexpr int64_t kMaxOfPipeline = int64_t{1} << 30;
  static constexpr int64_t kMaxOfRun = int64_t{1} << 36;

  // Creates the folder, and removes files that a crash cut short.
  static absl::StatusOr<KeptFiles> Open(const std::string& folder);

  // The files of a run, whose folder may be in use. It need not exist yet.
  static KeptFiles OfRun(std::string folder) { return {std::move(folder), kMaxOfRun}; }

  // Begins to receive a file, into a folder that exists. INVALID_ARGUMENT when the digest is not a
  // SHA-256 in hexadecimal, or the size is negative. RESOURCE_EXHAUSTED when it is too large.
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

  // Counts the bytes of the files that are whole. UNAVAILABLE when the folder cannot be listed.
  absl::StatusOr<int64_t> CountBytes() const;

  // Removes the files whose digests are not among `kept` and that were not requested within
  // `grace`, because what names them may be on its way. Returns their number.
  absl::StatusOr<int64_t> Retire(const std::set<std::string>& kept, Duration grace) const;

 private:
  KeptFiles(std::string folder, int64_t max_bytes)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}
  // Returns the path of a file. INVALID_ARGUMENT when it is not a digest.
  absl::StatusOr<std::string> PathOf(const std::string& digest) const;

  std::string folder_;
  int64_t max_bytes_;
  // Held while a file is marked as used, and while an unused file is removed.
  std::unique_ptr<Mutex> mutex_ = std::make_unique<Mutex>();
};

}  // namespace tidemill::model_store
