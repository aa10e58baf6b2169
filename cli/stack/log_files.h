// Reads log files that are written meanwhile, may be cut short, replaced, or not there yet.
#pragma once

#include <string>
#include <vector>

#include "base/descriptor.h"
#include "cli/terminal/log_lines.h"

namespace tidemill::cli {

// One log file, from its beginning on. Thread-compatible. Memory: one chunk and one line.
class LogFile {
 public:
  // `service`: whose lines they are where a line does not say.
  LogFile(std::string path, std::string service)
      : path_(std::move(path)), service_(std::move(service)) {}

  // The next line that is complete; std::nullopt when there is none now. A line that no logger
  // wrote has time and level of the one before it. Goes on with the new file once the one that is
  // open was read to its end and another stands in its place, or was cut short.
  std::optional<LogLine> Next();

 private:
  bool Fill();
  bool Reopen();

  const std::string path_;
  const std::string service_;
  Descriptor file_;
  int64_t position_ = 0;
  std::string rest_;  // Read and not returned yet.
  size_t begin_ = 0;  // Of the next line in it.
  LogLine last_;
};

// Several files as one, in the order of time. Thread-compatible.
class LogFiles {
 public:
  explicit LogFiles(std::vector<LogFile> files) : files_(std::move(files)), heads_(files_.size()) {}

  // The earliest line of all files; std::nullopt when no file has one now.
  std::optional<LogLine> Next();

 private:
  std::vector<LogFile> files_;
  std::vector<std::optional<LogLine>> heads_;
};

}  // namespace tidemill::cli
