// A process that runs a user's program on rows. When the program crashes or hangs, only that
// process is affected.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/descriptor.h"
#include "base/paths/local_socket.h"
#include "base/status.h"
#include "base/time.h"
#include "transform/script/script_protocol.h"

namespace tidemill::transform {

// Starts and stops one `tidemill-transform-script`, which is beside the running program. The
// process ends with this object. It also ends with this process, however this process ends.
// Thread-compatible.
class ScriptProcess {
 public:
  // Waits until the program is loaded. INVALID_ARGUMENT when it cannot be loaded. NOT_FOUND without
  // `tidemill-transform-script`. UNAVAILABLE when the process dies while loading, or takes longer
  // than a minute and longer than `timeout`.
  static absl::StatusOr<std::unique_ptr<ScriptProcess>> Start(const ScriptLayout& layout,
                                                              const std::string& program,
                                                              Duration timeout);
  ~ScriptProcess();
  ScriptProcess(const ScriptProcess&) = delete;
  ScriptProcess& operator=(const ScriptProcess&) = delete;

  // The shared memory, with room for layout.num_blocks() blocks.
  std::byte* memory() { return memory_; }

  // Fills the outputs of the first blocks. INVALID_ARGUMENT when the program raises an error, or
  // returns another type or shape. UNAVAILABLE when the process died or took too long; it cannot be
  // used any more then.
  absl::Status Run(int64_t num_blocks);

  pid_t pid() const { return pid_; }

 private:
  ScriptProcess(const ScriptLayout& layout, Duration timeout);
  absl::Status Map(int fd);
  absl::Status Launch(const ScriptLayout& layout, const Descriptor& memory,
                      const Descriptor& program);
  absl::Status AwaitReply(Duration timeout);
  // Ends the process, and returns how it ended, as far as that is known.
  std::string Terminate();

  const int64_t bytes_;
  const Duration timeout_;
  LocalSocket socket_;
  std::byte* memory_ = nullptr;
  pid_t pid_ = 0;
};

}  // namespace tidemill::transform
