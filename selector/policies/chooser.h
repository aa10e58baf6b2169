// What a selection policy is: a pure function from candidate columns and a random stream to the
// chosen samples and their weights, taken in piece by piece. The same candidates give the same
// choice on every machine, however they are cut into pieces, with any number of threads and any
// budget of memory; only k_center and facility_location work in parts when the budget asks for it,
// and say so in a remark.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "batch/batch.h"
#include "selector/client/selection_spec.h"
#include "selector/columns/chosen_keys.h"
#include "selector/columns/training_set_file.h"

namespace tidemill::selector {

// Some of the samples to choose from, one row each, in the order (event time, key) of the stream.
struct Candidates {
  std::span<const int64_t> keys;
  std::span<const int64_t> event_times = {};  // Microseconds UTC.
  std::span<const int64_t> labels = {};       // The class; kNoClass for a sample without one.
  // Samples among them in the stream that have no label where the dataset has labels: they are no
  // candidates.
  int64_t num_unlabelled = 0;
};
inline constexpr int64_t kNoClass = std::numeric_limits<int64_t>::min();

// What a policy may ask about candidates. Rows come in the order of the keys; samples of which
// nothing can be said are left out. Blocks of bounded size. Thread-compatible.
class SampleFacts {
 public:
  using Sink = std::function<absl::Status(const batch::Batch&)>;
  virtual ~SampleFacts() = default;
  // A number in each record: columns `key` and `values`, float32.
  virtual absl::Status ReadColumn(std::span<const int64_t> keys, const std::string& column,
                                  const Sink& sink) = 0;
  // False while the run has no model; then ReadModel() is FAILED_PRECONDITION.
  virtual bool has_model() const = 0;
  // What the run's newest model says: columns `key`, `embedding` [d] float32 and, when asked for,
  // `prediction` [classes] float32, a probability for each class, or [1], the value.
  virtual absl::Status ReadModel(std::span<const int64_t> keys, bool with_predictions,
                                 const Sink& sink) = 0;
};

// What a policy may use while it chooses.
struct Workplace {
  // For what does not fit into memory.
  std::string folder;
  // Bytes of candidates held in memory, about.
  int64_t memory_budget = int64_t{256} << 20;
  // Threads beside the caller's; nullptr for none. Not owned.
  WorkerPool* pool = nullptr;
  // Not owned; nullptr where there is nothing to ask.
  SampleFacts* facts = nullptr;
  // Where the new data of each trigger before ended, as (event time, key), the first one's first.
  std::span<const std::pair<int64_t, int64_t>> ends = {};
  // Keys that earlier training sets of the run hold; and of these the ones of the present round,
  // which holds each key once. Not owned; nullptr: none.
  const ChosenKeys* chosen_before = nullptr;
  const ChosenKeys* chosen_in_round = nullptr;
  // The program of a worker process that chooses within parts, how many of them run at once, and
  // how many bytes each may hold.
  std::string worker_program = {};
  int num_workers = 1;
  int64_t worker_memory = int64_t{256} << 20;
};

// What there is to say about a choice beside the chosen.
struct ChoiceNotes {
  int64_t num_left_out = 0;
  std::optional<double> objective = std::nullopt;
  std::vector<std::string> remarks = {};
  // The chosen keys of a round that began with this choice; nullptr: the present one goes on.
  std::shared_ptr<const ChosenKeys> new_round = nullptr;
};

// One choice. Thread-compatible.
class Chooser {
 public:
  virtual ~Chooser() = default;
  // The next candidates; every one comes once.
  virtual absl::Status Add(const Candidates& candidates) = 0;
  // After the last. The writer then holds the choice, in the order of the stream.
  virtual absl::Status Finish() = 0;
  // After Finish().
  virtual ChoiceNotes notes() const { return {}; }
};

// By the policy that serves the trigger of `random`. `into` is not yet open and outlives what is
// returned. Each policy's header declares MakeChooser() of its spec, which makes the same.
std::unique_ptr<Chooser> ChooserFor(const SelectionSpec& spec, const RandomKey& random,
                                    const Workplace& workplace, TrainingSetWriter& into);

}  // namespace tidemill::selector
