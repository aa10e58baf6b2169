// A file in memory that grows at its end and frees its beginning.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/status.h"
#include "storage/filesystems/file_system.h"

namespace tidemill::storage {

// The only file of a file system, so that the formats of datasets read it. Thread-compatible.
class Spool final : public FileSystem {
 public:
  static constexpr char kFolder[] = "/";
  static constexpr char kName[] = "input";

  // RESOURCE_EXHAUSTED when memory is full.
  absl::Status Create();
  absl::Status Append(std::string_view bytes);
  // Frees the memory of the bytes before `offset`, which must not be read again.
  void Forget(int64_t offset);
  int64_t size() const { return size_; }
  // Reads exactly the bytes [from, to).
  absl::StatusOr<std::string> Read(int64_t from, int64_t to) const;

  // These methods accept one path, kName in kFolder.
  absl::StatusOr<OpenFile> Open(const std::string& path) override;
  absl::StatusOr<FileIdentity> IdentityOf(const std::string& path) override;
  absl::StatusOr<std::string> ResolveFolder(const std::string& path) override;
  absl::Status Probe(const std::string& folder) override;
  absl::StatusOr<FileListing> List(const std::string& root, std::string_view glob) override;

 private:
  Descriptor file_;
  int64_t size_ = 0;
  int64_t forgotten_ = 0;
};

}  // namespace tidemill::storage
