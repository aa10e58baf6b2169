#include "cli/stack/stack_removal.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/files.h"
#include "cli/stack/doctor_processes.h"
#include "cli/stack/stack_identity.h"
#include "db/postgres_programs.h"
#include "db/running_server.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;

// The entries that a stack writes to its state folder, besides a folder for each service.
// `postgres` holds the database of users other than root, `runs` what `run` and `pull` have
// written.
constexpr std::string_view kIdentityFile = "identity";
constexpr std::string_view kStackFiles[] = {
    kIdentityFile,   "tidemill.yaml", "token",      "data_roots",  "logs",
    "runs",          "postgres",      "stack.lock", "stack.users", "stack.start",
    "stack.for_now", "prepared",      "engine",     "members",     "certificates"};

bool IsOfAStack(const std::string& name) {
  const auto is_it = [&](std::string_view known) {
    // Or what was being written when its process was killed.
    return name == known ||
           (name.starts_with(fmt::format(".{}.", known)) && name.ends_with(".tmp"));
  };
  return std::any_of(std::begin(kStackFiles), std::end(kStackFiles), is_it) ||
         std::any_of(std::begin(kServices), std::end(kServices), is_it) ||
         std::any_of(std::begin(kServices), std::end(kServices), [&](std::string_view service) {
           // "trainer_server.3": of the third one that an engine has started.
           const std::string folder = fmt::format("{}.", service);
           return name.starts_with(folder) && name.size() > folder.size() &&
                  name.find_first_not_of("0123456789", folder.size()) == std::string::npos;
         });
}

absl::Status CheckIsStateFolder(const std::string& folder) {
  if (IsStateFolder(folder)) return absl::OkStatus();
  return FailedPrecondition(
      "{} is not the state folder of a stack, and nothing was removed: it has no file `identity`, "
      "which the first `tidemill up` writes; name a state folder with --state",
      folder);
}

absl::Status CheckBond(const StackLayout& layout, const DatabaseOwner& owner) {
  std::error_code error;
  if (owner.ownership == DatabaseOwnership::kOriginals &&
      fs::equivalent(owner.state_folder, layout.state_folder, error)) {
    return FailedPrecondition("{0} is {1} by another path, and nothing was removed; name {1}",
                              layout.state_folder, owner.state_folder);
  }
  if (owner.ownership != DatabaseOwnership::kMoved) return absl::OkStatus();
  return FailedPrecondition(
      "{0} was moved or copied from {1}, which is gone, and nothing was removed: the database in "
      "{2} may be used by another copy; if this is the only one, `tidemill up --state {0}` takes "
      "the database over, and then it can be removed; to remove the folder alone, use `rm -r {0}`",
      layout.state_folder, owner.state_folder, layout.database_folder);
}

// The state folder as a whole, or what a stack has written to it.
void AddStateFolder(const std::string& folder, StackRemoval& removal) {
  std::vector<std::string> own;
  std::vector<std::string> others;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string path = entry.path();
    (IsOfAStack(entry.path().filename()) ? own : others).push_back(path);
  }
  if (others.empty()) {
    removal.paths.push_back(folder);
    return;
  }
  std::sort(own.begin(), own.end());
  // A removal that is cut off before the identity goes can be begun again.
  std::stable_partition(own.begin(), own.end(), [](const std::string& path) {
    return fs::path(path).filename() != kIdentityFile;
  });
  std::sort(others.begin(), others.end());
  removal.paths.insert(removal.paths.end(), own.begin(), own.end());
  for (const std::string& path : others) {
    removal.left.push_back(path + ", which no stack has written");
  }
}

// The rest is removed with the folder.
absl::Status RemoveAllButIdentity(const std::string& state_folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(state_folder, error)) {
    if (entry.path().filename() != kIdentityFile) paths.push_back(entry.path());
  }
  for (const std::string& path : paths) RETURN_IF_ERROR(files::Remove(path));
  return absl::OkStatus();
}

