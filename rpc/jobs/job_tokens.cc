#include "rpc/jobs/job_tokens.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/descriptor.h"
#include "base/disk_full.h"
#include "base/files.h"

namespace tidemill::rpc {
namespace {

constexpr std::chrono::milliseconds kReplaceInterval{600'000};

absl::Status CannotWrite(const std::string& path) {
  const int error = errno;
  const std::string what = fmt::format("cannot write {}: {}", path, std::strerror(error));
  return IsNoRoom(error) ? DiskFull(what) : Internal("{}", what);
}

// Without waiting for the disk, as a token is not read after a crash. A reader sees the old token
// or the new one.
absl::Status ReplaceFile(const std::string& path, std::string_view text) {
  const std::string next = path + ".next";
  {
    const Descriptor file(
        ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
    const bool written = file.is_open() && ::write(file.number(), text.data(), text.size()) ==
                                               static_cast<ssize_t>(text.size());
    if (!written) return CannotWrite(next);
  }
  return ::rename(next.c_str(), path.c_str()) == 0 ? absl::OkStatus() : CannotWrite(path);
}

std::string FolderOf(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

}  // namespace

absl::StatusOr<std::unique_ptr<JobTokens>> JobTokens::Open(Tokens tokens, std::string folder) {
  RETURN_IF_ERROR(files::Remove(folder));  // An earlier process has left them.
  RETURN_IF_ERROR(files::CreateFolder(folder));
  return std::unique_ptr<JobTokens>(new JobTokens(std::move(tokens), std::move(folder)));
}

JobTokens::JobTokens(Tokens tokens, std::string folder)
    : tokens_(std::move(tokens)),
      folder_(std::move(folder)),
      replacing_(std::make_unique<PeriodicTask>("job-tokens", kReplaceInterval,
                                                [this] { return ReplaceAll(); })) {}

JobTokens::~JobTokens() = default;

std::string JobTokens::PathOf(const std::string& name) const {
  return files::Join(files::Join(folder_, name), "token");
}

absl::StatusOr<JobTokens::Issued> JobTokens::Issue(const std::string& name, v1::JobClaims claims) {
  const std::string path = PathOf(name);
  RETURN_IF_ERROR(files::CreateFolder(FolderOf(path)));
  Issued issued(this, path);
  RETURN_IF_ERROR(Write(path, claims));
  MutexLock lock(mutex_);
  claims_.emplace(path, std::move(claims));
  return issued;
}

absl::Status JobTokens::Write(const std::string& path, v1::JobClaims claims) const {
  claims.set_expires_at(Now().micros + kJobTokenLife.micros);
  ASSIGN_OR_RETURN(const std::string token, tokens_.SignForJob(claims));
  return ReplaceFile(path, token);
}

absl::Status JobTokens::ReplaceAll() {
  std::map<std::string, v1::JobClaims> all;
  {
    MutexLock lock(mutex_);
    all = claims_;
  }
  absl::Status status;
  for (auto& [path, claims] : all) {
    // One whose job has ended meanwhile has no folder any more.
    if (files::Exists(path)) status.Update(Write(path, std::move(claims)));
  }
  return status;
}

void JobTokens::Remove(const std::string& path) {
  {
    MutexLock lock(mutex_);
    claims_.erase(path);
  }
  files::Remove(FolderOf(path)).IgnoreError();
}

JobTokens::Issued::Issued(Issued&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)), path_(std::move(other.path_)) {}

JobTokens::Issued::~Issued() {
  if (owner_ != nullptr) owner_->Remove(path_);
}

}  // namespace tidemill::rpc
