// The process that runs a plug-in: when the plug-in crashes, hangs or wants too much memory, only
// that process ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/descriptor.h"
#include "base/local_socket.h"
#include "base/status.h"
#include "base/time.h"
#include "batch/batch.h"
#include "plugin/process/shared_columns.h"
#include "plugin/spec/host_settings.h"
#include "plugin/spec/plugin_use.h"

namespace tidemill::plugin {

// What a host is started with.
struct HostOptions {
  Language language = Language::kPython;
  // What is in the plug-in's file.
  std::string program = {};
  // "surprise.py:Surprise", for messages.
  std::string use = {};
  // The most memory that it may have beside what is shared with it.
  int64_t memory_bytes = int64_t{1} << 30;
  // Of the memories for columns of requests and of answers.
  int64_t columns_bytes = int64_t{1} << 30;
  int64_t answers_bytes = int64_t{64} << 20;
  HostSettings settings = {};
};

// Starts and ends one `tidemill-plugin-host`, which lies beside the running program. It ends with
// this object, and with this process, whatever ends that. Failures are those of fault.h; after one
// of UNAVAILABLE or DEADLINE_EXCEEDED the process is gone and calls are UNAVAILABLE.
// Thread-compatible.
class HostProcess {
 public:
  // Waits until the host has said hello, for a minute at most. Failures are those of the machine.
  static absl::StatusOr<std::unique_ptr<HostProcess>> Start(const HostOptions& options);
  ~HostProcess();
  HostProcess(const HostProcess&) = delete;
  HostProcess& operator=(const HostProcess&) = delete;

  // Forgets the columns of the call before. Then, in the order of the message, adds columns to the
  // next call; see ColumnWriter.
  void BeginColumns() { writer_.Restart(); }
  // Whether the columns of a call were so large that this process is better replaced: memory that
  // is sealed cannot be given back.
  bool is_worn() const { return writer_.end() > kMostKept; }
  absl::StatusOr<nlohmann::json> AddColumns(const batch::Batch& columns) {
    return writer_.Add(columns);
  }
  // Of some rows only.
  absl::StatusOr<nlohmann::json> AddColumns(const batch::Batch& columns,
                                            std::span<const RowRun> runs) {
    return writer_.Add(columns, runs);
  }
  // Of pieces that are one table.
  absl::StatusOr<nlohmann::json> AddPieces(std::span<const batch::Batch> pieces) {
    return writer_.AddPieces(pieces);
  }

  // Sends a request and waits for the answer, an object whose "ok" is true.
  absl::StatusOr<nlohmann::json> Call(const nlohmann::json& request, Duration timeout);

  // The columns of the last answer, or of a part of it; valid until the next call.
  absl::StatusOr<batch::Batch> Columns(const nlohmann::json& answer) const {
    return ReadColumns(answer, answers_);
  }

  // What the host said of itself: "versions", "sandbox".
  const nlohmann::json& hello() const { return hello_; }
  bool is_running() const { return pid_ != 0; }
  pid_t pid() const { return pid_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int64_t kMostKept = int64_t{64} << 20;

  static absl::StatusOr<std::unique_ptr<HostProcess>> TryStart(const HostOptions& options);

  HostProcess(const HostOptions& options, std::unique_ptr<SharedMemory> requests,
              std::shared_ptr<const SharedMemory> answers);
  absl::Status Launch(const HostOptions& options, const Descriptor& program);
  absl::StatusOr<nlohmann::json> AwaitMessage(Clock::time_point end, Duration timeout,
                                              std::string_view call);
  // Receives `size` bytes, and drains what the plug-in prints meanwhile.
  absl::Status Receive(char* bytes, size_t size, Clock::time_point end);
  // Waits for a part of an answer; false after a failure that `failure` gets.
  bool AwaitBytes(Clock::time_point end, absl::Status& failure);
  void DrainPrinted();
  // Has a plug-in that takes too long print where it is.
  void AskWhereItIs();
  // Ends the process. What became of it, as far as one can tell.
  std::string Bury();
  // A failure of the plug-in, with its name, its traceback or what it printed.
  absl::Status Fault(absl::StatusCode code, const std::string& what,
                     const std::string& traceback = "") const;

  const std::string use_;
  const std::unique_ptr<SharedMemory> requests_;
  const std::shared_ptr<const SharedMemory> answers_;
  ColumnWriter writer_;
  LocalSocket socket_;
  Descriptor printing_;
  // The last of what it printed.
  std::string printed_;
  nlohmann::json hello_;
  pid_t pid_ = 0;
};

}  // namespace tidemill::plugin
