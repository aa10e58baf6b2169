#include "cli/bench/work_folder.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/digest.h"
#include "base/files.h"
#include "cli/terminal/view.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;

// Runs a program to its end. Its output goes to stderr.
absl::Status RunProgram(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) return Unavailable("cannot start a process: {}", std::strerror(errno));
  if (child == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  return FailedPrecondition(
      "{} failed{}", words[0],
      WIFEXITED(status) ? fmt::format(" with exit code {}", WEXITSTATUS(status)) : std::string());
}

absl::StatusOr<std::string> DataFolder() {
  const char* folder = std::getenv("TIDEMILL_DATA");
  if (folder != nullptr && *folder != '\0') return std::string(folder);
  return NotFound("TIDEMILL_DATA is not set; set it to the folder with the datasets");
}

absl::Status CopyFiles(const std::string& from, const std::string& to) {
  std::error_code error;
  for (fs::directory_iterator it(from, error), end; !error && it != end; it.increment(error)) {
    if (!it->is_regular_file()) continue;
    fs::copy_file(it->path(), fs::path(to) / it->path().filename(),
                  fs::copy_options::overwrite_existing, error);
    if (error) break;
  }
  if (!error) return absl::OkStatus();
  return FailedPrecondition("the files of '{}' cannot be copied to '{}': {}", from, to,
                            error.message());
}

absl::StatusOr<std::string> DigestOfPreparation(const SuiteEntry& entry) {
  ASSIGN_OR_RETURN(std::string all, Sha256OfFile(files::Join(entry.folder, entry.spec.prepare)));
  for (const DataFile& file : entry.spec.data) all += file.sha256;
  return Sha256(all);
}

std::string WhatToDo(const DataFile& file) {
  return file.url.empty() ? "its source is " + file.source : "load it with `tidemill bench fetch`";
}

}  // namespace

absl::StatusOr<DataState> StateOf(const DataFile& file) {
  ASSIGN_OR_RETURN(const std::string folder, DataFolder());
  const std::string path = files::Join(folder, file.path);
  if (!files::Exists(path)) return DataState::kMissing;
  ASSIGN_OR_RETURN(const std::string digest, Sha256OfFile(path));
  return digest == file.sha256 ? DataState::kThere : DataState::kDiffers;
}

absl::Status CheckData(const SuiteEntry& entry) {
  for (const DataFile& file : entry.spec.data) {
    ASSIGN_OR_RETURN(const DataState state, StateOf(file));
    if (state == DataState::kMissing) {
      return NotFound("{} is not below TIDEMILL_DATA; {}", file.path, WhatToDo(file));
    }
    if (state == DataState::kDiffers) {
      return DataLoss("{} is not the file for which the benchmark was made; {}", file.path,
                      WhatToDo(file));
    }
  }
  return absl::OkStatus();
}

absl::Status FetchData(const SuiteEntry& entry) {
  for (const DataFile& file : entry.spec.data) {
    ASSIGN_OR_RETURN(const DataState state, StateOf(file));
    if (state == DataState::kThere || file.url.empty()) continue;
    ASSIGN_OR_RETURN(const std::string folder, DataFolder());
    const fs::path path = fs::path(folder) / file.path;
    RETURN_IF_ERROR(files::CreateFolder(path.parent_path()));
    const std::string partial = path.string() + ".partial";
    PrintToStderr(fmt::format("loading {} from {}\n", file.path, file.url));
    RETURN_IF_ERROR(
        RunProgram({"curl", "--fail", "--silent", "--show-error", "--location", "--proto", "=https",
                    "--max-filesize", "4G", "--output", partial, file.url}));
    ASSIGN_OR_RETURN(const std::string digest, Sha256OfFile(partial));
    if (digest != file.sha256) {
      std::error_code ignored;
      fs::remove(partial, ignored);
      return DataLoss("{} is not the file for which the benchmark was made: SHA-256 {}", file.url,
                      digest);
    }
    std::error_code error;
    fs::rename(partial, path, error);
    if (error) return FailedPrecondition("cannot write {}: {}", path.string(), error.message());
  }
  return CheckData(entry);
}

absl::StatusOr<std::string> PrepareFolder(const SuiteEntry& entry, const std::string& root) {
  RETURN_IF_ERROR(CheckData(entry));
  std::string folder = files::Join(root, entry.spec.name);
  RETURN_IF_ERROR(files::CreateFolder(folder));
  RETURN_IF_ERROR(CopyFiles(entry.folder, folder));
  if (entry.spec.prepare.empty()) return folder;
  ASSIGN_OR_RETURN(const std::string digest, DigestOfPreparation(entry));
  const std::string mark = files::Join(folder, ".prepared");
  if (files::Exists(mark)) {
    ASSIGN_OR_RETURN(const std::string made, files::Read(mark));
    if (made == digest) return folder;
  }
  RETURN_IF_ERROR(Annotate(RunProgram({files::Join(entry.folder, entry.spec.prepare), folder}),
                           "preparing the data of " + entry.spec.name));
  RETURN_IF_ERROR(files::WriteAtomically(mark, digest));
  return folder;
}

}  // namespace tidemill::cli
