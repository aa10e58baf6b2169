#include "base/paths/allowed_folders.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <filesystem>
#include <string_view>
#include <utility>

// A walk along /data/a/../link/b, where /data is a root and /data/link -> /data/c:
//
//   ahead_                   where it is                     step
//   data a .. link b         outside, "/"                    by text alone: nothing is touched
//   a .. link b              root /data                      openat(root, "a"), following no link
//   .. link b                root /data, below_: a           back to the descriptor before
//   link b                   root /data                      a link: its target goes into ahead_
//   data c b                 outside, "/"                    as above
//   b                        root /data, below_: c           openat(c, "b"): the file
//
// A path that ends outside the roots is refused.

namespace tidemill {
namespace {

constexpr int kMaxLinks = 40;
constexpr size_t kMaxWalked = 65'536;
constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int kFileFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

// By its text alone, and without a slash at the end.
std::string Normal(const std::string& path) {
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  while (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

// The part of `path` below `folder`; both are normal.
std::optional<std::string> Below(std::string_view folder, std::string_view path) {
  if (path == folder) return "";
  if (folder == "/") return std::string(path.substr(1));
  if (!path.starts_with(folder) || path[folder.size()] != '/') return std::nullopt;
  return std::string(path.substr(folder.size() + 1));
}

std::string JoinNames(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.ends_with('/')) path += '/';
  path += name;
  return path;
}

std::deque<std::string> NamesOf(std::string_view path) {
  std::deque<std::string> names;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    if (!name.empty() && name != ".") names.emplace_back(name);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return names;
}

// Opens a folder by a path without links. Returns none if the kernel cannot or may not.
Descriptor OpenBeneath(int folder, const std::string& path) {
  open_how how = {};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return Descriptor(
      static_cast<int>(syscall(SYS_openat2, folder, path.c_str(), &how, sizeof(how))));
}

bool IsShortage(int error) { return error == EMFILE || error == ENFILE || error == ENOMEM; }

}  // namespace

// One walk along a path.
class AllowedFolders::Walk {
 public:
  // kPlace: whatever is there. kFile: the last name is opened as a file.
  enum class Aim { kPlace, kFile };

  Walk(const AllowedFolders& folders, const std::string& asked, Aim aim)
      : folders_(folders), asked_(asked), aim_(aim) {}

  // Walks to a place below a root.
  absl::Status Go() {
    if (!asked_.starts_with('/')) return InvalidArgument("path '{}' is not absolute", asked_);
    const std::optional<Place> place = folders_.Locate(asked_);
    if (!place) return Outside();
    RETURN_IF_ERROR(Enter(*place->root));
    Prepend(place->below);
    RETURN_IF_ERROR(GoOn());
    return root_ != nullptr ? absl::OkStatus() : Outside();
  }

  // Walks to a place that the configuration names, from "/": outside the roots with trust.
  absl::Status GoTrusting() {
    trusts_ = true;
    Prepend(asked_);
    RETURN_IF_ERROR(SetOutside("/", /*is_known=*/true));
    RETURN_IF_ERROR(GoOn());
    return root_ != nullptr || trusts_ ? absl::OkStatus() : Outside();
  }

  bool is_inside() const { return root_ != nullptr; }
  int num_links() const { return num_links_; }
  // Whether the place is not a folder.
  bool has_leaf() const { return !leaf_.empty(); }
  const std::string& leaf() const { return leaf_; }
  // The place, or the folder that the leaf is in.
  int here() const {
    return below_.empty() ? root_->folder.number() : below_.back().folder.number();
  }
  Descriptor TakeFile() { return std::move(file_); }

  // The place, without links.
  std::string Path() const {
    if (root_ == nullptr) return outside_;
    std::string path = root_->path;
    for (const Step& step : below_) path = JoinNames(path, step.name);
    return leaf_.empty() ? path : JoinNames(path, leaf_);
  }

  absl::Status Missing() const { return NotFound("there is no {}", asked_); }

