#include "storage/compression/unpacked_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/disk_full.h"
#include "base/files.h"
#include "base/logs/log.h"
#include "base/metrics.h"
#include "base/whole_io.h"
#include "storage/compression/content_hash.h"
#include "storage/compression/decoder.h"
#include "xxhash.h"

// How a packed file is unpacked:
//
//   packed   | stream 1 | stream 2 | ... | trailing bytes |
//            `----------+----------+-----'
//   <name>.part         ^          ^
//                       `----------`-- MarkSound(). If the bytes after a mark do not unpack, they
//                                      are trailing bytes, and the part is cut back to the mark.
//   Finish() --> <32 digits>-<16 digits>[-<number of trailing bytes, hex>[z: they are padding]]

namespace tidemill::storage {

namespace {

constexpr size_t kBlock = 1 << 18;
constexpr std::string_view kHalfWritten = ".part";
constexpr size_t kNameBytes = 32;
constexpr size_t kSumBytes = 16;

// It ends with the number of bytes after the packed data, and "z" when they are padding.
std::string FileNameOf(std::string_view name, uint64_t sum, const BytesBehind& behind) {
  std::string file_name = fmt::format("{}-{:016x}", name, sum);
  if (behind.num_bytes == 0) return file_name;
  return fmt::format("{}-{:x}{}", file_name, behind.num_bytes, behind.is_padding ? "z" : "");
}

BytesBehind BehindOf(std::string_view file_name) {
  BytesBehind behind;
  file_name.remove_prefix(std::min(file_name.size(), kNameBytes + kSumBytes + 2));
  if (file_name.empty()) return behind;
  behind.is_padding = file_name.ends_with('z');
  std::from_chars(file_name.data(), file_name.data() + file_name.size(), behind.num_bytes, 16);
  return behind;
}

bool IsFileName(std::string_view text) {
  const size_t size = kNameBytes + 1 + kSumBytes;
  return text.size() >= size && text[kNameBytes] == '-' &&
         (text.size() == size || text[size] == '-');
}

// A name that changes whenever the packed file does.
std::string NameOf(const std::string& path, const FileIdentity& identity) {
  const std::string state =
      fmt::format("{}|{}|{}|{}", path, identity.inode, identity.size_bytes, identity.state_nanos());
  const XXH128_hash_t hash = XXH3_128bits(state.data(), state.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

// Writes a file that takes its name only once it is whole. It needs no sync: the name tells which
// state of the source it holds, and unpacking again repairs a torn one. It
// also tells the sum of the bytes.
class PartFile {
 public:
  PartFile(const std::string& folder, const std::string& name)
      : folder_(folder),
        name_(name),
        part_(files::Join(folder, name + std::string(kHalfWritten))),
        file_(open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {}
  ~PartFile() {
    if (!finished_) unlink(part_.c_str());
  }

  absl::Status Append(const char* bytes, size_t size) {
    hash_.Add({bytes, size});
    num_bytes_ += static_cast<int64_t>(size);
    if (!WriteWhole(file_.number(), {bytes, size})) return Failure("write", part_);
    return absl::OkStatus();
  }

  // The writer can return to the bytes appended so far.
  void MarkSound() {
    sound_bytes_ = num_bytes_;
    sound_hash_.Continue(hash_);
  }
  absl::Status GoBackToSound() {
    if (ftruncate(file_.number(), sound_bytes_) != 0) return Failure("shorten", part_);
    num_bytes_ = sound_bytes_;
    hash_.Continue(sound_hash_);
    return absl::OkStatus();
  }

  // Returns its name. The size must survive a crash of the machine, or a torn file would be read as
  // a whole before it is found out.
  absl::StatusOr<std::string> Finish(const BytesBehind& behind) {
    std::string file_name = FileNameOf(name_, hash_.Sum(), behind);
    const std::string path = files::Join(folder_, file_name);
    if (!is_open() || fsync(file_.number()) != 0 || rename(part_.c_str(), path.c_str()) != 0) {
      return Failure("finish", path);
    }
    finished_ = true;
    return file_name;
  }

  bool is_open() const { return file_.is_open(); }

 private:
  static absl::Status Failure(std::string_view doing, const std::string& path) {
    const int error = errno;
    const std::string what = fmt::format("cannot {} {}: {}", doing, path, std::strerror(error));
    return IsNoRoom(error) ? DiskFull(what) : Unavailable("{}", what);
  }

  const std::string folder_;
  const std::string name_;
  const std::string part_;
  const Descriptor file_;
  ContentHash hash_, sound_hash_;
  int64_t num_bytes_ = 0, sound_bytes_ = 0;
  bool finished_ = false;
};

// How far the streams of a packed file that have ended reach.
struct SoundPart {
  int64_t num_streams = 0;
  int64_t packed_bytes = 0;
};

// Unpacks all of a file into `out`. `sound` and the mark of `out` are where its last stream ended.
absl::Status Decode(const OpenFile& packed, Decoder& decoder, int64_t max_bytes, PartFile& out,
                    SoundPart& sound) {
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
      if (decoder.num_ended() > sound.num_streams) {
        sound = {decoder.num_ended(), offset - std::ssize(rest)};
        out.MarkSound();
      }
      goes_on = progress->taken > 0 || progress->made > 0;
    }
    if (!rest.empty()) return DataLoss("{} cannot be unpacked to its end", packed.path());
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
    const auto begin = static_cast<size_t>(std::min(offset, UnpackedCache::kMaxOfStart));
    const auto end = std::min(begin + size, static_cast<size_t>(UnpackedCache::kMaxOfStart));
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
    if (absl::IsDataLoss(progress.status()) && decoder_->num_ended() > 0) {
      ended_ = true;
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(Annotate(progress.status(), packed_.path()));
    offset_ += static_cast<int64_t>(progress->taken);
    unpacked_.append(into.data(), progress->made);
    ended_ = progress->taken == 0 && progress->made == 0;
    if (!ended_ || decoder_->at_end() || decoder_->num_ended() > 0) return absl::OkStatus();
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

absl::StatusOr<std::unique_ptr<UnpackedCache>> UnpackedCache::Create(UnpackedCacheOptions options,
                                                                     FileSystem& source) {
  std::unique_ptr<UnpackedCache> cache(new UnpackedCache(std::move(options), source));
  if (cache->options_.folder.empty()) return cache;
  RETURN_IF_ERROR(files::CreateFolder(cache->options_.folder));
  RETURN_IF_ERROR(cache->Adopt());
  return cache;
}

absl::Status UnpackedCache::Adopt() {
  ASSIGN_OR_RETURN(ListedFolder listed, ListOwnFiles(options_.folder, "*"));
  std::vector<ListedFile> found = std::move(listed.files);
  std::sort(found.begin(), found.end(), [](const ListedFile& a, const ListedFile& b) {
    return a.identity.modified_nanos < b.identity.modified_nanos;
  });
  MutexLock lock(mutex_);
  for (const ListedFile& file : found) {
    if (!IsFileName(file.path)) {
      RETURN_IF_ERROR(files::Remove(files::Join(options_.folder, file.path)));
      continue;
    }
    const std::string name = file.path.substr(0, kNameBytes);
    if (entries_.contains(name)) {  // Unpacked twice, to different bytes.
      RETURN_IF_ERROR(files::Remove(files::Join(options_.folder, file.path)));
      continue;
    }
    used_.push_front(name);
    entries_[name] = {.file_name = file.path,
                      .size_bytes = file.identity.size_bytes,
                      .used = used_.begin(),
                      .is_compared = false};
  }
  Evict("");
  return absl::OkStatus();
}

absl::StatusOr<OpenFile> UnpackedCache::Open(const std::string& path) {
  ASSIGN_OR_RETURN(OpenFile packed, source_.Open(path));
  ASSIGN_OR_RETURN(const std::unique_ptr<Decoder> decoder, NewDecoder(packed));
  if (!decoder) return packed;
  if (options_.folder.empty()) return FailedPrecondition("{} is packed, and nothing is kept", path);
  ASSIGN_OR_RETURN(const FileIdentity identity, packed.Identity());
  const std::string name = NameOf(path, identity);
  std::string left;  // By an earlier process; to be compared.
  {
    MutexLock lock(mutex_);
    while (entries_.contains(name) && entries_[name].unpacking) changed_.wait(mutex_);
    if (const auto found = entries_.find(name); found != entries_.end()) {
      used_.splice(used_.begin(), used_, found->second.used);
      if (!found->second.is_compared) {
        left = found->second.file_name;
      } else {
        absl::StatusOr<OpenFile> file =
            OpenFile::Open(files::Join(options_.folder, found->second.file_name));
        if (file.ok()) return file;  // Else removed by a person; unpack again.
      }
    } else {
      used_.push_front(name);
      entries_[name].used = used_.begin();
    }
    entries_[name].unpacking = true;
  }
  std::string file_name = left;
  absl::StatusOr<OpenFile> file = absl::NotFoundError("");
  if (!left.empty()) file = OpenCompared(left);
  if (!file.ok()) {
    absl::StatusOr<std::string> unpacked = Unpack(packed, *decoder, name);
    file_name = unpacked.value_or("");
    file =
        unpacked.ok() ? OpenFile::Open(files::Join(options_.folder, file_name)) : unpacked.status();
  }
  absl::StatusOr<FileIdentity> unpacked = file.ok() ? file->Identity() : file.status();
  MutexLock lock(mutex_);
  Entry& entry = entries_[name];
  if (unpacked.ok()) {
    entry.file_name = file_name;
    entry.size_bytes = unpacked->size_bytes;
    entry.unpacking = false;
    entry.is_compared = true;
    Evict(name);
  } else {
    used_.erase(entry.used);
    entries_.erase(name);
  }
  changed_.notify_all();
  return file;
}

absl::StatusOr<OpenFile> UnpackedCache::OpenCompared(const std::string& file_name) const {
  static metrics::Counter& damaged = metrics::Process().AddCounter(
      {"storage_unpacked_files_damaged", "",
       "Unpacked copies of compressed files that were damaged, and unpacked again."});
  const std::string path = files::Join(options_.folder, file_name);
  ASSIGN_OR_RETURN(OpenFile file, OpenFile::Open(path));
  std::vector<char> bytes(kBlock);
  ContentHash hash;
  for (int64_t offset = 0;; offset += std::ssize(bytes)) {
    ASSIGN_OR_RETURN(const size_t count, file.ReadAt(offset, bytes.data(), bytes.size()));
    hash.Add({bytes.data(), count});
    if (count < bytes.size()) break;
  }
  const BytesBehind behind = BehindOf(file_name);
  if (FileNameOf(file_name.substr(0, kNameBytes), hash.Sum(), behind) == file_name) return file;
  damaged.Add();
  log::Warn("an unpacked copy is damaged; unpacking the file again", {{"path", path}});
  RETURN_IF_ERROR(files::Remove(path));
  return DataLoss("{} is damaged", path);
}

absl::StatusOr<std::string> UnpackedCache::Unpack(const OpenFile& packed, Decoder& decoder,
                                                  const std::string& name) {
  ASSIGN_OR_RETURN(const FileIdentity identity, packed.Identity());
  const int64_t by_ratio = identity.size_bytes > options_.max_unpacked_bytes / options_.max_ratio
                               ? options_.max_unpacked_bytes
                               : identity.size_bytes * options_.max_ratio;
  PartFile out(options_.folder, name);
  if (!out.is_open()) return Unavailable("cannot write below {}", options_.folder);
  SoundPart sound;
  const absl::Status decoded =
      Decode(packed, decoder, std::min(by_ratio, options_.max_unpacked_bytes), out, sound);
  if (absl::IsDataLoss(decoded) && sound.num_streams > 0) {
    // A later stream is cut or damaged. Its sum cannot say which of its bytes are right.
    RETURN_IF_ERROR(out.GoBackToSound());
    return out.Finish({.num_bytes = identity.size_bytes - sound.packed_bytes, .is_padding = false});
  }
  RETURN_IF_ERROR(decoded);
  return out.Finish(decoder.behind());
}

BytesBehind UnpackedCache::BehindPackedData(const std::string& path, const FileIdentity& identity) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(NameOf(path, identity));
  return found == entries_.end() ? BytesBehind{} : BehindOf(found->second.file_name);
}

void UnpackedCache::Evict(const std::string& keep) {
  int64_t total = 0;
  for (const auto& [name, entry] : entries_) total += entry.size_bytes;
  for (auto last = used_.end(); total > options_.max_bytes && last != used_.begin();) {
    --last;
    const auto entry = entries_.find(*last);
    if (*last == keep || entry->second.unpacking) continue;
    total -= entry->second.size_bytes;
    files::Remove(files::Join(options_.folder, entry->second.file_name)).IgnoreError();
    entries_.erase(entry);
    last = used_.erase(last);
  }
}

}  // namespace tidemill::storage
