// The server's side of one client's connection for direct reads.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/paths/local_socket.h"
#include "base/status.h"
#include "base/usage/account.h"
#include "rpc/access/tokens.h"
#include "rpc/callers/job_scope.h"
#include "storage/direct/direct_answer.h"
#include "storage/filesystems/file_system.h"
#include "storage/index/sample_index.h"

namespace tidemill::storage {

// The sources that sessions share.
struct DirectSource {
  SampleIndex& indexes;
  FileSystem& files;
  const rpc::Tokens& tokens;
  int64_t block_bytes = 0;
};

// Thread-compatible. Never waits: Step() does what can be done now. Memory: one request and one
// answer, whatever the client sends or does not read.
class DirectSession {
 public:
  using Clock = std::chrono::steady_clock;

  // `source` must outlive this object.
  DirectSession(const DirectSource& source, LocalSocket socket);

  // Receives, makes one answer, or sends, as far as possible now. `scratch` is memory that the
  // sessions of a thread share. After any failure the connection must be closed.
  absl::Status Step(SampleRows& scratch);

  // Whether the next step sends rather than receives.
  bool wants_to_send() const { return num_sent_ < answer_.bytes.size() || HasRequest(); }
  // Whether the client has kept the server waiting for too long.
  bool IsStale(Clock::time_point now) const;
  Clock::time_point last_progress() const { return last_progress_; }
  int descriptor() const { return socket_.number(); }

 private:
  bool HasRequest() const { return next_key_ < keys_.size(); }
  // These methods return true when they made progress.
  absl::StatusOr<bool> Receive();
  absl::StatusOr<bool> Send();
  // Takes a whole greeting or request from the received bytes. Returns false when it is not
  // complete yet.
  absl::StatusOr<bool> TakeMessage();
  absl::StatusOr<bool> TakeGreeting();
  absl::StatusOr<bool> TakeRequest();
  absl::Status Answer(SampleRows& scratch);
  // Writes the time that was used into the header of the answer.
  void WriteTime();

  const DirectSource& source_;
  // The time of the steps since the last answer.
  const std::shared_ptr<usage::Account> account_ = std::make_shared<usage::Account>();
  const LocalSocket socket_;
  Clock::time_point last_progress_ = Clock::now();
  bool is_admitted_ = false;
  rpc::JobScope scope_;
  std::vector<std::byte> received_;  // It has the size of the largest message.
  size_t num_received_ = 0;
  std::shared_ptr<const DatasetIndex>
      index_;  // The index of the current request; shared with readers.
  std::unique_ptr<SampleLookup> lookup_;
  std::vector<int64_t> keys_;
  size_t next_key_ = 0;
  FileNumbers numbers_;
  DirectAnswer answer_;
  size_t num_sent_ = 0;
};

}  // namespace tidemill::storage
