#include "loader/path/path_clock.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include "transform/engine/op_counters.h"

namespace tidemill::loader {
namespace {

int64_t NanosOf(const timeval& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + int64_t{time.tv_usec} * 1000;
}

// Adds a line such as "cpu1 4705 356 584 3699 23 0 6 0", in ticks, when it is of a processor in
// `allowed`.
void AddProcessor(const std::string& line, const cpu_set_t& allowed, ProcessorUse& use) {
  int number = 0;
  long long user = 0;
  long long nice = 0;
  long long system = 0;
  long long idle = 0;
  long long io_wait = 0;
  long long interrupts = 0;
  if (std::sscanf(line.c_str(), "cpu%d %lld %lld %lld %lld %lld %lld", &number, &user, &nice,
                  &system, &idle, &io_wait, &interrupts) != 7 ||
      number < 0 || number >= CPU_SETSIZE || !CPU_ISSET(number, &allowed)) {
    return;
  }
  const int64_t tick_ns = 1'000'000'000 / std::max(1L, sysconf(_SC_CLK_TCK));
  use.busy_ns += (user + nice + system + interrupts) * tick_ns;
  use.total_ns += (user + nice + system + interrupts + idle + io_wait) * tick_ns;
}

}  // namespace

ProcessorUse ProcessorUse::Now() {
  ProcessorUse use;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  rusage own = {};
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || getrusage(RUSAGE_SELF, &own) != 0) {
    return use;
  }
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    AddProcessor(line, allowed, use);
  }
  if (use.total_ns > 0) use.process_ns = NanosOf(own.ru_utime) + NanosOf(own.ru_stime);
  return use;
}

PathClock::PathClock(int num_threads)
    : began_(ProcessorUse::Now()),
      num_threads_(num_threads),
      changed_ns_(transform::ThreadTime::WallNow()) {}

void PathClock::SetThreads(int num_threads) {
  const int64_t now = transform::ThreadTime::WallNow();
  capacity_ns_ += (now - changed_ns_) * num_threads_;
  changed_ns_ = now;
  num_threads_ = num_threads;
}

void PathClock::Fill(PathWork& work) const {
  const ProcessorUse now = ProcessorUse::Now();
  work.capacity_ns = capacity_ns_ + (transform::ThreadTime::WallNow() - changed_ns_) * num_threads_;
  work.processors_ns = now.total_ns - began_.total_ns;
  work.processors_busy_ns = now.busy_ns - began_.busy_ns;
  work.process_ns = now.process_ns - began_.process_ns;
}

}  // namespace tidemill::loader
