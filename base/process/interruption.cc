#include "base/process/interruption.h"

#include <signal.h>

#include <atomic>

namespace tidemill::process {
namespace {

std::atomic<bool> is_interrupted = false;

}  // namespace

void NoteInterruptions() {
  struct sigaction action = {};
  action.sa_handler = [](int) { is_interrupted = true; };
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
}

bool IsInterrupted() { return is_interrupted; }

}  // namespace tidemill::process
