#include "storage/foreign/spool.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/files.h"
#include "base/whole_io.h"

namespace tidemill::storage {
namespace {

// The memory of a file is freed in pages.
constexpr int64_t kPage = 4096;

absl::Status NoSuchFile(const std::string& path) { return NotFound("there is no {}", path); }

}  // namespace

absl::Status Spool::Create() {
  file_ = Descriptor(memfd_create("tidemill-input", MFD_CLOEXEC));
  if (file_.is_open()) return absl::OkStatus();
  return ResourceExhausted("cannot make a file in memory: {}", std::strerror(errno));
}

absl::Status Spool::Append(std::string_view bytes) {
  if (!WriteWholeAt(file_.number(), bytes, size_)) {
    return ResourceExhausted("cannot keep the input in memory: {}", std::strerror(errno));
  }
  size_ += std::ssize(bytes);
  return absl::OkStatus();
}

void Spool::Forget(int64_t offset) {
  const int64_t end = offset / kPage * kPage;
  if (end <= forgotten_) return;
  // If the kernel cannot do that, the memory stays.
  (void)fallocate(file_.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, forgotten_,
                  end - forgotten_);
  forgotten_ = end;
}

absl::StatusOr<std::string> Spool::Read(int64_t from, int64_t to) const {
  std::string bytes(static_cast<size_t>(to - from), '\0');
  if (ReadWholeAt(file_.number(), bytes, from) == std::ssize(bytes)) return bytes;
  return Internal("the input's bytes {} to {} are gone", from, to);
}

absl::StatusOr<OpenFile> Spool::Open(const std::string& path) {
  if (path != files::Join(kFolder, kName)) return NoSuchFile(path);
  return OpenFile(path, Descriptor(fcntl(file_.number(), F_DUPFD_CLOEXEC, 0)));
}

absl::StatusOr<FileIdentity> Spool::IdentityOf(const std::string& path) {
  ASSIGN_OR_RETURN(const OpenFile file, Open(path));
  return file.Identity();
}

absl::StatusOr<std::string> Spool::ResolveFolder(const std::string& path) {
  if (path != kFolder) return NoSuchFile(path);
  return path;
}

absl::Status Spool::Probe(const std::string& folder) { return ResolveFolder(folder).status(); }

absl::StatusOr<FileListing> Spool::List(const std::string& root, std::string_view /*glob*/) {
  RETURN_IF_ERROR(Probe(root));
  ASSIGN_OR_RETURN(const FileIdentity identity, IdentityOf(files::Join(kFolder, kName)));
  return FileListing{.files = {{.path = kName, .identity = identity}},
                     .identity_of = [this](const std::string& path) { return IdentityOf(path); }};
}

}  // namespace tidemill::storage
