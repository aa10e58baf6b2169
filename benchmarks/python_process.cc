#include "benchmarks/python_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "fmt/format.h"

#include "base/testing/tree.h"

namespace tidemill::benchmarks {
namespace {

[[noreturn]] void EndWith(const std::string& reason) {
  fmt::print(stderr, "{}\n", reason);
  std::exit(1);
}

std::string FindPython(const std::string& imports) {
  const char* const asked = std::getenv("TIDEMILL_BENCH_PYTHON");
  const std::string candidates[] = {asked == nullptr ? "" : asked,
                                    tidemill::testing::InTree(".venv/bin/python"), "python3"};
  for (const std::string& python : candidates) {
    if (python.empty()) continue;
    const std::string command = fmt::format("{} -c '{}' 2>/dev/null", python, imports);
    if (std::system(command.c_str()) == 0) return python;
  }
  EndWith(fmt::format(
      "no Python can run `{}`: run tools/setup.sh --bench or set TIDEMILL_BENCH_PYTHON", imports));
}

}  // namespace

PythonProcess::PythonProcess(const std::string& imports, const std::string& program,
                             const std::vector<std::string>& arguments) {
  const std::string python = FindPython(imports);
  const std::string path = tidemill::testing::InTree(program);
  int input[2];
  int output[2];
  if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) EndWith("cannot make pipes");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], 0);
  posix_spawn_file_actions_adddup2(&actions, output[1], 1);
  std::vector<const char*> words = {python.c_str(), path.c_str()};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  words.push_back(nullptr);
  if (posix_spawnp(&process_, python.c_str(), &actions, nullptr,
                   const_cast<char* const*>(words.data()), environ) != 0) {
    EndWith("cannot start " + python);
  }
  posix_spawn_file_actions_destroy(&actions);
  close(input[0]);
  close(output[1]);
  to_ = fdopen(input[1], "w");
  from_ = fdopen(output[0], "r");
}

PythonProcess::~PythonProcess() {
  std::fclose(to_);
  std::fclose(from_);
  waitpid(process_, nullptr, 0);
}

std::string PythonProcess::Ask(std::string_view request) {
  std::fwrite(request.data(), 1, request.size(), to_);
  std::fflush(to_);
  char line[64] = {};
  if (std::fgets(line, sizeof(line), from_) == nullptr) EndWith("the yardstick ended");
  return line;
}

double PythonProcess::AskNumber(std::string_view request) {
  return std::strtod(Ask(request).c_str(), nullptr);
}

}  // namespace tidemill::benchmarks
