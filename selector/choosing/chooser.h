// A selection policy is a pure function from candidate columns and a random stream to the chosen
// samples and their weights. It takes the candidates piece by piece. The same candidates give the
// same choice on every machine, however they are cut into pieces, with any number of threads and
// any memory budget. There is one exception: k_center and facility_location work in parts when the
// budget requires it, and say so in a remark.
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

#include "base/numbers/random.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "batch/batch.h"
#include "selector/client/selection_spec.h"
#include "selector/columns/chosen_keys.h"
#include "selector/columns/training_set_file.h"

namespace tidemill::plugin {
class RunHosts;
}  // namespace tidemill::plugin

namespace tidemill::selector {

// Some of the candidates, one row each, in the order (event time, key) of the stream.
struct Candidates {
  std::span<const int64_t> keys;
  std::span<const int64_t> event_times = {};  // Microseconds UTC.
  std::span<const int64_t> labels = {};  // The class, or kNoClass for a sample without a label.
  // The number of samples between them in the stream that lack the label that the dataset's samples
  // have. They are not candidates.
  int64_t num_unlabelled = 0;
  // The part of them that is new with this trigger.
  int64_t num_new_unlabelled = 0;
  // The number of samples between them that the selection's `where` leaves out. They are not
  // candidates either, and are not counted as unlabelled.
  int64_t num_filtered = 0;
};
inline constexpr int64_t kNoClass = std::numeric_limits<int64_t>::min();

// Reads facts about candidates for a policy. Rows come in the order of the keys, in blocks of
// bounded size. A sample without facts is left out. Thread-compatible.
class SampleFacts {
 public:
  using Sink = std::function<absl::Status(const batch::Batch&)>;
  virtual ~SampleFacts() = default;
  // Reads a number from each record. The columns are `key` and `values`, float32.
  virtual absl::Status ReadColumn(std::span<const int64_t> keys, const std::string& column,
                                  const Sink& sink) = 0;
  // False while the run has no model; then ReadModel() is FAILED_PRECONDITION.
  virtual bool has_model() const = 0;
  // Reads the answers of the run's newest model about candidates. The columns are `key`,
  // `embedding` [d] float32 and, on request, `prediction` float32. A prediction is [classes], a
  // probability for each class, or [1], the predicted value.
  virtual absl::Status ReadModel(std::span<const int64_t> keys, bool with_predictions,
                                 const Sink& sink) = 0;
};

// The resources that a policy may use while it chooses.
struct Workplace {
  // The folder for data that does not fit into memory.
  std::string folder;
  // About how many bytes of candidates are held in memory.
  int64_t memory_budget = int64_t{256} << 20;
  // Threads besides the caller's; nullptr for none. Not owned.
  WorkerPool* pool = nullptr;
  // nullptr when there are no facts. Not owned.
  SampleFacts* facts = nullptr;
  // The cuts at which the new data of each earlier trigger ended, as (event time, key). The first
  // trigger comes first.
  std::span<const std::pair<int64_t, int64_t>> ends = {};
  // The first is the set of keys in earlier training sets of the run. The second is the part of
  // them in the current round, which holds each key once. Not owned; nullptr stands for none.
  const ChosenKeys* chosen_before = nullptr;
  const ChosenKeys* chosen_in_round = nullptr;
  // The program of a worker process that chooses within parts, the number of such processes that
  // run at once, and the number of bytes that each may hold.
  std::string worker_program = {};
  int num_workers = 1;
  int64_t worker_memory = int64_t{256} << 20;
  // The most candidates, approximately, that a plug-in is shown at once. Trials show fewer.
  int64_t most_shown = int64_t{1} << 19;
  // The processes of the run's plug-ins; nullptr when there are none to be kept.
  std::shared_ptr<plugin::RunHosts> hosts = nullptr;
};

// The failure of a plug-in that could not choose and was replaced by another policy.
struct ChoiceFault {
  // The plug-in, its failure, and the place of the failure.
  std::string what;
  // The plug-in's own traceback, or what it printed.
  std::string traceback;
};

// What a policy reports about its choice, besides the chosen samples.
struct ChoiceNotes {
  int64_t num_left_out = 0;
  std::optional<double> objective = std::nullopt;
  std::vector<std::string> remarks = {};
  // The keys of the new round, when this choice began one. nullptr when the current round
  // continues.
  std::shared_ptr<const ChosenKeys> new_round = nullptr;
  std::optional<ChoiceFault> fault = std::nullopt;
};

// One choice. Thread-compatible.
class Chooser {
 public:
  virtual ~Chooser() = default;
  // Adds the next candidates. Every candidate is added once.
  virtual absl::Status Add(const Candidates& candidates) = 0;
  // Call it after the last candidate. The writer then holds the choice, in the order of the stream.
  virtual absl::Status Finish() = 0;
  // Call it after Finish().
  virtual ChoiceNotes notes() const { return {}; }
};

// Returns the chooser of the policy that serves a trigger. `random` names the trigger. `into` must
// not be open yet, and must outlive the result. Each policy's header declares MakeChooser() for its
// spec, under the same conditions.
std::unique_ptr<Chooser> ChooserFor(const SelectionSpec& spec, const RandomKey& random,
                                    const Workplace& workplace, TrainingSetWriter& into);

}  // namespace tidemill::selector
