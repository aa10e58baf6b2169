#include "rpc/callers/call_token.h"

#include <chrono>

#include "base/files.h"
#include "base/mutex.h"

namespace tidemill::rpc {
namespace {

using Clock = std::chrono::steady_clock;

// Well below the time between two tokens of a job.
constexpr std::chrono::seconds kReadAgain{60};
constexpr size_t kMaxBytes = 64 << 10;

}  // namespace

struct CallToken::File {
  explicit File(std::string file_path) : path(std::move(file_path)) {}

  const std::string path;
  Mutex mutex;
  std::string text ABSL_GUARDED_BY(mutex);
  Clock::time_point read_at ABSL_GUARDED_BY(mutex) = {};
};

absl::StatusOr<CallToken> CallToken::OfFile(const std::string& path) {
  CallToken token;
  token.file_ = std::make_shared<File>(path);
  MutexLock lock(token.file_->mutex);
  ASSIGN_OR_RETURN(token.file_->text, files::Read(path, kMaxBytes));
  token.file_->read_at = Clock::now();
  return token;
}

std::string CallToken::Now() const {
  if (file_ == nullptr) return text_;
  MutexLock lock(file_->mutex);
  const Clock::time_point now = Clock::now();
  if (now - file_->read_at >= kReadAgain) {
    file_->read_at = now;
    // Without the file, the job has ended or its token is the last one.
    if (auto text = files::Read(file_->path, kMaxBytes); text.ok()) file_->text = *std::move(text);
  }
  return file_->text;
}

}  // namespace tidemill::rpc
