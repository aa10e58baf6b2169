#include "benchmarks/second_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace tidemill::benchmarks {
namespace {

[[noreturn]] void Die(const char* what) {
  std::fprintf(stderr, "the second process: %s\n", what);
  std::exit(1);
}

}  // namespace

SecondProcess::SecondProcess(const std::string& flag, const std::string& argument) {
  int input[2];
  int output[2];
  if (::pipe2(input, O_CLOEXEC) != 0 || ::pipe2(output, O_CLOEXEC) != 0) Die("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], 0);
  posix_spawn_file_actions_adddup2(&actions, output[1], 1);
  const char* const arguments[] = {"/proc/self/exe", flag.c_str(), argument.c_str(), nullptr};
  if (::posix_spawn(&process_, arguments[0], &actions, nullptr, const_cast<char* const*>(arguments),
                    environ) != 0) {
    Die("cannot be started");
  }
  posix_spawn_file_actions_destroy(&actions);
  ::close(input[0]);
  ::close(output[1]);
  input_ = input[1];
  char text[256] = {};
  if (::read(output[0], text, sizeof(text) - 1) <= 0) Die("did not get ready");
  ::close(output[0]);
  line_ = text;
  line_.resize(std::min(line_.find('\n'), line_.size()));
}

SecondProcess::~SecondProcess() {
  ::close(input_);
  ::waitpid(process_, nullptr, 0);
}

double SecondProcess::ProcessorSeconds() const {
  clockid_t clock = 0;
  if (::clock_getcpuclockid(process_, &clock) != 0) Die("has no clock");
  double seconds = 0;
  for (const clockid_t which : {clock, clockid_t{CLOCK_PROCESS_CPUTIME_ID}}) {
    timespec time = {};
    ::clock_gettime(which, &time);
    seconds += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  }
  return seconds;
}

}  // namespace tidemill::benchmarks
