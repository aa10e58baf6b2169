#include "base/sandbox/allowed_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/descriptor.h"

namespace tidemill::sandbox {
namespace {

// The kernel's interface (Documentation/userspace-api/landlock.rst), which is the same on all
// machines. Headers of the system may be older than the kernel.
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr uint32_t kAskVersion = 1;
constexpr int kPathBeneath = 1;

constexpr uint64_t kExecute = 1U << 0;
constexpr uint64_t kWriteFile = 1U << 1;
constexpr uint64_t kReadFile = 1U << 2;
constexpr uint64_t kReadFolder = 1U << 3;
constexpr uint64_t kTruncate = 1U << 14;
constexpr uint64_t kDevices = 1U << 15;
constexpr uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kDevices;
constexpr uint64_t kReading = kExecute | kReadFile | kReadFolder;
// All rights on files that a version of Landlock knows, by the number of the version from 1.
constexpr auto kKnown = std::to_array<uint64_t>(
    {(1U << 13) - 1, (1U << 14) - 1, (1U << 15) - 1, (1U << 15) - 1, (1U << 16) - 1});
constexpr uint64_t kNetwork = 3;  // To bind and to connect, from version 4 on.
constexpr int kNetworkVersion = 4;
constexpr uint64_t kOwnSignals = 2;  // From version 6 on.
constexpr int kSignalsVersion = 6;

struct Ruleset {
  uint64_t files = 0;
  uint64_t network = 0;
  uint64_t scoped = 0;
};

// Without padding, as the kernel has it.
struct __attribute__((packed)) PathRule {
  uint64_t allowed = 0;
  int32_t parent = -1;
};

int Version() {
  const long version = syscall(kCreateRuleset, nullptr, size_t{0}, kAskVersion);
  return version < 0 ? 0 : static_cast<int>(version);
}

absl::Status Allow(const Descriptor& rules, const std::string& path, uint64_t rights) {
  const Descriptor parent(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!parent.is_open()) return absl::OkStatus();
  struct stat found {};
  if (fstat(parent.number(), &found) == 0 && !S_ISDIR(found.st_mode)) rights &= kOfFiles;
  const PathRule rule{.allowed = rights, .parent = parent.number()};
  if (syscall(kAddRule, rules.number(), kPathBeneath, &rule, 0U) == 0) return absl::OkStatus();
  return FailedPrecondition("cannot allow {} in Landlock: {}", path, strerror(errno));
}

}  // namespace

bool HasLandlock() { return Version() > 0; }

absl::Status RestrictFiles(const AllowedFiles& files) {
  const int version = Version();
  if (version <= 0) return FailedPrecondition("the kernel has no Landlock, or it is switched off");
  const uint64_t known = kKnown[std::min<size_t>(static_cast<size_t>(version), kKnown.size()) - 1];
  const Ruleset handled{
      .files = known,
      .network = version >= kNetworkVersion && !files.may_use_network ? kNetwork : 0,
      .scoped = version >= kSignalsVersion ? kOwnSignals : 0};
  // Older kernels refuse a structure that has more than they know of.
  const size_t size = version >= kSignalsVersion   ? sizeof handled
                      : version >= kNetworkVersion ? offsetof(Ruleset, scoped)
                                                   : offsetof(Ruleset, network);
  const Descriptor rules(static_cast<int>(syscall(kCreateRuleset, &handled, size, 0U)));
  if (!rules.is_open()) return FailedPrecondition("cannot use Landlock: {}", strerror(errno));
  for (const std::string& path : files.readable) {
    RETURN_IF_ERROR(Allow(rules, path, kReading));
  }
  for (const std::string& path : files.writable) RETURN_IF_ERROR(Allow(rules, path, known));
  if (syscall(kRestrictSelf, rules.number(), 0U) == 0) return absl::OkStatus();
  return FailedPrecondition("cannot use Landlock: {}", strerror(errno));
}

std::vector<std::string> SystemFolders() {
  return {"/usr",
          "/bin",
          "/sbin",
          "/lib",
          "/lib32",
          "/lib64",
          "/libx32",
          "/etc/ld.so.cache",
          "/etc/alternatives",
          "/dev/null",
          "/dev/zero",
          "/dev/urandom",
          "/dev/random"};
}

}  // namespace tidemill::sandbox