  absl::Status State() const {
    return InvalidArgument(
        "path '{}' is in a folder that holds a stack's state, which is never read as data; name "
        "another folder",
        asked_);
  }

 private:
  struct Step {
    std::string name;
    Descriptor folder;
  };

  absl::Status Outside() const {
    return InvalidArgument("path '{}' {}", asked_, folders_.outside_);
  }

  absl::Status Failed(int error) const {
    const char* const reason = std::strerror(error);
    if (IsShortage(error)) return ResourceExhausted("cannot open {}: {}", asked_, reason);
    if (aim_ == Aim::kPlace) return Missing();
    if (error == ENOENT || error == ENOTDIR) return NotFound("cannot open {}: {}", asked_, reason);
    if (error == EACCES || error == EPERM) {
      return PermissionDenied("cannot open {}: {}", asked_, reason);
    }
    // A socket, or a device without a driver.
    if (error == ENXIO || error == ENODEV) return NotRegular();
    return Unavailable("cannot open {}: {}", asked_, reason);
  }

  absl::Status NotRegular() const { return InvalidArgument("{} is not a regular file", asked_); }

  void Prepend(std::string_view path) {
    std::deque<std::string> names = NamesOf(path);
    ahead_.insert(ahead_.begin(), std::move_iterator(names.begin()),
                  std::move_iterator(names.end()));
  }

  absl::Status GoOn() {
    while (!ahead_.empty()) {
      if (has_leaf()) return Failed(ENOTDIR);
      const std::string name = std::move(ahead_.front());
      ahead_.pop_front();
      if (name == "..") {
        RETURN_IF_ERROR(StepUp());
      } else if (root_ != nullptr) {
        RETURN_IF_ERROR(StepInside(name));
      } else {
        RETURN_IF_ERROR(StepOutside(name));
      }
    }
    return absl::OkStatus();
  }

  absl::Status StepUp() {
    if (root_ != nullptr && !below_.empty()) {
      below_.pop_back();
      return absl::OkStatus();
    }
    // The parent of a name that was not looked at depends on whether the name is a link.
    if (root_ == nullptr && !is_known_) return Outside();
    const std::string here = root_ != nullptr ? root_->path : outside_;
    return SetOutside(std::filesystem::path(here).parent_path().string(), /*is_known=*/true);
  }

  absl::Status StepInside(const std::string& name) {
    if (aim_ == Aim::kFile && ahead_.empty()) return OpenLeaf(name);
    Descriptor folder(openat(here(), name.c_str(), kFolderFlags));
    if (!folder.is_open()) {
      return errno == ENOTDIR || errno == ELOOP ? Follow(here(), name) : Failed(errno);
    }
    if (folders_.IsState(folder.number())) return State();
    below_.push_back({.name = name, .folder = std::move(folder)});
    return absl::OkStatus();
  }

  absl::Status OpenLeaf(const std::string& name) {
    file_ = Descriptor(openat(here(), name.c_str(), kFileFlags));
    if (!file_.is_open()) return errno == ELOOP ? Follow(here(), name) : Failed(errno);
    leaf_ = name;
    struct stat status = {};
    if (fstat(file_.number(), &status) != 0) return Failed(errno);
    if (!S_ISREG(status.st_mode)) return NotRegular();
    if (folders_.states_ != nullptr && folders_.states_->Contains(status)) return State();
    return absl::OkStatus();
  }

  // Goes by text alone, because the walk may reach a root. With trust it looks for links.
  absl::Status StepOutside(const std::string& name) {
    std::string next = JoinNames(outside_, name);
    if (trusts_) {
      std::error_code error;
      const auto target = std::filesystem::read_symlink(next, error);
      if (!error) return GoBy(target.string());
    }
    return SetOutside(std::move(next), trusts_);
  }

