// The process that runs a plug-in: when the plug-in crashes, hangs or uses too much memory, only
// that process ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/descriptor.h"
#include "base/paths/local_socket.h"
#include "base/status.h"
#include "base/time.h"
#include "batch/batch.h"
#include "plugin/process/shared_columns.h"
#include "plugin/spec/host_settings.h"
#include "plugin/spec/plugin_use.h"

namespace tidemill::plugin {

// The options of a host.
struct HostOptions {
  Language language = Language::kPython;
  // The content of the plug-in's file.
  std::string program = {};
  // What is in its data files.
  std::vector<std::string> files = {};
  // "surprise.py:Surprise", for messages.
  std::string use = {};
  // The most memory that it may use, without the shared memory.
  int64_t memory_bytes = int64_t{1} << 30;
  // The size of each memory for columns of requests and of answers.
  int64_t columns_bytes = int64_t{1} << 30;
  int64_t answers_bytes = int64_t{64} << 20;
  // The threads of its arithmetic, as far as its libraries follow environment variables.
  int num_threads = 1;
  HostSettings settings = {};
};

// Starts and ends one `tidemill-plugin-host`, which is beside the running program. It ends with
// this object, and with this process, however this process ends. Errors are as in fault.h. After
// UNAVAILABLE or DEADLINE_EXCEEDED, the process is gone and further calls are UNAVAILABLE.
// Thread-compatible.
class HostProcess {
 public:
  // Waits for the host's greeting, for a minute at most. An error is a failure of the machine.
  static absl::StatusOr<std::unique_ptr<HostProcess>> Start(const HostOptions& options);
  ~HostProcess();
  HostProcess(const HostProcess&) = delete;
  HostProcess& operator=(const HostProcess&) = delete;

  // Forgets the columns of the previous call. The methods below then add columns to the next call,
  // in the order of the message; see ColumnWriter.
  void BeginColumns() { writer_.Restart(); }
  // Whether the columns of a call were so large that this process should be replaced: sealed memory
  // cannot be returned to the system.
  bool is_worn() const { return writer_.end() > kMaxKept; }
  absl::StatusOr<nlohmann::json> AddColumns(const batch::Batch& columns) {
    return writer_.Add(columns);
  }
  // The same, for some rows only.
  absl::StatusOr<nlohmann::json> AddColumns(const batch::Batch& columns,
                                            std::span<const RowRun> runs) {
    return writer_.Add(columns, runs);
  }
  // The same, for pieces that together are one table.
  absl::StatusOr<nlohmann::json> AddPieces(std::span<const batch::Batch> pieces) {
    return writer_.AddPieces(pieces);
  }

  // Calls end with CANCELLED, and the process with them, soon after this is true: whoever asked no
  // longer wants the answer. It is asked about once a second.
  void InterruptWhen(std::function<bool()> is_unwanted) { is_unwanted_ = std::move(is_unwanted); }

  // Sends a request and waits for the answer, an object whose "ok" is true.
  absl::StatusOr<nlohmann::json> Call(const nlohmann::json& request, Duration timeout);

  // The columns of the last answer, or of a part of it; valid until the next call.
  absl::StatusOr<batch::Batch> Columns(const nlohmann::json& answer) const {
    return ReadColumns(answer, answers_);
  }

  // The host's greeting: "versions", "sandbox".
  const nlohmann::json& hello() const { return hello_; }
  bool is_running() const { return pid_ != 0; }
  // Whether it waits for a call: it has not ended, and has sent nothing unrequested.
  bool IsWaiting() const;
  pid_t pid() const { return pid_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int64_t kMaxKept = int64_t{64} << 20;

  static absl::StatusOr<std::unique_ptr<HostProcess>> TryStart(const HostOptions& options);

  HostProcess(const HostOptions& options, std::unique_ptr<SharedMemory> requests,
              std::shared_ptr<const SharedMemory> answers);
  // The plug-in's file and its data files, in that order.
  absl::Status Launch(const HostOptions& options, const std::vector<Descriptor>& files);
  absl::StatusOr<nlohmann::json> AwaitMessage(Clock::time_point end, Duration timeout,
                                              std::string_view call);
  // Receives `size` bytes. Drains the plug-in's output while it waits.
  absl::Status Receive(char* bytes, size_t size, Clock::time_point end);
  // Waits for a part of an answer. Returns false after a failure, which it writes to `failure`.
  bool AwaitBytes(Clock::time_point end, absl::Status& failure);
  void DrainPrinted();
  // Makes a plug-in that takes too long print where it is.
  void RequestTraceback();
  // Ends the process. Returns how it ended, as far as that is known.
  std::string Terminate();
  // Returns a failure of the plug-in with its name, and its traceback or output.
  absl::Status Fault(absl::StatusCode code, const std::string& what,
                     const std::string& traceback = "") const;

  const std::string use_;
  const std::unique_ptr<SharedMemory> requests_;
  const std::shared_ptr<const SharedMemory> answers_;
  ColumnWriter writer_;
  LocalSocket socket_;
  Descriptor printing_;
  // The end of its output.
  std::string printed_;
  nlohmann::json hello_;
  std::function<bool()> is_unwanted_;
  pid_t pid_ = 0;
};

}  // namespace tidemill::plugin
