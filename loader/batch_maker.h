// Makes the batches of a plan: reads samples, runs the graph over them and cuts.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status.h"
#include "loader/bad_samples.h"
#include "loader/batch_plan.h"
#include "loader/batch_source.h"
#include "loader/decoded_samples.h"
#include "loader/path_work.h"
#include "loader/plan/sample_order.h"
#include "loader/training_set.h"
#include "loader/window_rows.h"
#include "transform/graph.h"

namespace tidemill::loader {

// What a maker works with. Everything is shared with whoever opened it.
struct BatchParts {
  std::shared_ptr<const TrainingSet> set;
  SampleReader reader;
  std::shared_ptr<const transform::Graph> graph;
  // nullptr for a graph that learns nothing.
  std::shared_ptr<const transform::FittedState> fitted = nullptr;
  // Rows are taken from there, and given to it once read. Not for a graph that is random in
  // training; it must have been made for the same set. A plan with buckets does without it.
  std::shared_ptr<DecodedSamples> kept = nullptr;
  // Hears of samples that could not be read or turned into tensors.
  std::shared_ptr<BadSamples> bad = nullptr;
  // Windows of a plan with buckets, for makers of the same set and plan, each of another slice.
  // Without, a maker has a cache of its own.
  std::shared_ptr<WindowCache> windows = nullptr;
};

// Any batch may be made at any time and as often as one likes: what is in it depends on the set,
// the plan and the samples alone, never on threads, processes or what was made before. Random ops
// draw by the shuffle's seed and trigger, the epoch and the ordinal. Thread-safe.
class BatchMaker {
 public:
  // INVALID_ARGUMENT for a graph without target, batches of no samples, or buckets of a column
  // whose rows have no length.
  static absl::StatusOr<std::unique_ptr<const BatchMaker>> Create(BatchParts parts,
                                                                  const BatchPlan& plan);

  // Samples of an epoch in this slice, and batches of an epoch.
  int64_t num_samples() const;
  int64_t num_batches() const { return num_batches_; }
  // Of the whole plan, all epochs; batches are numbered from 0 through them.
  int64_t end() const { return num_batches_ * plan_.epochs; }
  const BatchPlan& plan() const { return plan_; }

  // Bytes that a full batch of this slice takes, about.
  int64_t batch_bytes() const;
  // Batches that are best made together, so that what a call costs is paid for many samples; at
  // most `bytes` of them, at least one. With buckets: whole windows, if one begins at a multiple of
  // it, at least one window.
  int64_t BatchesTogether(int64_t bytes) const;

  // Makes batches [from, to), counted through all epochs. CANCELLED once `stop` is requested.
  absl::StatusOr<std::vector<TrainingBatch>> Make(int64_t from, int64_t to,
                                                  const std::stop_token& stop) const;

  // Samples of a batch of this slice, holes included.
  int64_t SamplesOf(int64_t number) const;

  // A batch in steps, for whoever runs its rows through the graph apart from each other
  // (row_groups.cc): first the samples are read, then each group is transformed, then rows are put
  // together, all of them or some.
  struct RowGroups {
    int64_t number = 0;
    // The ordinals of the batch, in its order, and what could be read of them, cut into groups.
    std::vector<int64_t> wanted = {};
    std::vector<batch::Batch> groups = {};
    std::vector<Unreadable> bad = {};
  };
  // Reads batches [from, to), in groups of at most so many rows. CANCELLED once `stop` is
  // requested.
  absl::StatusOr<std::vector<RowGroups>> ReadGroups(int64_t from, int64_t to, int64_t rows_of_group,
                                                    const std::stop_token& stop) const;
  // Runs the graph over a group of that batch: one piece, perhaps without rows.
  absl::StatusOr<Rows> RunGraph(int64_t number, batch::Batch group) const;
  // A batch of the rows with these ordinals of it, as far as `rows` has them; what it has not is
  // skipped. The pieces must stand in the order of the ordinals.
  absl::StatusOr<TrainingBatch> PutTogether(int64_t number, std::vector<int64_t> ordinals,
                                            const Rows& rows) const;

