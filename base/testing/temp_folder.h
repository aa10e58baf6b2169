// A folder for the files of a test.
#pragma once

#include <stdlib.h>

#include <string>

#include "base/files.h"

namespace tidemill::testing {

// Makes a folder below /tmp, and removes it with what is in it.
class TempFolder {
 public:
  TempFolder() { path_ = ::mkdtemp(path_.data()); }
  ~TempFolder() { files::Remove(path_).IgnoreError(); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/tidemill-test-XXXXXX";
};

}  // namespace tidemill::testing
