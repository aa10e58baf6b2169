// Processes of this host, children of the service that starts them. They end with it, so nothing is
// left behind by a service that is killed; its successor starts them again.
//
//   Start(3) --fork, exec--> child 3 --log--> <folder>/logs/workers_3.log
//   List()   --waitpid-----> has it ended?
//   End(3)   --SIGTERM-----> after 15 s SIGKILL
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <utility>

#include "base/files.h"
#include "base/logs/log_file.h"
#include "config/config.h"
#include "engine/backend.h"
#include "rpc/members/own_name.h"

namespace tidemill::engine {

struct Local {
  static constexpr std::string_view kType = "local";
  static constexpr std::string_view kDoc =
      "Processes of this host, which end with the service that starts them.";

  void Fields(auto&&) {}
};

namespace {

using Clock = std::chrono::steady_clock;

// The time to finish after SIGTERM.
constexpr std::chrono::seconds kGrace{15};

struct Child {
  pid_t process = 0;
  Timestamp since;
  Clock::time_point kill_at = Clock::time_point::max();  // Once it was told to end.
};

std::string DescribeEnd(int status) {
  return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                             : fmt::format("exit code {}", WEXITSTATUS(status));
}

class LocalEngine final : public Engine {
 public:
  explicit LocalEngine(std::string folder) : folder_(std::move(folder)) {}
  ~LocalEngine() override {
    for (const auto& [member, child] : children_) kill(child.process, SIGTERM);
  }

  absl::StatusOr<std::vector<Started>> List(const Group& group) override {
    Reap();
    std::vector<Started> started;
    for (const auto& [member, child] : children_) {
      if (member.first != group.name) continue;
      const bool ends = child.kill_at != Clock::time_point::max();
      if (child.kill_at < Clock::now()) kill(child.process, SIGKILL);
      started.push_back({.number = member.second,
                         .phase = ends ? Phase::kEnding : Phase::kRunning,
                         .id = std::to_string(child.process),
                         .since = child.since});
    }
    return started;
  }

  absl::Status Start(const Group& group, std::span<const int64_t> numbers) override {
    Reap();
    for (const int64_t number : numbers) {
      if (children_.contains({group.name, number})) continue;
      RETURN_IF_ERROR(StartOne(group, number));
    }
    return absl::OkStatus();
  }

  absl::Status End(const Group& group, const Started& process) override {
    const auto it = children_.find({group.name, process.number});
    if (it == children_.end() || it->second.kill_at != Clock::time_point::max()) {
      return absl::OkStatus();
    }
    kill(it->second.process, SIGTERM);
    it->second.kill_at = Clock::now() + kGrace;
    return absl::OkStatus();
  }

  std::vector<Ended> TakeEnded(const Group& group) override {
    Reap();
    return std::exchange(ended_[group.name], {});
  }

 private:
  using Member = std::pair<std::string, int64_t>;

  absl::Status StartOne(const Group& group, int64_t number) {
    const std::string logs = files::Join(folder_, "logs");
    RETURN_IF_ERROR(files::CreateFolder(logs));
    const std::string log = files::Join(logs, fmt::format("{}_{}.log", group.name, number));
    const std::string member = MemberOf(group, number);
    std::vector<char*> words;
    for (const std::string& word : group.command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) return Unavailable("cannot start a process: {}", std::strerror(errno));
    if (child == 0) BecomeMember(parent, log, member, words);
    children_[{group.name, number}] = {.process = child, .since = Now()};
    return absl::OkStatus();
  }

  // In the child. It ends when the thread that has started it ends.
  [[noreturn]] static void BecomeMember(pid_t parent, const std::string& log,
                                        const std::string& member,
                                        const std::vector<char*>& words) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    setenv(log::kFileVariable, log.c_str(), /*overwrite=*/1);
    setenv(rpc::kMemberVariable, member.c_str(), /*overwrite=*/1);
    execvp(words[0], words.data());
    _exit(127);
  }

  void Reap() {
    for (auto it = children_.begin(); it != children_.end();) {
      int status = 0;
      if (waitpid(it->second.process, &status, WNOHANG) == 0) {
        ++it;
        continue;
      }
      ended_[it->first.first].push_back({.number = it->first.second,
                                         .id = std::to_string(it->second.process),
                                         .how = DescribeEnd(status)});
      it = children_.erase(it);
    }
  }

  const std::string folder_;
  std::map<Member, Child> children_;
  std::map<std::string, std::vector<Ended>> ended_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> OpenEngine(const Local&, const Stack& stack) {
  return std::make_unique<LocalEngine>(stack.folder);
}

TIDEMILL_PART(Backend, BackendOf, Local)

}  // namespace tidemill::engine
