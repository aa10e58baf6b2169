#include "base/failpoints.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "base/descriptor.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/time.h"

namespace tidemill::failpoints {
namespace {

enum class Action { kKill, kError, kDelay, kCall };

struct Armed {
  Action action = Action::kKill;
  // The passage at which it fires; passages so far.
  int64_t at = 1;
  int64_t passages = 0;
  Duration delay;
  std::function<void()> call = nullptr;
};

struct Table {
  Mutex mutex;
  std::map<std::string, Armed, std::less<>> points ABSL_GUARDED_BY(mutex);
};

Table& GetTable() {
  static Table* const table = new Table;  // Never destroyed: threads may pass during exit.
  return *table;
}

// "kill:3", "error", "delay:250ms".
absl::StatusOr<Armed> ParseAction(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view argument =
      colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  Armed armed;
  if (name == "delay") {
    ASSIGN_OR_RETURN(armed.delay, ParseDuration(argument));
    armed.action = Action::kDelay;
    return armed;
  }
  if (name != "kill" && name != "error") {
    return InvalidArgument("{} is not kill, error or delay", name);
  }
  armed.action = name == "kill" ? Action::kKill : Action::kError;
  if (colon == std::string_view::npos) return armed;
  const char* const end = argument.data() + argument.size();
  const auto [rest, error] = std::from_chars(argument.data(), end, armed.at);
  if (error != std::errc() || rest != end || armed.at < 1) {
    return InvalidArgument("{} is not a number of passes, counted from 1", argument);
  }
  return armed;
}

// Before main: a failpoint may be passed by the first line of a program.
bool ArmFromEnvironment() {
  const char* const text = std::getenv("TIDEMILL_FAILPOINTS");
  if (text == nullptr) return false;
  if (const absl::Status status = Arm(text); !status.ok()) {
    std::fprintf(stderr, "TIDEMILL_FAILPOINTS: %s\n", status.ToString().c_str());
    std::_Exit(2);
  }
  return true;
}

// Whether this process may fire the failpoint: always, unless a folder of marks says that a process
// before it did.
bool ClaimFiring(std::string_view name) {
  const char* const folder = std::getenv("TIDEMILL_FAILPOINTS_ONCE");
  if (folder == nullptr) return true;
  const std::string mark = std::string(folder) + "/" + std::string(name);
  const Descriptor file(open(mark.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
  return file.is_open();
}

}  // namespace

namespace internal {

std::atomic<bool> any_armed = false;

absl::Status Pass(std::string_view name) {
  Duration delay;
  std::function<void()> call;
  {
    Table& table = GetTable();
    MutexLock lock(table.mutex);
    const auto it = table.points.find(name);
    if (it == table.points.end()) return absl::OkStatus();
    Armed& armed = it->second;
    const bool fires = ++armed.passages == armed.at;
    if (armed.action == Action::kDelay) {
      delay = armed.delay;
      std::ignore = ClaimFiring(name);  // It waits at each passage; the mark is for the test.
    } else if (!fires || !ClaimFiring(name)) {
      return absl::OkStatus();
    } else if (armed.action == Action::kCall) {
      call = std::move(armed.call);
    } else if (armed.action == Action::kError) {
      return Unavailable("failpoint {}", name);
    } else {
      std::raise(SIGKILL);
    }
  }
  if (call) call();  // Without the lock: it may pass failpoints itself.
  std::this_thread::sleep_for(std::chrono::microseconds(delay.micros));
  return absl::OkStatus();
}

namespace {
[[maybe_unused]] const bool kArmedFromEnvironment = ArmFromEnvironment();
}  // namespace

}  // namespace internal

absl::Status Arm(std::string_view text) {
  Table& table = GetTable();
  MutexLock lock(table.mutex);
  while (!text.empty()) {
    const size_t semicolon = text.find(';');
    const std::string_view item = text.substr(0, semicolon);
    text = semicolon == std::string_view::npos ? std::string_view() : text.substr(semicolon + 1);
    if (item.empty()) continue;
    const size_t equals = item.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return InvalidArgument("{} does not have the form name=action", item);
    }
    ASSIGN_OR_RETURN(const Armed armed, ParseAction(item.substr(equals + 1)));
    table.points.insert_or_assign(std::string(item.substr(0, equals)), armed);
    internal::any_armed = true;
  }
  return absl::OkStatus();
}

void ArmCall(std::string_view name, std::function<void()> call) {
  Table& table = GetTable();
  MutexLock lock(table.mutex);
  table.points.insert_or_assign(
      std::string(name), Armed{.action = Action::kCall, .delay = {}, .call = std::move(call)});
  internal::any_armed = true;
}

void DisarmAll() {
  Table& table = GetTable();
  MutexLock lock(table.mutex);
  table.points.clear();
  internal::any_armed = false;
}

}  // namespace tidemill::failpoints
