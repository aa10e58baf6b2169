#include "base/logs/log_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "base/descriptor.h"

namespace tidemill::log {
namespace {

using Identity = std::pair<dev_t, ino_t>;

std::optional<Identity> IdentityOf(int number) {
  struct stat info = {};
  if (fstat(number, &info) != 0) return std::nullopt;
  return Identity(info.st_dev, info.st_ino);
}

std::optional<Identity> IdentityAt(const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return Identity(info.st_dev, info.st_ino);
}

}  // namespace

LogFile::LogFile(std::string path, int64_t max_bytes, int num_kept)
    : path_(std::move(path)),
      max_bytes_(max_bytes),
      num_kept_(num_kept),
      current_(IdentityAt(path_).value_or(Identity())) {}

std::string LogFile::PathOf(const std::string& path, int number) {
  return number == 0 ? path : path + "." + std::to_string(number);
}

void LogFile::BeforeLine() {
  MutexLock lock(mutex_);
  struct stat info = {};
  if (fstat(STDERR_FILENO, &info) != 0) return;
  if (Identity(info.st_dev, info.st_ino) != current_) return;
  if (IdentityAt(path_) == current_) {
    if (info.st_size < max_bytes_) return;
    Rotate();
  }
  Follow();
}

void LogFile::Rotate() const {
  // Opened again, because a lock belongs to the open file, and children share this process's.
  const Descriptor turned(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!turned.is_open() || flock(turned.number(), LOCK_EX) != 0) return;
  if (IdentityOf(turned.number()) != IdentityAt(path_)) return;  // Another process was faster.
  for (int number = num_kept_ - 1; number >= 0; --number) {
    std::rename(PathOf(path_, number).c_str(), PathOf(path_, number + 1).c_str());
  }
}

void LogFile::Follow() {
  const Descriptor file(open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file.is_open()) return;
  if (IdentityOf(STDOUT_FILENO) == current_) dup2(file.number(), STDOUT_FILENO);
  dup2(file.number(), STDERR_FILENO);
  current_ = IdentityOf(file.number()).value_or(current_);
}

}  // namespace tidemill::log
