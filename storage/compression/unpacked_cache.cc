#include "storage/compression/unpacked_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/disk_full.h"
#include "base/files.h"
#include "storage/compression/decoder.h"
#include "xxhash.h"

namespace tidemill::storage {

namespace {

constexpr size_t kBlock = 1 << 18;
constexpr std::string_view kHalfWritten = ".part";

// A name that changes whenever the packed file does.
std::string NameOf(const std::string& path, const FileIdentity& identity) {
  const std::string state =
      fmt::format("{}|{}|{}|{}", path, identity.inode, identity.size_bytes, identity.state_nanos());
  const XXH128_hash_t hash = XXH3_128bits(state.data(), state.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

// Writes a file that takes its name only once it is whole. It needs no sync: the name tells which
// state of the source it holds, and a torn one is no loss that unpacking again would not mend.
class PartFile {
 public:
  explicit PartFile(const std::string& path)
      : path_(path),
        part_(path + std::string(kHalfWritten)),
        file_(open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {}
  ~PartFile() {
    if (!finished_) unlink(part_.c_str());
  }

  absl::Status Append(const char* bytes, size_t size) {
    while (size > 0) {
      const ssize_t count = write(file_.number(), bytes, size);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Failure("write");
      bytes += count;
      size -= static_cast<size_t>(count);
    }
    return absl::OkStatus();
  }

  // The size must survive a crash of the machine, or a torn file would pass for a whole one.
  absl::Status Finish() {
    if (!is_open() || fsync(file_.number()) != 0 || rename(part_.c_str(), path_.c_str()) != 0) {
      return Failure("finish");
    }
    finished_ = true;
    return absl::OkStatus();
  }

  bool is_open() const { return file_.is_open(); }

 private:
  absl::Status Failure(std::string_view doing) const {
    const int error = errno;
    const std::string what = fmt::format("cannot {} {}: {}", doing, path_, std::strerror(error));
    return IsNoRoom(error) ? DiskFull(what) : Unavailable("{}", what);
  }

  const std::string path_;
  const std::string part_;
  const Descriptor file_;
  bool finished_ = false;
};

// Unpacks all of a file into `out`.
absl::Status Decode(const OpenFile& packed, Decoder& decoder, int64_t max_bytes, PartFile& out) {
  std::vector<char> from(kBlock), into(kBlock);
  int64_t offset = 0, written = 0;
  bool last = false;
  while (!last) {
    ASSIGN_OR_RETURN(const size_t count, packed.ReadAt(offset, from.data(), from.size()));
    offset += static_cast<int64_t>(count);
    last = count < from.size();
    std::string_view rest(from.data(), count);
    for (bool goes_on = true; goes_on;) {
      absl::StatusOr<Decoder::Progress> progress = decoder.Decode(rest, last, into);
      RETURN_IF_ERROR(Annotate(progress.status(), packed.path()));
      rest.remove_prefix(progress->taken);
      written += static_cast<int64_t>(progress->made);
      if (written > max_bytes) {
        return ResourceExhausted("{} unpacks to more than {} bytes", packed.path(), max_bytes);
      }
      RETURN_IF_ERROR(out.Append(into.data(), progress->made));
      goes_on = progress->taken > 0 || progress->made > 0;
    }
    if (!rest.empty()) return DataLoss("{} has more bytes after its packed data", packed.path());
  }
  if (!decoder.at_end()) return DataLoss("{} ends within its packed data", packed.path());
  return absl::OkStatus();
}

// The beginning of a packed file, unpacked as it is read.
class StartOfPacked final : public RemoteFile {
 public:
  StartOfPacked(OpenFile packed, std::unique_ptr<Decoder> decoder, const FileIdentity& identity)
      : packed_(std::move(packed)), identity_(identity), decoder_(std::move(decoder)) {}

  FileIdentity Identity() const override { return identity_; }

  absl::StatusOr<size_t> ReadAt(int64_t offset, char* bytes, size_t size) const override {
    MutexLock lock(mutex_);
    const auto begin = static_cast<size_t>(std::min(offset, UnpackedCache::kMostOfStart));
    const auto end = std::min(begin + size, static_cast<size_t>(UnpackedCache::kMostOfStart));
    while (unpacked_.size() < end && !ended_) RETURN_IF_ERROR(UnpackMore());
    if (begin >= unpacked_.size()) return size_t{0};
    const size_t count = std::min(end, unpacked_.size()) - begin;
    std::memcpy(bytes, unpacked_.data() + begin, count);
    return count;
  }

  absl::Status Prepare(std::span<const ByteRange>) const override { return absl::OkStatus(); }

 private:
  absl::Status UnpackMore() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    std::vector<char> from(kBlock), into(kBlock);
    ASSIGN_OR_RETURN(const size_t count, packed_.ReadAt(offset_, from.data(), from.size()));
    const auto progress =
        decoder_->Decode(std::string_view(from.data(), count), count < from.size(), into);
    RETURN_IF_ERROR(Annotate(progress.status(), packed_.path()));
    offset_ += static_cast<int64_t>(progress->taken);
    unpacked_.append(into.data(), progress->made);
    ended_ = progress->taken == 0 && progress->made == 0;
    if (!ended_ || decoder_->at_end()) return absl::OkStatus();
    return DataLoss("{} ends within its packed data", packed_.path());
  }

  const OpenFile packed_;
  const FileIdentity identity_;
  mutable Mutex mutex_;
  const std::unique_ptr<Decoder> decoder_ ABSL_GUARDED_BY(mutex_);
  mutable int64_t offset_ ABSL_GUARDED_BY(mutex_) = 0;
  mutable std::string unpacked_ ABSL_GUARDED_BY(mutex_);
  mutable bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace

absl::StatusOr<OpenFile> UnpackedCache::OpenStart(const std::string& path) {
  ASSIGN_OR_RETURN(OpenFile packed, source_.Open(path));
  ASSIGN_OR_RETURN(std::unique_ptr<Decoder> decoder, NewDecoder(packed));
  if (!decoder) return packed;
  ASSIGN_OR_RETURN(const FileIdentity identity, packed.Identity());
  return OpenFile(path,
                  std::make_unique<StartOfPacked>(std::move(packed), std::move(decoder), identity));
}

absl::StatusOr<std::unique_ptr<UnpackedCache>> UnpackedCache::Create(UnpackedCacheOptions options) {
  static LocalFiles local;  // Has no state.
  return Create(std::move(options), local);
}

absl::StatusOr<std::unique_ptr<UnpackedCache>> UnpackedCache::Create(UnpackedCacheOptions options,
                                                                     FileSystem& source) {
  RETURN_IF_ERROR(files::CreateFolder(options.folder));
  std::unique_ptr<UnpackedCache> cache(new UnpackedCache(std::move(options), source));
  RETURN_IF_ERROR(cache->Adopt());
  return cache;
}

absl::Status UnpackedCache::Adopt() {
  const auto always = [](const std::string&) { return true; };
  ASSIGN_OR_RETURN(ListedFolder listed, ListFiles(options_.folder, "*", always));
  std::vector<ListedFile> found = std::move(listed.files);
  std::sort(found.begin(), found.end(), [](const ListedFile& a, const ListedFile& b) {
    return a.identity.modified_nanos < b.identity.modified_nanos;
  });
  MutexLock lock(mutex_);
  for (const ListedFile& file : found) {
    if (file.path.ends_with(kHalfWritten)) {
      RETURN_IF_ERROR(files::Remove(files::Join(options_.folder, file.path)));
      continue;
    }
    used_.push_front(file.path);
    entries_[file.path] = {.size_bytes = file.identity.size_bytes, .used = used_.begin()};
  }
  Evict("");
  return absl::OkStatus();
}

absl::StatusOr<OpenFile> UnpackedCache::Open(const std::string& path) {
  ASSIGN_OR_RETURN(OpenFile packed, source_.Open(path));
  ASSIGN_OR_RETURN(const std::unique_ptr<Decoder> decoder, NewDecoder(packed));
  if (!decoder) return packed;
  ASSIGN_OR_RETURN(const FileIdentity identity, packed.Identity());
  const std::string name = NameOf(path, identity);
  {
    MutexLock lock(mutex_);
    while (entries_.contains(name) && entries_[name].unpacking) changed_.wait(mutex_);
    if (const auto found = entries_.find(name); found != entries_.end()) {
      used_.splice(used_.begin(), used_, found->second.used);
      absl::StatusOr<OpenFile> file = OpenFile::Open(files::Join(options_.folder, name));
      if (file.ok()) return file;
      used_.erase(found->second.used);  // Removed by a person; unpack again.
      entries_.erase(found);
    }
    used_.push_front(name);
    entries_[name] = {.used = used_.begin(), .unpacking = true};
  }
  const absl::Status status = Unpack(packed, *decoder, name);
  absl::StatusOr<OpenFile> file =
      status.ok() ? OpenFile::Open(files::Join(options_.folder, name)) : status;
  absl::StatusOr<FileIdentity> unpacked = file.ok() ? file->Identity() : file.status();
  MutexLock lock(mutex_);
  const auto entry = entries_.find(name);
  if (unpacked.ok()) {
    entry->second.size_bytes = unpacked->size_bytes;
    entry->second.unpacking = false;
    Evict(name);
  } else {
    used_.erase(entry->second.used);
    entries_.erase(entry);
  }
  changed_.notify_all();
  return file;
}

absl::Status UnpackedCache::Unpack(const OpenFile& packed, Decoder& decoder,
                                   const std::string& name) {
  ASSIGN_OR_RETURN(const FileIdentity identity, packed.Identity());
  const int64_t by_ratio = identity.size_bytes > options_.max_unpacked_bytes / options_.max_ratio
                               ? options_.max_unpacked_bytes
                               : identity.size_bytes * options_.max_ratio;
  PartFile out(files::Join(options_.folder, name));
  if (!out.is_open()) return Unavailable("cannot write below {}", options_.folder);
  RETURN_IF_ERROR(Decode(packed, decoder, std::min(by_ratio, options_.max_unpacked_bytes), out));
  return out.Finish();
}

void UnpackedCache::Evict(const std::string& keep) {
  int64_t total = 0;
  for (const auto& [name, entry] : entries_) total += entry.size_bytes;
  for (auto last = used_.end(); total > options_.max_bytes && last != used_.begin();) {
    --last;
    const auto entry = entries_.find(*last);
    if (*last == keep || entry->second.unpacking) continue;
    total -= entry->second.size_bytes;
    files::Remove(files::Join(options_.folder, *last)).IgnoreError();
    entries_.erase(entry);
    last = used_.erase(last);
  }
}

}  // namespace tidemill::storage
