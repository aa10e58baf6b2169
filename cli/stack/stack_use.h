// Lets commands share a local stack. If a command started the stack for itself, the last command
// that uses it ends it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/status.h"
#include "cli/stack/local_stack.h"

namespace tidemill::cli {

// Records, by a lock that all users share, that this process uses the stack of a state folder. As
// long as it lives, only `tidemill down` ends the stack. Thread-compatible.
class StackUse {
 public:
  // Waits while another process ends the stack. FAILED_PRECONDITION when the state folder cannot be
  // written.
  static absl::StatusOr<std::unique_ptr<StackUse>> Begin(const StackLayout& layout);

  // Starts the stack unless it runs. A stack that this call starts is temporary: its last user must
  // end it. Returns whether this call started it.
  absl::StatusOr<bool> StartTemporarily();

  // Starts the stack unless it runs, and keeps it until `tidemill down`. Returns whether it ran.
  absl::StatusOr<bool> StartPermanently();

  // Keeps the stack until `tidemill down`, whoever started it.
  absl::Status Keep();

  // Whether the stack is temporary and no other process uses it. If so, new users wait until this
  // object is destroyed.
  bool IsLast();

  // Ends the stack.
  absl::Status End();

 private:
  StackUse(const StackLayout& layout, Descriptor file) : layout_(layout), file_(std::move(file)) {}
  std::string MarkFile() const;

  const StackLayout layout_;
  const Descriptor file_;  // The lock that all users share.
};

// Whether a stack has ever run in this state folder.
bool HasRun(const StackLayout& layout);

}  // namespace tidemill::cli
