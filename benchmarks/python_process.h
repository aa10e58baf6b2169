// A yardstick in Python. Its process is driven through pipes.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::benchmarks {

// Runs a program of the tree with $TIDEMILL_BENCH_PYTHON, the Python of .venv, or python3: the
// first one that can run `imports`. The program answers each request with a line. It ends when its
// standard input does, which is when this object ends. Ends the benchmark when there is no such
// Python, or when the program ends early. Thread-compatible.
class PythonProcess {
 public:
  PythonProcess(const std::string& imports, const std::string& program,
                const std::vector<std::string>& arguments);
  ~PythonProcess();
  PythonProcess(const PythonProcess&) = delete;
  PythonProcess& operator=(const PythonProcess&) = delete;

  // Sends a request, and returns the line that answers it.
  std::string Ask(std::string_view request);
  // Does the same, and returns the number in the line.
  double AskNumber(std::string_view request);

 private:
  pid_t process_ = 0;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

}  // namespace tidemill::benchmarks
