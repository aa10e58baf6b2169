#include "storage/segments/new_segment_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/descriptor.h"
#include "base/disk_full.h"
#include "base/files.h"
#include "base/whole_io.h"
#include "storage/segments/segment_columns.h"

namespace tidemill::storage {

namespace {

// More files than these are made durable by syncing their whole filesystem.
constexpr size_t kMaxSyncedApart = 16;

absl::Status Failure(const std::string& doing, const std::string& path) {
  const int error = errno;
  const std::string what = fmt::format("cannot {} {}: {}", doing, path, std::strerror(error));
  return IsNoRoom(error) ? DiskFull(what) : Internal("{}", what);
}

}  // namespace

absl::Status WriteSegmentFile(const std::string& path, std::string_view bytes, bool sync) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.is_open()) return Failure("create", path);
  if (!WriteWhole(file.number(), bytes)) return Failure("write", path);
  if (sync && fsync(file.number()) != 0) return Failure("sync", path);
  return absl::OkStatus();
}

absl::Status WriteNewSegmentFiles(const std::string& storage_folder, DatasetId dataset,
                                  std::span<const NewSegmentFile> files) {
  if (files.empty()) return absl::OkStatus();
  const std::string path = SegmentFolder(storage_folder, dataset);
  RETURN_IF_ERROR(files::CreateFolder(path));
  const bool apart = files.size() <= kMaxSyncedApart;
  for (const NewSegmentFile& file : files) {
    ASSIGN_OR_RETURN(const std::string bytes, EncodeSegmentColumns(*file.rows));
    RETURN_IF_ERROR(
        WriteSegmentFile(SegmentPath(storage_folder, dataset, file.segment_id), bytes, apart));
  }
  const Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return Failure("open", path);
  const int synced = apart ? fsync(folder.number()) : syncfs(folder.number());
  return synced == 0 ? absl::OkStatus() : Failure("sync", path);
}

}  // namespace tidemill::storage
