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
#include "base/local_socket.h"
#include "base/mutex.h"
#include "base/status.h"
#include "batch/buffer.h"
#include "storage/client/direct_frames.h"
#include "storage/client/gather.h"

namespace tidemill::storage::direct {

// Mappings of files by what they are, so that connections share them. Thread-safe.
class SharedMappings {
 public:
  // The file of a descriptor, mapped as long as it is now. Codes as MappedFile::Map.
  absl::StatusOr<std::shared_ptr<const MappedFile>> Map(int descriptor) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using FileKey = std::pair<uint64_t, uint64_t>;  // Device and inode.
  Mutex mutex_;
  absl::flat_hash_map<FileKey, std::weak_ptr<const MappedFile>> mappings_ ABSL_GUARDED_BY(mutex_);
};

// An answer, checked: every number in it is one that it may be.
struct Answer {
  AnswerHeader header;
  // Its columns, which the spans below and columns made of it are slices of.
  batch::Buffer body;
  // Where its rows lie; in files of the connection, as they are until the next answer is received.
  Extents extents;
  std::span<const ProblemEntry> problems;
  std::string_view text;
};

// Thread-compatible.
class Connection {
 public:
  // Greets. UNAVAILABLE when nobody is there, PERMISSION_DENIED when the other end is another
  // user's or refuses us. `mappings` must outlive it.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const std::string& path,
                                                          const std::string& token,
                                                          const std::stop_token& stop,
                                                          SharedMappings& mappings);

  // Queues a request, of at most kMaxKeys; it leaves while answers are waited for.
  void Ask(DatasetId dataset, std::span<const int64_t> keys);
  // Wants the descriptor of a file anew, with the next request.
  void Forget(uint32_t file) { forgotten_.push_back(file); }

  // Waits for the next answer. UNAVAILABLE when the connection is broken or nothing comes for some
  // seconds, CANCELLED at a stop, DATA_LOSS when descriptors were lost, INVALID_ARGUMENT for what
  // is no answer: then the connection is of no more use.
  absl::StatusOr<Answer> Receive(const std::stop_token& stop);

 private:
  Connection(LocalSocket socket, SharedMappings& mappings)
      : socket_(std::move(socket)), mappings_(mappings) {}
  absl::Status Greet(const std::string& token, const std::stop_token& stop);
  absl::Status Flush();
  // Fills `into`, sending what is queued meanwhile.
  absl::Status Fill(std::span<std::byte> into, const std::stop_token& stop);
  absl::Status TakeFiles(std::span<const uint32_t> numbers);

  LocalSocket socket_;
  SharedMappings& mappings_;
  std::vector<std::byte> unsent_;
  size_t num_sent_ = 0;
  std::vector<uint32_t> forgotten_;
  std::vector<Descriptor> received_;
  // By number; the last one stays null.
  std::array<std::shared_ptr<const MappedFile>, kMaxFiles + 1> files_;
  std::array<const MappedFile*, kMaxFiles + 1> mapped_{};
};

}  // namespace tidemill::storage::direct