  // Follows the link, or finds that there is none.
  absl::Status Follow(int parent, const std::string& name) {
    std::array<char, PATH_MAX> target;
    const ssize_t size = readlinkat(parent, name.c_str(), target.data(), target.size());
    if (size > 0 && static_cast<size_t>(size) < target.size()) {
      return GoBy(std::string_view(target.data(), static_cast<size_t>(size)));
    }
    if (size >= 0 || errno != EINVAL) return Failed(size < 0 ? errno : ENOENT);
    if (!ahead_.empty()) return Failed(ENOTDIR);
    if (aim_ == Aim::kPlace) {
      leaf_ = name;
      return absl::OkStatus();
    }
    // The link has become something else just now.
    RETURN_IF_ERROR(CountLink());
    ahead_.push_front(name);
    return absl::OkStatus();
  }

  absl::Status GoBy(std::string_view target) {
    RETURN_IF_ERROR(CountLink());
    Prepend(target);
    return target.starts_with('/') ? SetOutside("/", /*is_known=*/true) : absl::OkStatus();
  }

  absl::Status CountLink() {
    if (++num_links_ <= kMaxLinks) return absl::OkStatus();
    return NotFound("there is no {}: its links form a loop", asked_);
  }

  absl::Status Enter(const Root& root) {
    if (root.is_state) return State();
    below_.clear();
    root_ = &root;
    // Users who write below a root do not decide where another one is.
    trusts_ = false;
    return absl::OkStatus();
  }

  // Stands at a path outside, unless a root is there.
  absl::Status SetOutside(std::string path, bool is_known) {
    below_.clear();
    root_ = nullptr;
    if (const Root* const root = folders_.RootAt(path)) return Enter(*root);
    for (const Alias& alias : folders_.aliases_) {
      if (alias.written != path) continue;
      const std::optional<Place> place = folders_.Locate(alias.path);
      if (!place) return Outside();
      Prepend(place->below);
      return Enter(*place->root);
    }
    outside_ = std::move(path);
    is_known_ = is_known;
    return absl::OkStatus();
  }

