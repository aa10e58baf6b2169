// Reads log files that may be written, truncated or replaced at the same time, or may not exist
// yet.
#pragma once

#include <string>
#include <vector>

#include "base/descriptor.h"
#include "cli/terminal/log_lines.h"

namespace tidemill::cli {

// Reads one log file from its beginning. Thread-compatible. Memory: one chunk and one line.
class LogFile {
 public:
  // `service` is the service of lines that do not name one. A file that `is_kept` is an earlier one
  // and complete: a new file of the same name is not read.
  LogFile(std::string path, std::string service, bool is_kept = false)
      : path_(std::move(path)), service_(std::move(service)), is_kept_(is_kept) {}

  // Returns the next complete line; std::nullopt when there is none now. A line that no logger
  // wrote gets the time and the level of the line before it. Once the open file is read to its end
  // and was replaced or truncated, continues with the new file.
  std::optional<LogLine> Next();

 private:
  bool Fill();
  bool Reopen();

  const std::string path_;
  const std::string service_;
  const bool is_kept_;
  Descriptor file_;
  int64_t position_ = 0;
  std::string rest_;  // Bytes that were read and not returned yet.
  size_t begin_ = 0;  // Where the next line begins in it.
  LogLine last_;
};

// Reads several files as one, in the order of time. Thread-compatible.
class LogFiles {
 public:
  explicit LogFiles(std::vector<LogFile> files) : files_(std::move(files)), heads_(files_.size()) {}

  // Returns the earliest line of all files; std::nullopt when no file has one now.
  std::optional<LogLine> Next();

 private:
  std::vector<LogFile> files_;
  std::vector<std::optional<LogLine>> heads_;
};

}  // namespace tidemill::cli
