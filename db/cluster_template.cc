#include "db/cluster_template.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_join.h"

#include "base/digest.h"
#include "base/files.h"
#include "db/folder_lock.h"

namespace tidemill::db {
namespace {

// The same for the same arguments of the same program.
absl::StatusOr<std::string> NameOf(const Program& initdb) {
  struct stat program = {};
  if (::stat(initdb.arguments[0].c_str(), &program) != 0) {
    return Internal("cannot examine {}: {}", initdb.arguments[0], std::strerror(errno));
  }
  return Sha256(fmt::format("{} {} {}", program.st_size, program.st_mtim.tv_sec,
                            absl::StrJoin(initdb.arguments, " ")))
      .substr(0, 16);
}

// Renamed when complete: an initdb that was killed leaves nothing that looks like a cluster.
absl::Status MakeTemplate(const Account& account, Program initdb, const std::string& path) {
  const std::string fresh = path + ".new";
  RETURN_IF_ERROR(files::Remove(fresh));
  initdb.arguments.push_back("--pgdata=" + fresh);
  RETURN_IF_ERROR(RunToEnd(account, initdb));
  if (std::rename(fresh.c_str(), path.c_str()) == 0) return absl::OkStatus();
  return Internal("cannot rename {}: {}", fresh, std::strerror(errno));
}

}  // namespace

absl::Status CopyCluster(const Account& account, const Program& initdb, const std::string& folder,
                         const std::string& target) {
  RETURN_IF_ERROR(CreateFolderFor(account, folder));
  ASSIGN_OR_RETURN(const std::string name, NameOf(initdb));
  const std::string path = files::Join(folder, name);
  {
    const FolderLock lock(folder);
    if (!files::Exists(path)) RETURN_IF_ERROR(MakeTemplate(account, initdb, path));
  }
  Program copy = initdb;
  copy.arguments = {"/bin/cp", "-a", "--reflink=auto", path, target};
  return RunToEnd(account, copy);
}

}  // namespace tidemill::db