  const AllowedFolders& folders_;
  const std::string& asked_;
  const Aim aim_;
  bool trusts_ = false;
  // Where the walk is. Outside the roots nothing is touched, so there `outside_` holds a path
  // without links only if `is_known_`.
  const Root* root_ = nullptr;
  std::vector<Step> below_;
  std::string leaf_;
  Descriptor file_;
  std::string outside_;
  bool is_known_ = true;
  std::deque<std::string> ahead_;
  int num_links_ = 0;
};

AllowedFolders::AllowedFolders(const std::vector<std::string>& allowed,
                               std::shared_ptr<const StateFolders> states, std::string outside)
    : states_(std::move(states)), outside_(std::move(outside)) {
  std::vector<std::string> ahead;
  for (const std::string& root : allowed) {
    if (root.starts_with('/') && root.find('\0') == std::string::npos) {
      ahead.push_back(Normal(root));
    }
  }
  // The outer ones before those below them, and links once it is known what they may not leave.
  std::ranges::stable_sort(ahead, {}, &std::string::size);
  std::erase_if(ahead, [&](const std::string& root) { return Allow(root, /*by_links=*/false); });
  for (const std::string& root : ahead) Allow(root, /*by_links=*/true);
}

AllowedFolders::~AllowedFolders() = default;

bool AllowedFolders::Allow(const std::string& written, bool by_links) {
  Walk walk(*this, written, Walk::Aim::kPlace);
  const absl::Status status = walk.GoTrusting();
  if (walk.num_links() > 0 && !by_links) return false;
  if (!status.ok() || walk.has_leaf()) return true;
  std::string path = walk.Path();
  if (!walk.is_inside()) {
    Descriptor folder(open(path.c_str(), kFolderFlags));
    if (!folder.is_open()) return true;
    const bool is_state = states_ != nullptr && states_->ContainsBelow(folder.number());
    roots_.push_back({.path = path, .folder = std::move(folder), .is_state = is_state});
  }
  if (path != written) aliases_.push_back({.written = written, .path = std::move(path)});
  return true;
}

std::optional<AllowedFolders::Place> AllowedFolders::Locate(const std::string& path) const {
  if (path.find('\0') != std::string::npos) return std::nullopt;
  const std::string normal = Normal(path);
  const auto in_root = [&](const std::string& wanted) -> std::optional<Place> {
    for (const Root& root : roots_) {
      if (auto below = Below(root.path, wanted)) return Place{&root, *std::move(below)};
    }
    return std::nullopt;
  };
  if (auto place = in_root(normal)) return place;
  for (const Alias& alias : aliases_) {
    if (const auto below = Below(alias.written, normal)) {
      return in_root(below->empty() ? alias.path : JoinNames(alias.path, *below));
    }
  }
  return std::nullopt;
}

const AllowedFolders::Root* AllowedFolders::RootAt(const std::string& path) const {
  const auto root = std::ranges::find(roots_, path, &Root::path);
  return root == roots_.end() ? nullptr : &*root;
}

absl::StatusOr<std::string> AllowedFolders::Resolve(const std::string& path) const {
  Walk walk(*this, path, Walk::Aim::kPlace);
  RETURN_IF_ERROR(walk.Go());
  return walk.Path();
}

absl::StatusOr<struct stat> AllowedFolders::Look(const std::string& path) const {
  Walk walk(*this, path, Walk::Aim::kPlace);
  RETURN_IF_ERROR(walk.Go());
  struct stat status = {};
  const int result = walk.has_leaf()
                         ? fstatat(walk.here(), walk.leaf().c_str(), &status, AT_SYMLINK_NOFOLLOW)
                         : fstat(walk.here(), &status);
  // A link has just been put there: the next look follows it.
  if (result != 0 || S_ISLNK(status.st_mode)) return walk.Missing();
  if (states_ != nullptr && states_->Contains(status)) return walk.State();
  return status;
}

Descriptor AllowedFolders::OpenInKnown(const Place& place) const {
  const size_t name = place.below.rfind('/') + 1;
  if (place.root->is_state || name == place.below.size()) return {};
  Descriptor folder;
  if (name > 0) {
    folder = OpenBeneath(place.root->folder.number(), place.below.substr(0, name - 1));
    struct stat status = {};
    if (!folder.is_open() || fstat(folder.number(), &status) != 0) return {};
    MutexLock lock(mutex_);
    if (!walked_.contains(Inode(status.st_dev, status.st_ino))) return {};
  }
  const int parent = name > 0 ? folder.number() : place.root->folder.number();
  Descriptor file(openat(parent, place.below.c_str() + name, kFileFlags));
  struct stat status = {};
  if (!file.is_open() || fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (states_ != nullptr && states_->Contains(status)) return {};
  return file;
}

void AllowedFolders::Remember(int folder) const {
  struct stat status = {};
  if (fstat(folder, &status) != 0) return;
  MutexLock lock(mutex_);
  if (walked_.size() >= kMaxWalked) walked_.clear();
  walked_.emplace(status.st_dev, status.st_ino);
}

absl::StatusOr<Descriptor> AllowedFolders::OpenFile(const std::string& path) const {
  if (const std::optional<Place> place = path.starts_with('/') ? Locate(path) : std::nullopt) {
    if (Descriptor file = OpenInKnown(*place); file.is_open()) return file;
  }
  Walk walk(*this, path, Walk::Aim::kFile);
  RETURN_IF_ERROR(walk.Go());
  if (!walk.has_leaf()) return InvalidArgument("{} is not a regular file", path);
  Remember(walk.here());
  return walk.TakeFile();
}

absl::StatusOr<AllowedFolders::Folder> AllowedFolders::OpenFolder(const std::string& path) const {
  Walk walk(*this, path, Walk::Aim::kPlace);
  RETURN_IF_ERROR(walk.Go());
  if (walk.has_leaf()) return NotFound("{} is not a folder", path);
  Descriptor folder(openat(walk.here(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) {
    const std::string reason = std::strerror(errno);
    if (IsShortage(errno)) return ResourceExhausted("cannot list {}: {}", path, reason);
    return PermissionDenied("cannot list {}: {}", path, reason);
  }
  return Folder{.path = walk.Path(), .descriptor = std::move(folder)};
}

}  // namespace tidemill
