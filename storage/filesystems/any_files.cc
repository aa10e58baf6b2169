#include "storage/filesystems/any_files.h"

#include "storage/filesystems/object_path.h"

namespace tidemill::storage {

absl::StatusOr<FileSystem*> AnyFiles::SystemOf(const std::string& path) {
  if (!IsObjectPath(path)) return &local_;
  RETURN_IF_ERROR(roots_->Present()->Resolve(path).status());
  MutexLock lock(mutex_);
  if (!store_) {
    if (stopped_) return Cancelled("storage is stopping");
    ASSIGN_OR_RETURN(store_, S3Files::Create(config_, folder_));
  }
  return store_.get();
}

void AnyFiles::Stop() {
  MutexLock lock(mutex_);
  stopped_ = true;
  if (store_) store_->Stop();
}

absl::StatusOr<OpenFile> AnyFiles::Open(const std::string& path) {
  ASSIGN_OR_RETURN(FileSystem* const system, SystemOf(path));
  return system->Open(path);
}

absl::StatusOr<FileIdentity> AnyFiles::IdentityOf(const std::string& path) {
  ASSIGN_OR_RETURN(FileSystem* const system, SystemOf(path));
  return system->IdentityOf(path);
}

absl::StatusOr<std::string> AnyFiles::ResolveFolder(const std::string& path) {
  ASSIGN_OR_RETURN(FileSystem* const system, SystemOf(path));
  return system->ResolveFolder(path);
}

absl::Status AnyFiles::Probe(const std::string& folder) {
  ASSIGN_OR_RETURN(FileSystem* const system, SystemOf(folder));
  return system->Probe(folder);
}

absl::StatusOr<FileListing> AnyFiles::List(const std::string& root, std::string_view glob) {
  ASSIGN_OR_RETURN(FileSystem* const system, SystemOf(root));
  return system->List(root, glob);
}

}  // namespace tidemill::storage
