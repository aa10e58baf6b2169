// Compares the wanted processes with the existing ones, and says what to do.
//
//   wanted 2          4 is surplus, the latest        PlanSteps()
//   started 1 2 4 --> member of 4 takes no more work  {drain: 4}
//                     it has finished                 {end: 4}
//   wanted 3          3 is the lowest free number     {start: 3}
//
// It remembers nothing. What takes no more work is known to the service, what was started to the
// engine, so that a service that starts again continues. Thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace tidemill::engine {

// What a service knows of a process that has registered.
struct KnownMember {
  // Its number in its group.
  int64_t number = 0;
  // What the service calls it.
  int64_t id = 0;
  std::string name = {};
  // It takes no more work.
  bool draining = false;
  // It has work to finish.
  bool busy = false;
};

struct Steps {
  // The numbers to start, ascending.
  std::vector<int64_t> start = {};
  // Indices of members that are to take no more work.
  std::vector<size_t> drain = {};
  // Indices of processes to end.
  std::vector<size_t> end = {};

  bool empty() const { return start.empty() && drain.empty() && end.empty(); }
};

// Whether a member that has work may be told to finish it and end.
enum class Surplus { kAny, kIdle };

// A surplus is ended in this order: processes that wait in the engine's queue, that have not
// registered yet, that have no work, and that have work if `surplus` allows it; the latest of each
// first. `started` and `members` belong to one group.
Steps PlanSteps(int64_t wanted, Surplus surplus, std::span<const Started> started,
                std::span<const KnownMember> members);

}  // namespace tidemill::engine
