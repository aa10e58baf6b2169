#include "loader/shared/stream_control.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "base/files.h"
#include "base/paths/own_folder.h"

// Bytes of the file are locked, whether or not they exist:
//
//   0 .. 63        by the member with that place, as long as it lives
//   64             by a process that joins or leaves
//   4096 + chunk   by the thread that makes the chunk
//
// The locks belong to open file descriptions: threads exclude each other as processes do, and the
// kernel frees the locks of a process that dies.

namespace tidemill::loader {
namespace {

constexpr char kControlFile[] = "control";
constexpr off_t kJoining = StreamControl::kMaxMembers;
constexpr off_t kClaims = 4096;
constexpr int kJoinAttempts = 16;
// A process that joins or leaves takes less than this, unless it is stopped.
constexpr std::chrono::milliseconds kJoinPatience{1000};

enum State : uint32_t { kFree = 0, kMember = 1, kStrictMember = 2 };

struct flock LockOf(off_t byte, short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

bool TryLock(int file, off_t byte) {
  struct flock lock = LockOf(byte, F_WRLCK);
  return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

void Unlock(int file, off_t byte) {
  struct flock lock = LockOf(byte, F_UNLCK);
  fcntl(file, F_OFD_SETLK, &lock);
}

bool IsLockedByOthers(int file, off_t byte) {
  struct flock lock = LockOf(byte, F_WRLCK);
  return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// The section in which a process joins or leaves.
class JoinLock {
 public:
  explicit JoinLock(int file) : file_(file) {
    constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 1'000'000};
    const auto end = std::chrono::steady_clock::now() + kJoinPatience;
    while (!(held_ = TryLock(file, kJoining)) && std::chrono::steady_clock::now() < end) {
      nanosleep(&kPause, nullptr);
    }
  }
  JoinLock(const JoinLock&) = delete;
  JoinLock& operator=(const JoinLock&) = delete;
  ~JoinLock() {
    if (held_) Unlock(file_, kJoining);
  }
  bool held() const { return held_; }

 private:
  const int file_;
  bool held_ = false;
};

bool IsStillAt(int file, const std::string& path) {
  struct stat opened = {};
  struct stat there = {};
  return fstat(file, &opened) == 0 && lstat(path.c_str(), &there) == 0 &&
         opened.st_ino == there.st_ino && opened.st_dev == there.st_dev;
}

}  // namespace

// Zeros are a valid page without members.
struct StreamControl::Page {
  struct alignas(64) Place {
    std::atomic<uint32_t> state;
    int32_t pid;  // For people.
    std::atomic<int64_t> next;
    std::atomic<int64_t> end;
  };
  alignas(64) std::atomic<uint32_t> rung;
  Place places[kMaxMembers];
};

absl::StatusOr<std::unique_ptr<StreamControl>> StreamControl::Join(const std::string& folder,
                                                                   const StreamMember& self) {
  const std::string path = files::Join(folder, kControlFile);
  absl::Status failure;
  for (int attempt = 0; attempt < kJoinAttempts; ++attempt) {
    absl::Status made = files::MakeOwnFolder(std::filesystem::path(folder).parent_path().string());
    if (made.ok()) made = files::MakeOwnFolder(folder);
    // The last member of another stream has just left.
    if (absl::IsUnavailable(made)) {
      failure = made;
      continue;
    }
    RETURN_IF_ERROR(made);
    Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.is_open()) {
      const bool is_gone = errno == ENOENT;
      failure = ResourceExhausted("cannot open {}: {}", path, std::strerror(errno));
      if (is_gone) continue;  // The last member has just left.
      return failure;
    }
    const JoinLock joining(file.number());
    if (!joining.held()) return ResourceExhausted("{} is locked by a process that hangs", path);
    if (!IsStillAt(file.number(), path)) continue;
    if (const int error = posix_fallocate(file.number(), 0, sizeof(Page)); error != 0) {
      return ResourceExhausted("no shared memory: {}", std::strerror(error));
    }
    int place = 0;
    while (place < kMaxMembers && !TryLock(file.number(), place)) ++place;
    if (place == kMaxMembers) return ResourceExhausted("{} has {} members", path, kMaxMembers);
    void* const start =
        mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
    if (start == MAP_FAILED) {
      return ResourceExhausted("cannot map {}: {}", path, std::strerror(errno));
    }
    auto* const page = static_cast<Page*>(start);
    page->places[place].next = self.next;
    page->places[place].end = self.end;
    page->places[place].pid = getpid();
    page->places[place].state = self.is_strict ? kStrictMember : kMember;
    // The lock on the place is held by this description, which JoinLock does not close.
    return std::unique_ptr<StreamControl>(
        new StreamControl(folder, Descriptor(file.Release()), page, place));
  }
  if (!failure.ok()) return failure;
  return ResourceExhausted("{} is removed again and again", folder);
}

StreamControl::~StreamControl() {
  {
    const JoinLock joining(file_.number());
    page_->places[place_].state = kFree;
    if (joining.held() && IsAlone() &&
        IsStillAt(file_.number(), files::Join(folder_, kControlFile))) {
      files::Remove(folder_).IgnoreError();
      // If this was its last stream.
      rmdir(std::filesystem::path(folder_).parent_path().c_str());
    }
    Ring();
  }
  munmap(page_, sizeof(Page));
}

bool StreamControl::IsAlive(int place) const {
  return page_->places[place].state.load() != kFree && IsLockedByOthers(file_.number(), place);
}

std::vector<StreamMember> StreamControl::Others() const {
  std::vector<StreamMember> others;
  for (int place = 0; place < kMaxMembers; ++place) {
    if (place == place_ || !IsAlive(place)) continue;
    const Page::Place& other = page_->places[place];
    others.push_back(
        {.next = other.next, .end = other.end, .is_strict = other.state.load() == kStrictMember});
  }
  return others;
}

bool StreamControl::IsAlone() const {
  for (int place = 0; place < kMaxMembers; ++place) {
    if (place != place_ && IsAlive(place)) return false;
  }
  return true;
}

StreamMember StreamControl::self() const {
  const Page::Place& own = page_->places[place_];
  return {.next = own.next, .end = own.end, .is_strict = own.state.load() == kStrictMember};
}

void StreamControl::SetNext(int64_t next) { page_->places[place_].next = next; }

void StreamControl::SetStrict(bool is_strict) {
  page_->places[place_].state = is_strict ? kStrictMember : kMember;
}

std::optional<StreamControl::Claim> StreamControl::TryClaim(int64_t chunk) const {
  // Its own description, so that the threads of a process exclude each other.
  const std::string path = fmt::format("/proc/self/fd/{}", file_.number());
  Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.is_open() || !TryLock(file.number(), kClaims + chunk)) return std::nullopt;
  return Claim(std::move(file));
}

void StreamControl::Ring() {
  page_->rung.fetch_add(1);
  syscall(SYS_futex, &page_->rung, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

uint32_t StreamControl::rung() const { return page_->rung.load(); }

void StreamControl::Await(uint32_t seen, std::chrono::milliseconds time) {
  const timespec patience = {.tv_sec = time.count() / 1000,
                             .tv_nsec = time.count() % 1000 * 1'000'000};
  syscall(SYS_futex, &page_->rung, FUTEX_WAIT, seen, &patience, nullptr, 0);
}

void RemoveDeadStreams(const std::string& folder) {
  if (!files::CheckOwnFolder(folder).ok()) return;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator(folder, gone)) {
    const std::string path = (entry.path() / kControlFile).string();
    const Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (!file.is_open()) continue;
    const JoinLock joining(file.number());
    bool is_used = !joining.held() || !IsStillAt(file.number(), path);
    for (int place = 0; place < StreamControl::kMaxMembers && !is_used; ++place) {
      is_used = IsLockedByOthers(file.number(), place);
    }
    if (!is_used) files::Remove(entry.path().string()).IgnoreError();
  }
  rmdir(folder.c_str());
}

}  // namespace tidemill::loader
