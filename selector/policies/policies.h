// What a selection policy is: a pure function from candidate columns and a random stream to the
// chosen samples and their weights, taken in piece by piece. The same candidates give the same
// choice on every machine, however they are cut into pieces, with any number of threads and any
// budget of memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/random.h"
#include "base/status.h"
#include "base/worker_pool.h"
#include "selector/client/selection_spec.h"
#include "selector/training_set_file.h"

namespace tidemill::selector {

// Some of the samples to choose from, one row each, in the order (event time, key) of the stream.
struct Candidates {
  std::span<const int64_t> keys;
  std::span<const int64_t> event_times;  // Microseconds UTC.
};

// What a policy may use while it chooses.
struct Workplace {
  // For what does not fit into memory.
  std::string folder;
  // Bytes of candidates held in memory, about.
  int64_t memory_budget = int64_t{256} << 20;
  // Threads beside the caller's; nullptr for none. Not owned.
  WorkerPool* pool = nullptr;
};

// One choice. Thread-compatible.
class Chooser {
 public:
  virtual ~Chooser() = default;
  // The next candidates; every one comes once.
  virtual absl::Status Add(const Candidates& candidates) = 0;
  // After the last. The writer then holds the choice, in the order of the stream.
  virtual absl::Status Finish() = 0;
};

// One overload for each alternative of SelectionSpec. `into` is not yet open and outlives what is
// returned.
std::unique_ptr<Chooser> MakeChooser(const NewData& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);
std::unique_ptr<Chooser> MakeChooser(const Uniform& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);

// By the policy that `spec` names.
std::unique_ptr<Chooser> MakeChooser(const SelectionSpec& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);

// Whether the candidates are all samples up to the trigger, not only those since the one before.
bool DrawsFromHistory(const SelectionSpec& spec);

}  // namespace tidemill::selector
