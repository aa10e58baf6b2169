#include "cli/stack/stack_use.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/files.h"

namespace tidemill::cli {
namespace {

// Opens a file to be locked, for which reading is enough. The lock ends with the descriptor.
Descriptor OpenToLock(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) file = Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file;
}

bool Lock(int file, int how) {
  int result = 0;
  do {
    result = flock(file, how);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

std::string UsersFile(const StackLayout& layout) {
  return files::Join(layout.state_folder, "stack.users");
}

// Held while a stack is started, so that of several that find none one starts it.
std::string StartFile(const StackLayout& layout) {
  return files::Join(layout.state_folder, "stack.start");
}

absl::Status CannotLock(const std::string& path) {
  return FailedPrecondition(
      "cannot lock {}: {}; name a state folder that can be written with --state", path,
      std::strerror(errno));
}

}  // namespace

absl::StatusOr<std::unique_ptr<StackUse>> StackUse::Begin(const StackLayout& layout) {
  RETURN_IF_ERROR(CheckWritable(layout));
  Descriptor file = OpenToLock(UsersFile(layout));
  if (!file.is_open() || !Lock(file.number(), LOCK_SH)) return CannotLock(UsersFile(layout));
  return std::unique_ptr<StackUse>(new StackUse(layout, std::move(file)));
}

std::string StackUse::MarkFile() const {
  return files::Join(layout_.state_folder, "stack.for_now");
}

absl::StatusOr<bool> StackUse::StartTemporarily() {
  const Descriptor start = OpenToLock(StartFile(layout_));
  if (!start.is_open() || !Lock(start.number(), LOCK_EX)) return CannotLock(StartFile(layout_));
  const bool runs = KeeperOf(layout_).has_value();
  if (!runs) RETURN_IF_ERROR(files::WriteAtomically(MarkFile(), ""));
  RETURN_IF_ERROR(StartStack(layout_).status());
  return !runs;
}

absl::StatusOr<bool> StackUse::StartPermanently() {
  const Descriptor start = OpenToLock(StartFile(layout_));
  if (!start.is_open() || !Lock(start.number(), LOCK_EX)) return CannotLock(StartFile(layout_));
  RETURN_IF_ERROR(Keep());
  ASSIGN_OR_RETURN(const bool started, StartStack(layout_));
  return !started;
}

absl::Status StackUse::Keep() { return files::Remove(MarkFile()); }

bool StackUse::IsLast() {
  return files::Exists(MarkFile()) && Lock(file_.number(), LOCK_EX | LOCK_NB);
}

absl::Status StackUse::End() {
  RETURN_IF_ERROR(StopStack(layout_));
  return files::Remove(MarkFile());
}

bool HasRun(const StackLayout& layout) {
  // StartStack() judges the remains of a stack that has lost its other half.
  return files::Exists(layout.database_folder) || files::Exists(layout.ConfigFile());
}

}  // namespace tidemill::cli
