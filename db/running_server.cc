#include "db/running_server.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/logs/log.h"

namespace tidemill::db {
namespace {

namespace fs = std::filesystem;

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kLookAgain{5};
// The kernel ends a killed process at once, unless a disk holds it.
constexpr std::chrono::seconds kKillPatience{10};

// The part of /proc/PID/stat after the name, "S 1 ...", and the 22nd field of all, its start.
struct ProcessState {
  char state = 'X';
  uint64_t start = 0;
};

ProcessState StateOf(pid_t process) {
  const auto text = files::Read(fmt::format("/proc/{}/stat", process));
  ProcessState state;
  const size_t end_of_name = text.ok() ? text->rfind(')') : std::string::npos;
  if (end_of_name == std::string::npos) return state;
  std::istringstream rest(text->substr(end_of_name + 1));
  rest >> state.state;
  constexpr int kFieldsBetween = 18;
  std::string field;
  for (int i = 0; i < kFieldsBetween; ++i) rest >> field;
  rest >> state.start;
  return state;
}

std::vector<std::string> WordsOf(pid_t process) {
  const auto text = files::Read(fmt::format("/proc/{}/cmdline", process));
  std::vector<std::string> words;
  if (!text.ok()) return words;
  std::istringstream all(*text);
  for (std::string word; std::getline(all, word, '\0');) words.push_back(word);
  return words;
}

// Whether it is a server of this folder, by how it was started.
bool Serves(pid_t process, const std::string& data_folder) {
  const std::vector<std::string> words = WordsOf(process);
  if (words.empty() || fs::path(words[0]).filename() != "postgres") return false;
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    if (words[i] == "-D" && words[i + 1] == data_folder) return true;
  }
  return false;
}

// Processes of PostgreSQL with this working folder. A user's shell with the same working folder
// does not count.
std::vector<pid_t> ProcessesIn(const std::string& data_folder) {
  std::error_code error;
  const fs::path folder = fs::canonical(data_folder, error);
  std::vector<pid_t> processes;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    pid_t process = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), process);
    if (read.ec != std::errc() || read.ptr != name.data() + name.size()) continue;
    std::error_code unreadable;  // A process that ends just now, or that is not ours.
    if (fs::read_symlink(entry.path() / "cwd", unreadable) != folder || unreadable) continue;
    const fs::path program = fs::read_symlink(entry.path() / "exe", unreadable);
    if (program.filename().string().starts_with("postgres")) processes.push_back(process);
  }
  return processes;
}

bool AwaitEnd(const RunningServer& server, milliseconds patience) {
  const Clock::time_point end = Clock::now() + patience;
  while (Runs(server)) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(kLookAgain);
  }
  return true;
}

bool AwaitNobodyIn(const std::string& data_folder, milliseconds patience) {
  const Clock::time_point end = Clock::now() + patience;
  while (!ProcessesIn(data_folder).empty()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(kLookAgain);
  }
  return true;
}

}  // namespace

RunningServer ServerOf(pid_t process, std::string socket_folder) {
  return {.process = process,
          .start = StateOf(process).start,
          .socket_folder = std::move(socket_folder)};
}

absl::StatusOr<std::optional<RunningServer>> FindServer(const std::string& data_folder) {
  const auto text = files::Read(files::Join(data_folder, "postmaster.pid"));
  if (absl::IsNotFound(text.status())) return std::optional<RunningServer>();
  RETURN_IF_ERROR(text.status());
  // Process, data folder, start time, port, socket folder, address, shared memory, status.
  std::istringstream lines(*text);
  std::vector<std::string> values;
  for (std::string line; std::getline(lines, line);) values.push_back(line);
  const pid_t process = values.empty() ? 0 : std::atoi(values[0].c_str());
  if (process <= 0) return std::optional<RunningServer>();
  RunningServer server = ServerOf(process, values.size() > 4 ? values[4] : "");
  server.is_stopping = values.size() > 7 && values[7].starts_with("stopping");
  if (!Runs(server) || !Serves(process, data_folder)) return std::optional<RunningServer>();
  return server;
}

bool Runs(const RunningServer& server) {
  const ProcessState now = StateOf(server.process);
  return now.start == server.start && now.state != 'Z' && now.state != 'X';
}

absl::Status EndServer(const RunningServer& server, const EndPatience& patience) {
  const std::pair<int, milliseconds> steps[] = {
      {SIGINT, patience.fast}, {SIGQUIT, patience.immediate}, {SIGKILL, kKillPatience}};
  for (const auto& [signal, time] : steps) {
    if (!Runs(server)) return absl::OkStatus();
    if (signal != SIGINT) {
      log::Warn("PostgreSQL does not end; it is sent another signal",
                {{"process", std::to_string(server.process)}, {"signal", std::to_string(signal)}});
    }
    ::kill(server.process, signal);
    if (AwaitEnd(server, time)) return absl::OkStatus();
  }
  return DeadlineExceeded("PostgreSQL, process {}, does not end", server.process);
}

absl::Status AwaitSessions(const std::string& data_folder, milliseconds patience) {
  if (AwaitNobodyIn(data_folder, patience)) return absl::OkStatus();
  for (const pid_t process : ProcessesIn(data_folder)) {
    log::Warn("a session of a PostgreSQL that was killed does not end; it is killed",
              {{"process", std::to_string(process)}, {"folder", data_folder}});
    ::kill(process, SIGKILL);
  }
  if (AwaitNobodyIn(data_folder, kKillPatience)) return absl::OkStatus();
  return Unavailable("sessions of a PostgreSQL that was killed still work in {}", data_folder);
}

}  // namespace tidemill::db
