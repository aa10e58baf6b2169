// Keeps what a graph makes of samples between epochs, triggers and jobs, where that pays.
//
//   off / profile ---- 100 ms of work ----> choice ----> a cut, or none
//                                             ^                |
//                                             '--- .5 to 10 s -'  only for a gain of a quarter
//
// Which samples are made again and which are found never shows in batches.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "loader/path/path_work.h"
#include "loader/prepared/cache_choice.h"
#include "prepared/host_store.h"
#include "transform/cut_graph.h"
#include "transform/fitted_state.h"

namespace tidemill::loader {

enum class CacheMode { kAuto, kOff, kAfter };

// Returns what tells the records of these keys apart (StorageClient::FindIdentities()).
using FindIdentities =
    std::function<absl::StatusOr<std::vector<uint64_t>>(std::span<const int64_t> keys)>;

struct CacheSetup {
  CacheMode mode = CacheMode::kAuto;
  // For kAfter: the op as written, from 0.
  int after_op = 0;
  std::shared_ptr<const prepared::HostStore> store = nullptr;  // Shared by the jobs of a process.
  std::shared_ptr<const transform::Graph> graph = nullptr;
  std::shared_ptr<const transform::FittedState> fitted = nullptr;
  FindIdentities identify = {};
  bool standardize_target = true;
  // Whether all labels are placeholders.
  bool ignores_labels = false;
  int64_t num_samples = 0;  // In an epoch.
  // How often each sample is expected to be used after its first use.
  double uses = 0;
  // See CacheQuestion.
  std::optional<double> uses_learned = std::nullopt;
  // For kAuto: whether rows that were kept before are used, too, where keeping more would not pay.
  bool finds_kept = false;
  std::string about = {};  // For people who look into the folder.
};

// A cut that is in use, and its rows.
struct OpenCut {
  OpenCut(std::shared_ptr<const transform::Graph> graph, transform::CutPoint point)
      : cut(std::move(graph), std::move(point)) {}

  transform::CutGraph cut;
  prepared::RowColumns columns = {};
  std::unique_ptr<prepared::PreparedSamples> rows = nullptr;
  // What names the point: cuts with equal digests have the same rows.
  std::string digest = {};
  // Whether what is made is kept; otherwise rows are only looked for.
  bool keeps = true;
  std::unique_ptr<prepared::Claims> claims = nullptr;  // nullptr: nothing is claimed.
  // Whether the reasons of bad samples are kept, too. A plug-in that was too slow for a sample, or
  // whose process was killed, may make it the next time.
  bool keeps_bad = true;
};

// What a cache has decided and done.
struct CacheReport {
  CacheMode mode = CacheMode::kOff;
  bool is_decided = false;
  CacheChoice choice = {};
  // Where rows are kept now.
  std::optional<transform::CutPoint> point = std::nullopt;
  prepared::StoreCounts counts = {};
  // How many times faster samples were prepared when they were found; 0 before enough were.
  double measured_speedup = 0;
};

// Thread-safe.
class SampleCache {
 public:
  // INVALID_ARGUMENT when nothing can be kept after the op that the setup names. Where no store can
  // be used, nothing is kept, and the report says why.
  static absl::StatusOr<std::unique_ptr<SampleCache>> Create(CacheSetup setup);

  // Returns the cut in use; nullptr when rows are not kept, or not yet.
  std::shared_ptr<const OpenCut> cut() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the names of samples. Nothing names those that storage cannot serve.
  absl::StatusOr<std::vector<prepared::SampleName>> NamesOf(std::span<const int64_t> keys) const;

  const transform::FittedState* fitted() const { return setup_.fitted.get(); }

  // Decides, once enough was made, and again from time to time. `counters` are of a maker whose
  // graph this is. Cheap unless it decides.
  void Observe(const PathCounters& counters) ABSL_LOCKS_EXCLUDED(mutex_);

  // `work` is all that was done for the jobs that this cache serves, in all processes.
  CacheReport report(const PathWork& work = {}) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  explicit SampleCache(CacheSetup setup);

  absl::Status Use(const transform::CutPoint& point, double worth, bool keeps = true)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Does the same, or keeps nothing when no store can be used.
  absl::Status UseIfPossible(const transform::CutPoint& point, double worth)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void KeepNothing(std::string because) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Decide(const SampleCosts& costs) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Prefers rows that were kept before to others that would save little more.
  void PreferKept(CacheChoice& choice) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  CacheQuestion QuestionOf(const SampleCosts& costs) const;
  // Returns the last point whose rows a user has asked for.
  std::optional<transform::CutPoint> PointAskedFor() const;
  absl::StatusOr<std::string> DigestOf(const transform::CutGraph& cut) const;
  // Empty where nothing is kept on this host.
  std::string ProfilePath() const;
  std::optional<SampleCosts> ReadProfile() const;
  void WriteProfile(const SampleCosts& costs) const;

  const CacheSetup setup_;
  const std::vector<transform::CutPoint> points_;
  // When Observe() looks next; far ahead for a mode that never changes.
  std::atomic<int64_t> next_look_ns_ = 0;
  int64_t look_again_ns_ ABSL_GUARDED_BY(mutex_);
  mutable Mutex mutex_;
  std::shared_ptr<const OpenCut> cut_ ABSL_GUARDED_BY(mutex_);
  // Cuts that were in use, for what they have counted.
  std::vector<std::shared_ptr<const OpenCut>> earlier_ ABSL_GUARDED_BY(mutex_);
  CacheChoice choice_ ABSL_GUARDED_BY(mutex_);
  bool is_decided_ ABSL_GUARDED_BY(mutex_) = false;
  // What each maker had done when it was last decided by its work.
  std::map<const PathCounters*, PathWork> seen_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::loader
