#include "cli/stack/stack_use.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/files.h"

namespace tidemill::cli {
namespace {

// An open file, which is closed and with that unlocked at the end of its scope.
class OpenFile {
 public:
  // A lock needs no more than to read.
  explicit OpenFile(const std::string& path)
      : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (file_ < 0) file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  }
  ~OpenFile() {
    if (file_ >= 0) close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int get() const { return file_; }
  int Release() { return std::exchange(file_, -1); }

 private:
  int file_;
};

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
      "cannot lock {}: {}; the state folder must be one that can be written, "
      "and --state names it",
      path, std::strerror(errno));
}

}  // namespace

absl::StatusOr<std::unique_ptr<StackUse>> StackUse::Begin(const StackLayout& layout) {
  RETURN_IF_ERROR(CheckWritable(layout));
  OpenFile file(UsersFile(layout));
  if (file.get() < 0 || !Lock(file.get(), LOCK_SH)) return CannotLock(UsersFile(layout));
  return std::unique_ptr<StackUse>(new StackUse(layout, file.Release()));
}

StackUse::~StackUse() { close(file_); }

std::string StackUse::MarkFile() const {
  return files::Join(layout_.state_folder, "stack.for_now");
}

absl::StatusOr<bool> StackUse::StartForNow() {
  const OpenFile start(StartFile(layout_));
  if (start.get() < 0 || !Lock(start.get(), LOCK_EX)) return CannotLock(StartFile(layout_));
  const bool runs = KeeperOf(layout_).has_value();
  if (!runs) RETURN_IF_ERROR(files::WriteAtomically(MarkFile(), ""));
  RETURN_IF_ERROR(StartStack(layout_).status());
  return !runs;
}

absl::StatusOr<bool> StackUse::StartToStay() {
  const OpenFile start(StartFile(layout_));
  if (start.get() < 0 || !Lock(start.get(), LOCK_EX)) return CannotLock(StartFile(layout_));
  RETURN_IF_ERROR(Keep());
  ASSIGN_OR_RETURN(const bool started, StartStack(layout_));
  return !started;
}

absl::Status StackUse::Keep() { return files::Remove(MarkFile()); }

bool StackUse::IsLast() { return files::Exists(MarkFile()) && Lock(file_, LOCK_EX | LOCK_NB); }

absl::Status StackUse::End() {
  RETURN_IF_ERROR(StopStack(layout_));
  return files::Remove(MarkFile());
}

bool HasRun(const StackLayout& layout) {
  // What is left of one that has lost the other half is for StartStack() to judge.
  return files::Exists(layout.database_folder) || files::Exists(layout.ConfigFile());
}

}  // namespace tidemill::cli
