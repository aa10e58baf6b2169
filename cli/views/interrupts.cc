#include "cli/views/interrupts.h"

#include <atomic>

namespace tidemill::cli {
namespace {

std::atomic<int> interrupts{0};

void OnInterrupt(int) { interrupts.fetch_add(1); }

}  // namespace

InterruptScope::InterruptScope() {
  interrupts = 0;
  struct sigaction action {};
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, &before_);
}

InterruptScope::~InterruptScope() { sigaction(SIGINT, &before_, nullptr); }

int InterruptScope::Count() { return interrupts; }

}  // namespace tidemill::cli
