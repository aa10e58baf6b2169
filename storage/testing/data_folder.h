// A folder of files for one test.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::storage::testing {

// The destructor removes it with everything in it.
class DataFolder {
 public:
  DataFolder();
  ~DataFolder();
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  const std::string& path() const { return path_; }

  // Writes a file and its folders in place: an existing file keeps its inode. Each written file has
  // a different mtime, whatever the clock's resolution.
  std::string Write(const std::string& name, std::string_view bytes) const;
  void Remove(const std::string& name) const;

 private:
  std::string path_;
};

// Returns the bytes as a gzip file.
std::string Gzip(std::string_view bytes);

// Returns the bytes of a number, most significant first.
std::string BigEndian(uint64_t number, int width);

}  // namespace tidemill::storage::testing
