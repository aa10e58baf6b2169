// A client's connection to storage's socket for direct reads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "base/descriptor.h"
#include "base/id.h"
#include "base/mutex.h"
#include "base/paths/local_socket.h"
#include "base/status.h"
#include "batch/buffer.h"
#include "storage/gather/direct_frames.h"
#include "storage/gather/gather.h"

namespace tidemill::storage::direct {

// The mappings of files by device and inode, so that connections share them. Thread-safe.
class SharedMappings {
 public:
  // Maps the file of a descriptor with its present length. Returns the errors of MappedFile::Map.
  absl::StatusOr<std::shared_ptr<const MappedFile>> Map(int descriptor) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using FileKey = std::pair<uint64_t, uint64_t>;  // The device and the inode.
  Mutex mutex_;
  absl::flat_hash_map<FileKey, std::weak_ptr<const MappedFile>> mappings_ ABSL_GUARDED_BY(mutex_);
};

// A checked answer: every number in it is in its allowed range.
struct Answer {
  AnswerHeader header;
  // The body. The spans below, and the columns made from them, are slices of it.
  batch::Buffer body;
  // The places of its rows in the files of the connection. They are valid until the next answer is
  // received.
  Extents extents;
  std::span<const ProblemEntry> problems;
  std::string_view text;
};

// One connection. Thread-compatible.
class Connection {
 public:
  // Connects and sends the greeting. UNAVAILABLE when no server answers. PERMISSION_DENIED when the
  // other end belongs to another user or refuses the connection. `mappings` must outlive this
  // object.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const std::string& path,
                                                          const std::string& token,
                                                          const std::stop_token& stop,
                                                          SharedMappings& mappings);

  // Queues a request of at most kMaxKeys keys. It is sent while Receive() waits.
  void Ask(DatasetId dataset, std::span<const int64_t> keys);
  // Asks for a new descriptor of a file with the next request.
  void Forget(uint32_t file) { forgotten_.push_back(file); }

  // Waits for the next answer. UNAVAILABLE when the connection is broken, or when no bytes arrive
  // for some seconds. CANCELLED when a stop is requested. DATA_LOSS when descriptors were lost.
  // INVALID_ARGUMENT when the bytes are not an answer. After an error the connection cannot be used
  // any more.
  absl::StatusOr<Answer> Receive(const std::stop_token& stop);

 private:
  Connection(LocalSocket socket, SharedMappings& mappings)
      : socket_(std::move(socket)), mappings_(mappings) {}
  absl::Status Greet(const std::string& token, const std::stop_token& stop);
  absl::Status Flush();
  // Fills `into`, and sends queued requests meanwhile.
  absl::Status Fill(std::span<std::byte> into, const std::stop_token& stop);
  absl::Status TakeFiles(std::span<const uint32_t> numbers);

  LocalSocket socket_;
  SharedMappings& mappings_;
  std::vector<std::byte> unsent_;
  size_t num_sent_ = 0;
  std::vector<uint32_t> forgotten_;
  std::vector<Descriptor> received_;
  // The files by number; the last one is always null.
  std::array<std::shared_ptr<const MappedFile>, kMaxFiles + 1> files_;
  std::array<const MappedFile*, kMaxFiles + 1> mapped_{};
};

}  // namespace tidemill::storage::direct
