#include "cli/stack/private_stack.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "fmt/format.h"

#include "base/files.h"
#include "cli/stack/local_stack.h"
#include "cli/stack/stack_removal.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;

std::string NamePrefix() { return fmt::format("tidemill-private-{}-", geteuid()); }

std::string TemporaryFolder() {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  return error ? "/tmp" : folder.string();
}

std::string StateOf(const std::string& root) { return files::Join(root, "state"); }

// The lock of a private stack's folder. Closed when another process holds it.
Descriptor LockFolder(const std::string& root, int flags) {
  Descriptor lock(open(files::Join(root, "lock").c_str(), O_RDWR | O_CLOEXEC | flags, 0600));
  if (lock.is_open() && flock(lock.number(), LOCK_EX | LOCK_NB) != 0) lock.Close();
  return lock;
}

absl::Status RemoveStack(const std::string& root) {
  if (files::Exists(StateOf(root))) {
    ASSIGN_OR_RETURN(const StackLayout layout, LayoutOf(StateOf(root), MissingFolder::kLeave));
    RETURN_IF_ERROR(StopStack(layout));
    ASSIGN_OR_RETURN(const StackRemoval removal, PlanRemoval(layout));
    RETURN_IF_ERROR(CarryOut(removal, layout));
  }
  return files::Remove(root);
}

bool BelongsToThisUser(const std::string& folder) {
  struct stat info {};
  return lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

// Removes the folders whose owners were killed. One without a lock is being made.
void RemoveLeftovers() {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(TemporaryFolder(), error)) {
    const std::string path = entry.path().string();
    if (!entry.path().filename().string().starts_with(NamePrefix())) continue;
    if (!BelongsToThisUser(path)) continue;
    const Descriptor lock = LockFolder(path, 0);
    // The next command tries again to remove what cannot be removed now.
    if (lock.is_open()) RemoveStack(path).IgnoreError();
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<PrivateStack>> PrivateStack::Start() {
  RemoveLeftovers();
  std::string root = files::Join(TemporaryFolder(), NamePrefix() + "XXXXXX");
  if (mkdtemp(root.data()) == nullptr) {
    return Unavailable("cannot make a folder below {}: {}; name another with TMPDIR",
                       TemporaryFolder(), std::strerror(errno));
  }
  Descriptor lock = LockFolder(root, O_CREAT);
  if (!lock.is_open()) return Unavailable("cannot lock {}: {}", root, std::strerror(errno));
  std::unique_ptr<PrivateStack> stack(new PrivateStack(root, std::move(lock)));
  RETURN_IF_ERROR(stack->Begin());
  return stack;
}

absl::Status PrivateStack::Begin() {
  files_folder_ = files::Join(root_, "files");
  RETURN_IF_ERROR(files::CreateFolder(files_folder_));
  ASSIGN_OR_RETURN(const StackLayout layout, LayoutOf(StateOf(root_)));
  ASSIGN_OR_RETURN(tie_, StartTemporaryStack(layout));
  StackAddress address;
  address.state = StateOf(root_);
  address.quiet = true;
  ASSIGN_OR_RETURN(Session session, Session::Attach(address));
  session_ = std::make_unique<const Session>(std::move(session));
  return absl::OkStatus();
}

PrivateStack::~PrivateStack() {
  // A stack that cannot be removed now is a leftover, which the next one removes.
  RemoveStack(root_).IgnoreError();
}

}  // namespace tidemill::cli
