#include "cli/stack/stack_identity.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/files.h"
#include "base/paths/state_folders.h"
#include "rpc/channel.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;

struct Identity {
  std::string number;
  std::string other_folder;  // The database's, or the state's.

  friend bool operator==(const Identity&, const Identity&) = default;
};

std::string FileIn(const std::string& folder) { return files::Join(folder, kStateMark); }

std::optional<Identity> ReadIdentity(const std::string& folder) {
  constexpr size_t kMaxBytes = size_t{1} << 14;
  const auto text = files::Read(FileIn(folder), kMaxBytes);
  if (!text.ok()) return std::nullopt;
  std::istringstream lines(*text);
  Identity identity;
  if (!std::getline(lines, identity.number) || !std::getline(lines, identity.other_folder)) {
    return std::nullopt;
  }
  return identity;
}

absl::Status WriteIdentity(const std::string& folder, const Identity& identity) {
  if (ReadIdentity(folder) == identity) return absl::OkStatus();
  return files::WriteAtomically(FileIn(folder),
                                identity.number + "\n" + identity.other_folder + "\n");
}

bool IsBelow(const std::string& folder, const std::string& above) {
  return folder.starts_with(above + "/");
}

// Whether a stack has written the configuration. A user who writes sections before the first start
// leaves out `cluster`.
bool HasCluster(const std::string& config_file) {
  const auto text = files::Read(config_file);
  return text.ok() && ("\n" + *text).find("\ncluster:") != std::string::npos;
}

// For a state folder that an older version has used: it wrote its configuration once it had a
// database.
absl::Status CheckUnmarked(const StackLayout& layout, bool has_database) {
  if (has_database || !HasCluster(layout.ConfigFile())) return absl::OkStatus();
  return FailedPrecondition(
      "{} has been used, but its database is not in {}; if the folder was moved, move it back; "
      "otherwise name a new one with --state",
      layout.state_folder, layout.database_folder);
}

bool IsNumbered(const std::string& folder, const std::string& number) {
  const auto identity = ReadIdentity(folder);
  return identity && identity->number == number;
}

absl::Status CheckCopy(const StackLayout& layout) {
  const DatabaseOwner owner = OwnerOfDatabase(layout);
  if (owner.ownership != DatabaseOwnership::kOriginals) return absl::OkStatus();
  return FailedPrecondition(
      "{0} is a copy of {1}, and two stacks cannot share the database in {2}; use the original, "
      "or name a new folder with --state; `tidemill down --purge --state {0}` removes the copy and "
      "nothing of the original",
      layout.state_folder, owner.state_folder, layout.database_folder);
}

// The files of a start that was cut off before there was an identity.
bool HoldsAStartOnly(const std::string& folder) {
  static constexpr std::string_view kNames[] = {"logs",       "token",       "data_roots",
                                                "stack.lock", "stack.start", "stack.for_now"};
  constexpr std::string_view kFirst = "stack.users";
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (name == kFirst) continue;
    if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames)) return false;
  }
  return !error && files::Exists(files::Join(folder, kFirst));
}

}  // namespace

std::string KnownDatabaseFolder(const std::string& state_folder) {
  const auto identity = ReadIdentity(state_folder);
  return identity ? identity->other_folder : "";
}

absl::Status CheckIdentity(const StackLayout& layout) {
  const bool has_database = files::Exists(files::Join(layout.database_folder, "data/PG_VERSION"));
  const auto mine = ReadIdentity(layout.state_folder);
  const auto its = ReadIdentity(layout.database_folder);
  if (!mine && !its) return CheckUnmarked(layout, has_database);
  if (mine && its && mine->number == its->number) return CheckCopy(layout);
  // Cut off between the two files.
  if (mine && !its && has_database && mine->other_folder == layout.database_folder) {
    return absl::OkStatus();
  }
  if (mine && !has_database) {
    return FailedPrecondition(
        "the database of {} is gone from {}; put it back, or name a new folder with --state",
        layout.state_folder, layout.database_folder);
  }
  return FailedPrecondition(
      "the database in {} belongs to {}, not to {}; bring that folder back, or start afresh with "
      "`rm -r {}`",
      layout.database_folder, its ? its->other_folder : std::string("another state folder"),
      mine ? layout.state_folder : "the new " + layout.state_folder, layout.database_folder);
}

DatabaseOwner OwnerOfDatabase(const StackLayout& layout) {
  if (!files::Exists(layout.database_folder)) return {};
  // One inside the state folder was moved or copied with it.
  if (IsBelow(layout.database_folder, layout.state_folder)) {
    return {DatabaseOwnership::kOwn, layout.state_folder};
  }
  const auto mine = ReadIdentity(layout.state_folder);
  const auto its = ReadIdentity(layout.database_folder);
  if (!its) {
    // Left by an older version, or by a start that was interrupted.
    const bool made_here = IsStateFolder(layout.state_folder) &&
                           layout.database_folder == FirstDatabaseFolder(layout.state_folder);
    return {made_here ? DatabaseOwnership::kOwn : DatabaseOwnership::kAnothers, ""};
  }
  const std::string& owner = its->other_folder;
  if (!mine || mine->number != its->number) return {DatabaseOwnership::kAnothers, owner};
  if (owner == layout.state_folder) return {DatabaseOwnership::kOwn, owner};
  if (IsNumbered(owner, mine->number)) return {DatabaseOwnership::kOriginals, owner};
  return {DatabaseOwnership::kMoved, owner};
}

bool IsCopy(const StackLayout& layout) {
  return OwnerOfDatabase(layout).ownership == DatabaseOwnership::kOriginals;
}

bool IsStateFolder(const std::string& folder) {
  if (ReadIdentity(folder)) return true;
  StackLayout layout;
  layout.state_folder = folder;
  if (files::Exists(layout.ConfigFile()) && files::Exists(layout.TokenFile())) return true;
  return HoldsAStartOnly(folder);
}

absl::Status KeepIdentity(const StackLayout& layout) {
  const auto known = ReadIdentity(layout.state_folder);
  const std::string number = known ? known->number : rpc::NewRequestId();
  // The state folder's first: where the other one is missing, CheckIdentity() knows what happened.
  RETURN_IF_ERROR(WriteIdentity(layout.state_folder, {number, layout.database_folder}));
  return WriteIdentity(layout.database_folder, {number, layout.state_folder});
}

}  // namespace tidemill::cli
