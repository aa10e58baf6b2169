// The main() of a program that runs jobs for a server. It runs as a zygote that forks itself for
// each job, or once, with the job on the command line.
//
//   int main(int argc, char** argv) {
//     return process::RunJobProgram(argc, argv, [](const auto& arguments, process::Report& report)
//     {
//       report.Line(R"({"samples": 12})");
//       return 0;
//     });
//   }
//
//   tidemill-train --zygote           reads requests from file descriptor 3 (see zygote.h)
//   tidemill-train ARGUMENT...        runs one job; reports on file descriptor 3 if open, else
//   stdout
//
// A zygote must stay without threads. Whatever starts threads (gRPC, OpenMP, CUDA) belongs in the
// job.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::process {

// Takes the reports of a job to its server, line by line. Thread-safe.
class Report {
 public:
  explicit Report(int fd) : fd_(fd) {}
  // Writes one line without a newline, of at most 4095 bytes, whole or not at all. Longer lines are
  // cut. A missing server is ignored: the job is about to be killed.
  void Line(std::string_view line);

 private:
  const int fd_;
};

// Returns the exit code of the process.
using JobFunction = std::function<int(const std::vector<std::string>& arguments, Report& report)>;

// Returns the result for main(). In the forked child of a zygote it does not return.
int RunJobProgram(int argc, char** argv, const JobFunction& job);

}  // namespace tidemill::process
