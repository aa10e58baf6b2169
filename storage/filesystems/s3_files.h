// The files of an object store.
#pragma once

#include <memory>
#include <string>

#include "storage/filesystems/block_cache.h"
#include "storage/filesystems/file_system.h"
#include "storage/filesystems/object_blocks.h"
#include "storage/filesystems/object_store_config.h"
#include "storage/filesystems/s3_client.h"

namespace tidemill::storage {

// Shows objects as files: "s3://bucket/a/b.csv" is the file b.csv in the folder a. An object whose
// key ends with a slash is not a file: some programs make it as a folder. Paths were judged by
// AnyFiles.
class S3Files final : public FileSystem {
 public:
  // `folder` is for blocks. INVALID_ARGUMENT when the configuration or the environment is wrong.
  static absl::StatusOr<std::unique_ptr<S3Files>> Create(const ObjectStoreConfig& config,
                                                         const std::string& folder);

  absl::StatusOr<OpenFile> Open(const std::string& path) override;
  absl::StatusOr<FileIdentity> IdentityOf(const std::string& path) override;
  absl::StatusOr<std::string> ResolveFolder(const std::string& path) override;
  absl::Status Probe(const std::string& folder) override;
  absl::StatusOr<FileListing> List(const std::string& root, std::string_view glob) override;

  // Ends the calls that wait for the store. From then on, calls return CANCELLED.
  void Stop() { client_.Stop(); }

 private:
  S3Files(const ObjectStoreConfig& config, std::unique_ptr<BlockCache> cache);

  const int64_t block_bytes_;
  const std::unique_ptr<BlockCache> cache_;
  S3Client client_;
  ObjectBlocks blocks_;
};

}  // namespace tidemill::storage
