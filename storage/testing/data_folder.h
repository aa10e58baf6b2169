// A folder of files for one test.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::storage::testing {

// Removed with all in it by the destructor.
class DataFolder {
 public:
  DataFolder();
  ~DataFolder();
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  const std::string& path() const { return path_; }

  // Writes a file and its folders, in place: a file that is there keeps its inode. Each file
  // written has an mtime of its own, whatever the clock's resolution.
  std::string Write(const std::string& name, std::string_view bytes) const;
  void Remove(const std::string& name) const;

 private:
  std::string path_;
};

// The bytes as a gzip file.
std::string Gzip(std::string_view bytes);

// A number's bytes, most significant first.
std::string BigEndian(uint64_t number, int width);

}  // namespace tidemill::storage::testing
