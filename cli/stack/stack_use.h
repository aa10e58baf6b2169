// Commands that share a local stack. A stack that a command started for itself is ended by the last
// command that uses it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/status.h"
#include "cli/stack/local_stack.h"

namespace tidemill::cli {

// That this process uses the stack of a state folder, by a lock that all users share. As long as it
// lives no other user ends the stack; `tidemill down` does. Thread-compatible.
class StackUse {
 public:
  // Waits while another process ends the stack. FAILED_PRECONDITION when the state folder cannot be
  // written.
  static absl::StatusOr<std::unique_ptr<StackUse>> Begin(const StackLayout& layout);

  // Starts the stack unless it runs. One that this call starts is there for now only: its last user
  // is to end it. Returns whether this call started it.
  absl::StatusOr<bool> StartForNow();

  // Starts the stack unless it runs, and lets it run until `tidemill down`. Returns whether it ran.
  absl::StatusOr<bool> StartToStay();

  // Lets the stack run until `tidemill down`, whoever started it.
  absl::Status Keep();

  // Whether the stack is there for now only and nobody else uses it. If so, others that begin to
  // use it wait until this object is gone.
  bool IsLast();

  // Ends the stack.
  absl::Status End();

 private:
  StackUse(const StackLayout& layout, Descriptor file) : layout_(layout), file_(std::move(file)) {}
  std::string MarkFile() const;

  const StackLayout layout_;
  const Descriptor file_;  // Locked: shared by all users.
};

// Whether a stack has ever run in this state folder.
bool HasRun(const StackLayout& layout);

}  // namespace tidemill::cli
