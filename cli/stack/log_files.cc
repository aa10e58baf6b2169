#include "cli/stack/log_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemill::cli {
namespace {

constexpr size_t kChunk = size_t{1} << 16;

}  // namespace

// Whether there is another file to read from its beginning.
bool LogFile::Reopen() {
  if (is_kept_ && file_.is_open()) return false;
  struct stat there {};
  if (stat(path_.c_str(), &there) != 0) return false;
  if (file_.is_open()) {
    struct stat opened {};
    fstat(file_.number(), &opened);
    const bool same = opened.st_ino == there.st_ino && opened.st_dev == there.st_dev;
    if (same && opened.st_size >= position_) return false;
  }
  file_ = Descriptor(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  position_ = 0;
  rest_.clear();  // Half a line that will never be whole.
  begin_ = 0;
  return file_.is_open();
}

bool LogFile::Fill() {
  if (!file_.is_open() && !Reopen()) return false;
  rest_.erase(0, begin_);
  begin_ = 0;
  const size_t before = rest_.size();
  const auto read_more = [&] {
    rest_.resize(before + kChunk);
    const ssize_t count = pread(file_.number(), rest_.data() + before, kChunk, position_);
    rest_.resize(before + (count > 0 ? static_cast<size_t>(count) : 0));
    position_ += count > 0 ? count : 0;
    return count > 0;
  };
  return read_more() || (Reopen() && Fill());
}

std::optional<LogLine> LogFile::Next() {
  size_t end = rest_.find('\n', begin_);
  while (end == std::string::npos) {
    if (!Fill()) return std::nullopt;
    end = rest_.find('\n', begin_);
  }
  const std::string text = rest_.substr(begin_, end - begin_);
  begin_ = end + 1;
  if (auto line = ParseLogLine(text)) {
    last_ = *line;
    last_.fields.clear();
    return line;
  }
  LogLine line = last_;
  line.service = service_;
  line.text = line.message = text;
  return line;
}

std::optional<LogLine> LogFiles::Next() {
  std::optional<LogLine>* earliest = nullptr;
  for (size_t i = 0; i < files_.size(); ++i) {
    if (!heads_[i]) heads_[i] = files_[i].Next();
    if (heads_[i] && (earliest == nullptr || heads_[i]->time < (*earliest)->time)) {
      earliest = &heads_[i];
    }
  }
  return earliest == nullptr ? std::nullopt : std::exchange(*earliest, std::nullopt);
}

}  // namespace tidemill::cli
