#include "base/sandbox/system_calls.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <memory>

namespace tidemill::sandbox {
namespace {

constexpr int kSockets[] = {SCMP_SYS(socket), SCMP_SYS(connect), SCMP_SYS(bind),
                            SCMP_SYS(listen), SCMP_SYS(accept),  SCMP_SYS(accept4)};

// Numbers of calls that are younger than the library; they are the same on all machines.
constexpr int kFchmodat2 = 452;
constexpr int kSetxattrat = 463;
constexpr int kRemovexattrat = 466;
constexpr int kOpenTreeAttr = 467;
constexpr int kFileSetattr = 469;

constexpr int kNewProcesses[] = {SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(tkill),
                                 SCMP_SYS(setrlimit)};

constexpr int kOtherProcesses[] = {
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise),
    SCMP_SYS(kcmp),
    SCMP_SYS(pidfd_open),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(rt_sigqueueinfo),
    SCMP_SYS(rt_tgsigqueueinfo),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
};

constexpr int kFiles[] = {
    SCMP_SYS(creat),       SCMP_SYS(unlink),       SCMP_SYS(unlinkat),     SCMP_SYS(rename),
    SCMP_SYS(renameat),    SCMP_SYS(renameat2),    SCMP_SYS(mkdir),        SCMP_SYS(mkdirat),
    SCMP_SYS(rmdir),       SCMP_SYS(chmod),        SCMP_SYS(fchmod),       SCMP_SYS(fchmodat),
    SCMP_SYS(chown),       SCMP_SYS(fchown),       SCMP_SYS(lchown),       SCMP_SYS(fchownat),
    SCMP_SYS(truncate),    SCMP_SYS(ftruncate),    SCMP_SYS(fallocate),    SCMP_SYS(link),
    SCMP_SYS(linkat),      SCMP_SYS(symlink),      SCMP_SYS(symlinkat),    SCMP_SYS(mknod),
    SCMP_SYS(mknodat),     SCMP_SYS(setxattr),     SCMP_SYS(lsetxattr),    SCMP_SYS(fsetxattr),
    SCMP_SYS(removexattr), SCMP_SYS(lremovexattr), SCMP_SYS(fremovexattr), SCMP_SYS(utime),
    SCMP_SYS(utimes),      SCMP_SYS(futimesat),    SCMP_SYS(utimensat),    kFchmodat2,
    kSetxattrat,           kRemovexattrat,         kFileSetattr,
};

constexpr int kMounts[] = {
    SCMP_SYS(mount),      SCMP_SYS(umount2),   SCMP_SYS(pivot_root), SCMP_SYS(chroot),
    SCMP_SYS(move_mount), SCMP_SYS(open_tree), SCMP_SYS(fsopen),     SCMP_SYS(fsconfig),
    SCMP_SYS(fsmount),    SCMP_SYS(fspick),    SCMP_SYS(quotactl),   SCMP_SYS(mount_setattr),
    SCMP_SYS(swapon),     SCMP_SYS(swapoff),   kOpenTreeAttr,        SCMP_SYS(open_by_handle_at),
};

// Memory that no limit counts.
constexpr int kMemory[] = {SCMP_SYS(memfd_create), SCMP_SYS(memfd_secret), SCMP_SYS(shmget),
                           SCMP_SYS(shmat),        SCMP_SYS(msgget),       SCMP_SYS(semget),
                           SCMP_SYS(mq_open)};

constexpr int kKernel[] = {
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(bpf),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(keyctl),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(delete_module),
    SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load),
    SCMP_SYS(reboot),
    SCMP_SYS(personality),
    SCMP_SYS(acct),
    SCMP_SYS(syslog),
    SCMP_SYS(iopl),
    SCMP_SYS(ioperm),
    SCMP_SYS(modify_ldt),
    SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime),
    SCMP_SYS(adjtimex),
    SCMP_SYS(clock_adjtime),
    SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname),
    SCMP_SYS(vhangup),
    SCMP_SYS(fanotify_init),
    SCMP_SYS(lookup_dcookie),
};

constexpr scmp_datum_t kLowerHalf = 0xffffffff;
constexpr uint32_t kRefused = SCMP_ACT_ERRNO(EPERM);

// The library's own macros for this leave fields out, which clang minds.
scmp_arg_cmp Where(unsigned argument, scmp_compare comparison, scmp_datum_t first,
                   scmp_datum_t second = 0) {
  return {.arg = argument, .op = comparison, .datum_a = first, .datum_b = second};
}

// Adds rules; the first that fails is what it fails with.
class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release) {
    if (context_ == nullptr) return;
    // Calls of another architecture have other numbers and would pass.
    failure_ = seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    // All threads.
    Note(seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_TSYNC, 1));
  }

  void Refuse(std::initializer_list<int> calls) { Refuse(calls.begin(), calls.end()); }
  template <size_t size>
  void Refuse(const int (&calls)[size]) {
    Refuse(calls, calls + size);
  }
  void RefuseIf(uint32_t action, int call, const scmp_arg_cmp& argument) {
    Note(seccomp_rule_add_array(context_.get(), action, call, 1, &argument));
  }
  void Refuse(uint32_t action, int call) {
    Note(seccomp_rule_add_array(context_.get(), action, call, 0, nullptr));
  }

  absl::Status Load() {
    if (context_ != nullptr && failure_ == 0) failure_ = seccomp_load(context_.get());
    if (context_ != nullptr && failure_ == 0) return absl::OkStatus();
    return FailedPrecondition("cannot refuse system calls: {}", strerror(-failure_));
  }

 private:
  void Refuse(const int* call, const int* end) {
    for (; call != end; ++call) Refuse(kRefused, *call);
  }
  void Note(int failure) {
    if (failure_ == 0) failure_ = failure;
  }

  const std::unique_ptr<void, decltype(&seccomp_release)> context_;
  int failure_ = 0;
};