void AddDatabase(const StackLayout& layout, const DatabaseOwner& owner, StackRemoval& removal) {
  const std::string& folder = layout.database_folder;
  const std::string of = owner.state_folder.empty() ? "another state folder" : owner.state_folder;
  switch (owner.ownership) {
    case DatabaseOwnership::kOwn:
      removal.has_database = true;
      // One inside the state folder is removed with it.
      if (!folder.starts_with(layout.state_folder + "/")) removal.paths.push_back(folder);
      return;
    case DatabaseOwnership::kOriginals:
      removal.left.push_back(fmt::format("the database in {}, which belongs to {}", folder, of));
      return;
    case DatabaseOwnership::kAnothers:
      removal.left.push_back(fmt::format(
          "the database in {0}, which belongs to {1}; if no folder of that stack is left, remove "
          "it with `rm -r {0}`",
          folder, owner.state_folder == layout.state_folder ? "a former " + of : of));
      return;
    case DatabaseOwnership::kNone:
    case DatabaseOwnership::kMoved:
      return;
  }
}

// Folders below /tmp, where other users may replace them.
void AddSockets(const std::string& folder, uid_t user, StackRemoval& removal) {
  struct stat info {};
  if (lstat(folder.c_str(), &info) != 0) return;
  if (S_ISDIR(info.st_mode) && (info.st_uid == user || info.st_uid == geteuid())) {
    removal.paths.push_back(folder);
  } else {
    removal.left.push_back(folder + ", which is not a folder of this user");
  }
}

void AddProcesses(const StackLayout& layout, StackRemoval& removal) {
  const std::optional<int> own = KeeperOf(layout);
  const int keeper = own ? *own : StrayKeeperOf(layout).value_or(0);
  const auto server = db::FindServer(files::Join(layout.database_folder, "data"));
  const int database = server.ok() && *server && removal.has_database ? (*server)->process : 0;
  for (const ProcessInfo& process : AllProcesses()) {
    if (process.id == database ||
        (keeper != 0 && (process.id == keeper || process.parent == keeper))) {
      removal.processes.push_back(
          fmt::format("{} ({})", process.id, fs::path(process.program).filename().string()));
    }
  }
}

}  // namespace

absl::StatusOr<StackRemoval> PlanRemoval(const StackLayout& layout) {
  StackRemoval removal;
  const DatabaseOwner owner = OwnerOfDatabase(layout);
  std::error_code error;
  const bool holds_files = !fs::is_empty(layout.state_folder, error) && !error;
  if (error && error != std::errc::no_such_file_or_directory) {
    return PermissionDenied("cannot read the folder {}: {}", layout.state_folder, error.message());
  }
  if (holds_files) {
    RETURN_IF_ERROR(CheckIsStateFolder(layout.state_folder));
    RETURN_IF_ERROR(CheckBond(layout, owner));
  }
  // The database goes first: a state folder without one can be removed again.
  AddDatabase(layout, owner, removal);
  if (holds_files) AddStateFolder(layout.state_folder, removal);
  const auto account = db::PostgresAccount(layout.database_folder);
  AddSockets(layout.sockets_folder, geteuid(), removal);
  AddSockets(layout.database_sockets_folder, account.ok() ? account->user : geteuid(), removal);
  // A copy made of hard links shares its original's lock.
  if (owner.ownership != DatabaseOwnership::kOriginals) AddProcesses(layout, removal);
  return removal;
}

absl::Status CarryOut(const StackRemoval& removal, const StackLayout& layout) {
  if (removal.has_database) {
    const std::string data = files::Join(layout.database_folder, "data");
    ASSIGN_OR_RETURN(const auto server, db::FindServer(data));
    if (server) RETURN_IF_ERROR(db::EndServer(*server, db::EndPatience()));
  }
  for (const std::string& path : removal.paths) {
    if (path == layout.state_folder) RETURN_IF_ERROR(RemoveAllButIdentity(path));
    RETURN_IF_ERROR(files::Remove(path));
  }
  return absl::OkStatus();
}

}  // namespace tidemill::cli
