// The files at every path that a dataset may name, local or in an object store.
#pragma once

#include <memory>
#include <string>

#include "base/mutex.h"
#include "storage/filesystems/file_system.h"
#include "storage/filesystems/object_store_config.h"
#include "storage/filesystems/s3_files.h"

namespace tidemill::storage {

// Paths that begin with s3:// go to the object store. The store is set up on first use, so that a
// user without a store needs no credentials and sees no failure. Thread-safe.
class AnyFiles final : public FileSystem {
 public:
  // `folder` is for blocks of objects.
  AnyFiles(AllowedRootsOptions roots, ObjectStoreConfig config, std::string folder)
      : roots_(std::make_shared<const AllowedRoots>(std::move(roots))),
        config_(std::move(config)),
        folder_(std::move(folder)),
        local_(roots_) {}

  absl::StatusOr<OpenFile> Open(const std::string& path) override;
  absl::StatusOr<FileIdentity> IdentityOf(const std::string& path) override;
  absl::StatusOr<std::string> ResolveFolder(const std::string& path) override;
  absl::Status Probe(const std::string& folder) override;
  absl::StatusOr<FileListing> List(const std::string& root, std::string_view glob) override;

  // Ends the calls that wait for the store.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // INVALID_ARGUMENT for an object outside the roots, and when the configuration or the environment
  // is wrong.
  absl::StatusOr<FileSystem*> SystemOf(const std::string& path) ABSL_LOCKS_EXCLUDED(mutex_);

  const std::shared_ptr<const AllowedRoots> roots_;
  const ObjectStoreConfig config_;
  const std::string folder_;
  LocalFiles local_;
  Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<S3Files> store_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::storage
