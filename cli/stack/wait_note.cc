#include "cli/stack/wait_note.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "cli/terminal/view.h"

namespace tidemill::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A shorter wait needs no note.
constexpr seconds kFirstNote{5};
constexpr milliseconds kNoteLook{500};

// "the model store", but "storage".
std::string NameOf(std::string service) {
  std::replace(service.begin(), service.end(), '_', ' ');
  return service == "storage" ? service : "the " + service;
}

}  // namespace

WaitNote::WaitNote(std::string service)
    : WaitNote(std::move(service), [](const std::string& line) { PrintToStderr(line + "\n"); }) {}

WaitNote::WaitNote(std::string service, Say say)
    : service_(NameOf(std::move(service))),
      say_(std::move(say)),
      next_(kFirstNote),
      task_("wait note", kNoteLook, [this] {
        Look();
        return absl::OkStatus();
      }) {}

void WaitNote::Heard() {
  {
    MutexLock lock(mutex_);
    heard_ = Clock::now();
    if (next_ == kFirstNote) return;
    next_ = kFirstNote;
  }
  say_(fmt::format("{} answers again", service_));
}

milliseconds WaitNote::Silence() const {
  MutexLock lock(mutex_);
  return std::chrono::duration_cast<milliseconds>(Clock::now() - heard_);
}

void WaitNote::Look() {
  seconds silent{0};
  {
    MutexLock lock(mutex_);
    silent = std::chrono::duration_cast<seconds>(Clock::now() - heard_);
    if (silent < next_) return;
    next_ = 2 * silent;
  }
  say_(fmt::format("waiting for {}, which has not answered for {} s", service_, silent.count()));
}

}  // namespace tidemill::cli
