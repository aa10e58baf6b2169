// A job program whose jobs do what their first argument says; used by zygote_test.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <string>

#include "base/process/interruption.h"
#include "base/process/job_program.h"

namespace {

// Keeps a processor busy for this number of milliseconds of the process's time.
void Work(long milliseconds) {
  const clock_t end = clock() + milliseconds * CLOCKS_PER_SEC / 1000;
  while (clock() < end) {
  }
}

int RunTestJob(const std::vector<std::string>& arguments, tidemill::process::Report& report) {
  const std::string what = arguments.empty() ? "" : arguments[0];
  report.Line(std::to_string(getpid()));
  if (what == "echo") {
    for (size_t i = 1; i < arguments.size(); ++i) report.Line(arguments[i]);
    return 0;
  }
  if (what == "variable") {
    const char* const value = getenv(arguments.at(1).c_str());
    report.Line(value != nullptr ? value : "absent");
    return 0;
  }
  if (what == "exit") return std::stoi(arguments.at(1));
  if (what == "abort") raise(SIGSEGV);
  if (what == "work") {
    Work(std::stol(arguments.at(1)));
    report.Line("done");
    while (arguments.at(2) == "hang") pause();
    return 0;
  }
  while (what == "hang") pause();
  if (what == "ignore") {
    signal(SIGTERM, SIG_IGN);
    report.Line("ignores it");
    for (;;) pause();
  }
  if (what == "finish") {
    tidemill::process::NoteInterruptions();
    report.Line("begun");
    while (!tidemill::process::IsInterrupted()) usleep(1'000);
    report.Line("finished");
    return 3;
  }
  return 64;
}

}  // namespace

int main(int argc, char** argv) { return tidemill::process::RunJobProgram(argc, argv, RunTestJob); }
