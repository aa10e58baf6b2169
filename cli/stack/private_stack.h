// A stack that one command starts for itself, beside any stack of its user.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/status.h"
#include "cli/stack/session.h"

namespace tidemill::cli {

// Owns a stack with its state in a new folder below the folder for temporary files. Destruction
// ends the stack and removes the folder. If the process is killed, the stack ends, too, and the
// next private stack of this user removes the folder. Thread-compatible.
class PrivateStack {
 public:
  // Takes about two seconds. UNAVAILABLE when a service does not start.
  static absl::StatusOr<std::unique_ptr<PrivateStack>> Start();

  PrivateStack(const PrivateStack&) = delete;
  PrivateStack& operator=(const PrivateStack&) = delete;
  ~PrivateStack();

  const Session& session() const { return *session_; }
  // A folder for files of the owner, which storage may read. It is removed, too.
  const std::string& folder() const { return files_folder_; }

 private:
  PrivateStack(std::string root, Descriptor lock)
      : root_(std::move(root)), lock_(std::move(lock)) {}
  absl::Status Begin();

  const std::string root_;
  const Descriptor lock_;  // Held for as long as the folder is in use.
  std::string files_folder_;
  Descriptor tie_;
  std::unique_ptr<const Session> session_;
};

}  // namespace tidemill::cli
