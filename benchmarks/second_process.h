// The other end of a benchmark that needs two processes. It is the same program with other
// arguments.
#pragma once

#include <sys/types.h>

#include <string>

namespace tidemill::benchmarks {

// Starts this program as `program flag argument`. The process prints a line once it is ready. It
// ends when its standard input does, which is when this object ends. Ends the benchmark when it
// does not start. Thread-compatible.
class SecondProcess {
 public:
  SecondProcess(const std::string& flag, const std::string& argument);
  ~SecondProcess();
  SecondProcess(const SecondProcess&) = delete;
  SecondProcess& operator=(const SecondProcess&) = delete;

  // The line that it printed, without its end.
  const std::string& line() const { return line_; }

  // Returns the processor time of both processes so far.
  double ProcessorSeconds() const;

 private:
  pid_t process_ = 0;
  int input_ = -1;
  std::string line_;
};

}  // namespace tidemill::benchmarks