// Reading only. `flags`: which argument has them.
void RefuseWriting(Filter& filter, int call, unsigned flags) {
  constexpr uint32_t kDenied = SCMP_ACT_ERRNO(EACCES);
  // 3 is a separate mode, for drivers.
  for (const scmp_datum_t mode : {O_WRONLY, O_RDWR, O_WRONLY | O_RDWR}) {
    filter.RefuseIf(kDenied, call, Where(flags, SCMP_CMP_MASKED_EQ, O_ACCMODE, mode));
  }
  for (const scmp_datum_t flag : {O_CREAT, O_TRUNC}) {
    filter.RefuseIf(kDenied, call, Where(flags, SCMP_CMP_MASKED_EQ, flag, flag));
  }
}

// The signal that reports a ready file goes to any process that was named beforehand, and may be
// any signal.
void RefuseSignalsOfFiles(Filter& filter) {
  for (const scmp_datum_t command : {F_SETOWN, F_SETSIG, F_SETOWN_EX}) {
    filter.RefuseIf(kRefused, SCMP_SYS(fcntl), Where(1, SCMP_CMP_MASKED_EQ, kLowerHalf, command));
  }
  for (const scmp_datum_t command : {FIOSETOWN, SIOCSPGRP}) {
    filter.RefuseIf(kRefused, SCMP_SYS(ioctl), Where(1, SCMP_CMP_MASKED_EQ, kLowerHalf, command));
  }
}

void RefuseProcesses(Filter& filter) {
  filter.Refuse(kNewProcesses);
  filter.RefuseIf(kRefused, SCMP_SYS(clone), Where(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  // Its flags are in memory, which no filter sees. glibc takes clone instead.
  filter.Refuse(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3));
  // abort() and raise() are signals to oneself.
  const auto self = static_cast<scmp_datum_t>(getpid());
  filter.RefuseIf(kRefused, SCMP_SYS(kill), Where(0, SCMP_CMP_NE, self));
  filter.RefuseIf(kRefused, SCMP_SYS(tgkill), Where(0, SCMP_CMP_NE, self));
  // Asking for limits is allowed, as getrlimit() does.
  filter.RefuseIf(kRefused, SCMP_SYS(prlimit64), Where(2, SCMP_CMP_NE, 0));
  // The kernel looks at the lower half of such an argument, so the filter has to.
  filter.RefuseIf(kRefused, SCMP_SYS(prctl),
                  Where(0, SCMP_CMP_MASKED_EQ, kLowerHalf, PR_SET_PDEATHSIG));
}

// Refuses shared memory, which no limit counts, and growing stacks, which RLIMIT_DATA does not
// count.
void RefuseUncountedMemory(Filter& filter) {
  filter.Refuse(kMemory);
  constexpr scmp_datum_t kShared = MAP_SHARED | MAP_ANONYMOUS;
  for (const scmp_datum_t flags : {kShared, static_cast<scmp_datum_t>(MAP_GROWSDOWN)}) {
    filter.RefuseIf(SCMP_ACT_ERRNO(ENOMEM), SCMP_SYS(mmap),
                    Where(3, SCMP_CMP_MASKED_EQ, flags, flags));
  }
}

void RefuseChangesOfFiles(Filter& filter) {
  filter.Refuse(kFiles);
  RefuseWriting(filter, SCMP_SYS(open), 1);
  RefuseWriting(filter, SCMP_SYS(openat), 2);
  filter.Refuse(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(openat2));
}

void RefuseSockets(Filter& filter) {
  filter.Refuse(kSockets);
  // Pairs of datagram sockets can send to others by address.
  constexpr scmp_datum_t kSocketType = 0xf;
  filter.RefuseIf(kRefused, SCMP_SYS(socketpair),
                  Where(1, SCMP_CMP_MASKED_EQ, kSocketType, SOCK_DGRAM));
}

void RefuseWhatNobodyNeeds(Filter& filter) {
  filter.Refuse(kOtherProcesses);
  filter.Refuse(kMounts);
  filter.Refuse(kKernel);
  RefuseSignalsOfFiles(filter);
  // Text typed into a terminal as if by its owner, who then runs it.
  filter.RefuseIf(kRefused, SCMP_SYS(ioctl), Where(1, SCMP_CMP_MASKED_EQ, kLowerHalf, TIOCSTI));
}

}  // namespace

absl::Status RefuseSystemCalls(MayExecute may_execute, MayOpen may_open) {
  Filter filter;
  RefuseWhatNobodyNeeds(filter);
  RefuseSockets(filter);
  if (may_open == MayOpen::kYes) {
    RefuseChangesOfFiles(filter);
  } else {
    filter.Refuse(kFiles);
    filter.Refuse({SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(openat2)});
  }
  RefuseUncountedMemory(filter);
  RefuseProcesses(filter);
  if (may_execute == MayExecute::kNo) filter.Refuse({SCMP_SYS(execve), SCMP_SYS(execveat)});
  return filter.Load();
}

absl::Status RefuseSystemCallsOfJob(MayStart may_start) {
  Filter filter;
  RefuseWhatNobodyNeeds(filter);
  if (may_start == MayStart::kYes) return filter.Load();
  RefuseProcesses(filter);
  filter.Refuse({SCMP_SYS(execve), SCMP_SYS(execveat)});
  return filter.Load();
}

}  // namespace tidemill::sandbox
