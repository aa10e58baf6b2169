#include "cli/terminal/browser.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace tidemill::cli {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> WordsOf(const std::string& command, const std::string& path) {
  std::vector<std::string> words;
  bool has_path = false;
  std::istringstream stream(command);
  for (std::string word; stream >> word;) {
    if (const size_t at = word.find("%s"); at != std::string::npos) {
      word.replace(at, 2, path);
      has_path = true;
    }
    words.push_back(std::move(word));
  }
  if (!has_path) words.push_back(path);
  return words;
}

// The program's output goes to stderr unless stdout is a terminal, so that it does not mix with the
// result of the command.
absl::StatusOr<pid_t> Start(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (isatty(STDOUT_FILENO) == 0) {
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  }
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return Internal("cannot start {}: {}", words[0], std::strerror(error));
  return pid;
}

absl::Status RunToEnd(std::vector<std::string> words) {
  ASSIGN_OR_RETURN(const pid_t pid, Start(words));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return Internal("cannot wait for {}: {}", words[0], std::strerror(errno));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  return WIFEXITED(status) ? Internal("{} failed with exit code {}", words[0], WEXITSTATUS(status))
                           : Internal("{} was ended by signal {}", words[0], WTERMSIG(status));
}

}  // namespace

std::vector<std::string> BrowserCommands(const std::string& browser, bool has_display) {
  std::vector<std::string> commands;
  std::istringstream stream(browser);
  for (std::string command; std::getline(stream, command, ':');) {
    if (command.find_first_not_of(" \t") != std::string::npos) commands.push_back(command);
  }
  if (has_display) commands.emplace_back("xdg-open");
  return commands;
}

std::vector<std::string> BrowserCommands() {
  const bool has_display =
      !Environment("DISPLAY").empty() || !Environment("WAYLAND_DISPLAY").empty();
  return BrowserCommands(Environment("BROWSER"), has_display);
}

absl::StatusOr<std::string> ShowInBrowser(const std::string& path,
                                          const std::vector<std::string>& commands) {
  absl::Status last = NotFound("there is no display, and $BROWSER names no program");
  for (const std::string& command : commands) {
    last = RunToEnd(WordsOf(command, path));
    if (last.ok()) return command;
  }
  return last;
}

}  // namespace tidemill::cli
