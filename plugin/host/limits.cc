#include "plugin/host/limits.h"

#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tidemill::plugin::host {
namespace {

constexpr rlim_t kMaxDescriptors = 64;
constexpr rlim_t kMaxStack = rlim_t{8} << 20;

absl::Status Limit(__rlimit_resource resource, rlim_t most, const char* name) {
  rlimit limit{};
  getrlimit(resource, &limit);
  limit.rlim_cur = limit.rlim_max = std::min(most, limit.rlim_max);
  if (setrlimit(resource, &limit) == 0) return absl::OkStatus();
  return FailedPrecondition("cannot limit {}: {}", name, strerror(errno));
}

// A service that runs as root does not lend that to plug-ins. Dropping a right that it does not
// have does not fail.
void DropCapabilities() {
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; ++capability) {
    prctl(PR_CAPBSET_DROP, capability);
  }
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  syscall(SYS_capset, &header, none);
}

}  // namespace

absl::Status LimitThisProcess(uint64_t memory) {
  // A file that would grow is an error of that call, not the end of the process.
  signal(SIGXFSZ, SIG_IGN);
  RETURN_IF_ERROR(Limit(RLIMIT_CORE, 0, "core dumps"));
  RETURN_IF_ERROR(Limit(RLIMIT_FSIZE, 0, "files"));
  RETURN_IF_ERROR(Limit(RLIMIT_NOFILE, kMaxDescriptors, "descriptors"));
  RETURN_IF_ERROR(Limit(RLIMIT_STACK, kMaxStack, "the stack"));
// Sanitizers reserve more memory than the machine has.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  if (memory > 0) RETURN_IF_ERROR(Limit(RLIMIT_DATA, memory, "memory"));
#endif
  DropCapabilities();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) return absl::OkStatus();
  return FailedPrecondition("cannot forbid new privileges: {}", strerror(errno));
}

}  // namespace tidemill::plugin::host