  // What making took so far.
  PathWork work() const { return counters_->Snapshot(); }

 private:
  // The samples of consecutive batches, and how many each has.
  struct Wanted {
    std::vector<int64_t> ordinals;
    std::vector<int64_t> sizes;
  };

  // Why samples read together could not be used.
  struct Reasons {
    std::unordered_map<int64_t, std::string_view> by_key;
    // For samples of which it is only known that they were bad before.
    std::string otherwise;
  };

  BatchMaker() = default;
  // The width of the column that rows have their length in.
  absl::StatusOr<int64_t> FindWidth() const;
  int64_t SamplesOfEpoch() const;
  std::pair<int64_t, int64_t> PositionsOf(int64_t index) const;
  std::pair<int64_t, int64_t> GlobalPositionsOf(int64_t index) const;
  Wanted WantedOf(int64_t epoch, int64_t first, int64_t last) const;
  void AppendOrdinals(int64_t epoch, int64_t from, int64_t to,
                      std::vector<int64_t>& ordinals) const;
  absl::StatusOr<std::vector<TrainingBatch>> MakeOfEpoch(int64_t from, int64_t to,
                                                         const std::stop_token& stop) const;
  // What random ops of a batch draw from.
  transform::RunContext ContextOf(int64_t number) const;
  absl::Status Transform(const transform::RunContext& context, batch::Batch& piece,
                         Rows& rows) const;
  absl::Status ReadGroupsOfEpoch(int64_t from, int64_t to, int64_t rows_of_group,
                                 const std::stop_token& stop, std::vector<RowGroups>& into) const;
  absl::StatusOr<Rows> Read(std::span<const int64_t> ordinals, const transform::RunContext& context,
                            const std::stop_token& stop) const;
  absl::StatusOr<std::vector<TrainingBatch>> Cut(const Rows& rows, const Wanted& wanted,
                                                 int64_t from) const;
  absl::StatusOr<std::vector<TrainingBatch>> CutKept(const Rows& rows, const Wanted& wanted,
                                                     std::vector<int64_t> places,
                                                     int64_t from) const;
  absl::StatusOr<std::vector<TrainingBatch>> MakeBucketed(int64_t from, int64_t to,
                                                          const std::stop_token& stop) const;
  absl::StatusOr<std::shared_ptr<const WindowRows>> FindWindow(int64_t begin, int64_t end,
                                                               bool is_wanted_once,
                                                               const std::stop_token& stop) const;
  absl::StatusOr<WindowRows> MakeWindow(int64_t begin, int64_t end,
                                        const std::stop_token& stop) const;
  TrainingBatch CutSlice(const WindowRows& window, int64_t begin, int64_t number) const;
  std::vector<WindowRows::Hole> HolesOf(const batch::Batch& rows, std::span<const int64_t> wanted,
                                        int64_t first_position, const Reasons& reasons) const;
  std::pair<int64_t, int64_t> WindowOf(int64_t number) const;
  // The weights of rows that are what could be read of `wanted`, which begins at that position.
  absl::Status Weigh(std::span<const int64_t> wanted, int64_t first_position,
                     batch::Batch& rows) const;
  TrainingBatch Numbered(int64_t number) const;
  absl::Status Finish(TrainingBatch& cut, std::span<const int64_t> wanted,
                      const Reasons& reasons) const;
  static Reasons ReasonsOf(const Rows& rows, std::string otherwise);
  // Why the sample with this ordinal is a hole.
  std::string ReasonOf(int64_t ordinal, const Reasons& reasons) const;

  BatchParts parts_;
  BatchPlan plan_;
  int64_t num_batches_ = 0;
  int64_t width_ = 0;  // Of the column of the buckets, if there are any.
  std::unique_ptr<const SampleOrder> order_;
  std::unique_ptr<PathCounters> counters_;
};

}  // namespace tidemill::loader
