#include "db/postgres_installation.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>

namespace tidemill::db {
namespace {

namespace fs = std::filesystem;

constexpr char kDebiansFolder[] = "/usr/lib/postgresql";
constexpr int kOldestVersion = 15;

// A folder with programs, and their version.
struct Installation {
  std::string folder;
  int version = 0;
};

// "15" and "15.13" are 15; 0 where there is no number.
int MajorOf(std::string_view text) {
  int version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

bool HasPrograms(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "initdb", error) && fs::exists(folder / "postgres", error);
}

// Asks the server's program: "postgres (PostgreSQL) 15.13".
absl::StatusOr<int> VersionOfPrograms(const std::string& folder) {
  const std::string command = fmt::format("'{}/postgres' --version", folder);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "re"), &::pclose);
  char said[256] = {};
  if (pipe != nullptr && std::fgets(said, sizeof(said), pipe.get()) != nullptr) {
    const std::string_view line = said;
    const size_t number = line.rfind(") ");
    if (number != std::string_view::npos) return MajorOf(line.substr(number + 2));
  }
  return FailedPrecondition("{}/postgres does not say its version; it cannot run here", folder);
}

// What the variable names, if it is set.
absl::StatusOr<std::optional<Installation>> NamedInstallation() {
  const char* const folder = std::getenv(kPostgresVariable);
  if (folder == nullptr) return std::nullopt;
  if (!HasPrograms(folder) || std::string_view(folder).find('\'') != std::string_view::npos) {
    return FailedPrecondition(
        "there are no initdb and postgres in {}; {} must name the folder with the programs of "
        "PostgreSQL {} or newer",
        folder, kPostgresVariable, kOldestVersion);
  }
  ASSIGN_OR_RETURN(const int version, VersionOfPrograms(folder));
  if (version < kOldestVersion) {
    return FailedPrecondition("{} names PostgreSQL {} in {}, which is older than {}",
                              kPostgresVariable, version, folder, kOldestVersion);
  }
  return Installation{.folder = folder, .version = version};
}

// The folders of Debian's packages, by their versions.
std::map<int, std::string> DebiansInstallations() {
  std::map<int, std::string> folders;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(kDebiansFolder, error)) {
    const int version = MajorOf(entry.path().filename().string());
    const fs::path folder = entry.path() / "bin";
    if (version >= kOldestVersion && HasPrograms(folder)) folders[version] = folder;
  }
  return folders;
}

}  // namespace

absl::StatusOr<std::string> FindPostgresPrograms(int version) {
  ASSIGN_OR_RETURN(const std::optional<Installation> named, NamedInstallation());
  if (named && (version == 0 || version == named->version)) return named->folder;
  const std::map<int, std::string> debians = DebiansInstallations();
  if (version == 0 && !debians.empty()) return debians.rbegin()->second;
  if (const auto found = debians.find(version); found != debians.end()) return found->second;
  if (version != 0) {
    return FailedPrecondition(
        "the database is one of PostgreSQL {0}, whose programs are not in {1}/{0}/bin; install "
        "postgresql-{0}, or let {2} name the folder with them",
        version, kDebiansFolder, kPostgresVariable);
  }
  return FailedPrecondition(
      "there is no PostgreSQL {} or newer in {}; install postgresql, or let {} name the folder "
      "with its programs",
      kOldestVersion, kDebiansFolder, kPostgresVariable);
}

int VersionOfCluster(const std::string& data) {
  std::ifstream file(data + "/PG_VERSION");
  std::string line;
  std::getline(file, line);
  return MajorOf(line);
}

}  // namespace tidemill::db
