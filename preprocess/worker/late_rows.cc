#include "preprocess/worker/late_rows.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/failpoints.h"

namespace tidemill::preprocess {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<int64_t> AllOrdinals(const std::vector<batch::Batch>& pieces) {
  std::vector<int64_t> ordinals;
  for (const batch::Batch& piece : pieces) {
    if (piece.num_rows() == 0) continue;
    const auto of_piece = piece.Find(batch::kOrdinalColumn)->Values<int64_t>();
    ordinals.insert(ordinals.end(), of_piece.begin(), of_piece.end());
  }
  return ordinals;
}

// `all` without `some`, both in the same order.
std::vector<int64_t> Without(const std::vector<int64_t>& all, const std::vector<int64_t>& some) {
  std::vector<int64_t> rest;
  auto next = some.begin();
  for (const int64_t ordinal : all) {
    if (next != some.end() && *next == ordinal) {
      ++next;
    } else {
      rest.push_back(ordinal);
    }
  }
  return rest;
}

}  // namespace

// One batch. Shared by the thread that makes it and those that run its groups. Thread-safe.
class LateRows::Making {
 public:
  Making(std::atomic<int64_t>& num_late, std::shared_ptr<const Job> job, loader::RowGroups read)
      : num_late_(num_late),
        job_(std::move(job)),
        number_(read.number),
        num_groups_(read.groups.size()),
        bad_(std::move(read.bad)),
        rest_(std::move(read.wanted)),
        groups_(num_groups_) {
    for (size_t i = 0; i < num_groups_; ++i) groups_[i].samples = std::move(read.groups[i]);
  }

  size_t num_groups() const { return num_groups_; }

  // Runs the graph over a group; the last late one gives the rest of the batch.
  void Run(size_t index) {
    const absl::StatusOr<loader::Rows> made =
        job_->maker->row_groups().RunGraph(number_, Begin(index));
    std::optional<Part> rest;
    {
      MutexLock lock(mutex_);
      Note(made, groups_[index]);
      ++num_done_;
      rest = TakeLateRest();
      changed_.notify_all();
    }
    GiveLate(std::move(rest));
  }

  // Waits until all groups are done or late, and returns the finished ones.
  void GiveWhatIsThere() {
    Part part;
    bool is_all = false;
    {
      MutexLock lock(mutex_);
      Await();
      is_all = num_done_ == num_groups_;
      if (!is_all) ++num_late_;
      part = is_all ? TakeRest() : TakeDone();
    }
    if (is_all || !part.ordinals.empty()) Give(std::move(part));
    if (is_all) return;
    std::optional<Part> rest;
    {
      MutexLock lock(mutex_);
      others_are_given_ = true;
      // The late ones may have become ready in between.
      rest = TakeLateRest();
    }
    GiveLate(std::move(rest));
  }

 private:
  struct Group {
    batch::Batch samples = {};
    std::optional<Clock::time_point> began = std::nullopt;
    bool is_done = false;
    std::vector<batch::Batch> pieces = {};  // Not given yet.
  };
  // Rows to deliver, and the ordinals they belong to.
  struct Part {
    std::vector<int64_t> ordinals = {};
    loader::Rows rows = {};
    absl::Status status = {};
  };

  batch::Batch Begin(size_t index) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    groups_[index].began = Clock::now();
    changed_.notify_all();
    return std::exchange(groups_[index].samples, {});
  }

  void Note(const absl::StatusOr<loader::Rows>& made, Group& group)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    group.is_done = true;
    status_.Update(made.status());
    if (!made.ok()) return;
    group.pieces = made->pieces;
    bad_.insert(bad_.end(), made->bad.begin(), made->bad.end());
    filtered_.insert(filtered_.end(), made->filtered.begin(), made->filtered.end());
  }

  // When all groups that are not done have been running for long enough; std::nullopt while some
  // are not running.
  std::optional<Clock::time_point> LateAt() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    Clock::time_point latest = Clock::time_point::min();
    for (const Group& group : groups_) {
      if (group.is_done) continue;
      if (!group.began) return std::nullopt;
      latest = std::max(latest, *group.began + job_->slow_after);
    }
    return latest;
  }

  void Await() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    while (num_done_ < num_groups_) {
      const std::optional<Clock::time_point> late_at = LateAt();
      if (late_at && *late_at <= Clock::now()) return;
      if (late_at) {
        changed_.wait_until(mutex_, *late_at);
      } else {
        changed_.wait(mutex_);
      }
    }
  }

  Part TakeDone() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    Part part;
    for (Group& group : groups_) {
      std::ranges::move(std::exchange(group.pieces, {}), std::back_inserter(part.rows.pieces));
    }
    part.ordinals = AllOrdinals(part.rows.pieces);
    rest_ = Without(rest_, part.ordinals);
    return part;
  }

  // What is left, with what the whole batch lacks.
  Part TakeRest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    Part part{.ordinals = rest_, .status = status_};
    part.rows = TakeDone().rows;
    part.rows.bad = std::move(bad_);
    part.rows.filtered = std::move(filtered_);
    return part;
  }

  // What is left once the others were given and all late ones are done.
  std::optional<Part> TakeLateRest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!others_are_given_ || num_done_ < num_groups_) return std::nullopt;
    return TakeRest();
  }

  void Give(Part part) ABSL_LOCKS_EXCLUDED(mutex_) {
    if (!part.status.ok()) return job_->sink(number_, part.status);
    job_->sink(number_,
               job_->maker->row_groups().PutTogether(number_, std::move(part.ordinals), part.rows));
  }

  void GiveLate(std::optional<Part> rest) ABSL_LOCKS_EXCLUDED(mutex_) {
    if (!rest) return;
    rest->status.Update(failpoints::Pass("preprocess_worker.before_late_rows"));
    Give(*std::move(rest));
    --num_late_;
  }

  std::atomic<int64_t>& num_late_;
  const std::shared_ptr<const Job> job_;
  const int64_t number_;
  const size_t num_groups_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<loader::Unreadable> bad_ ABSL_GUARDED_BY(mutex_);
  std::vector<int64_t> filtered_ ABSL_GUARDED_BY(mutex_);
  std::vector<int64_t> rest_ ABSL_GUARDED_BY(mutex_);  // Ordinals of what was not given yet.
  std::vector<Group> groups_ ABSL_GUARDED_BY(mutex_);
  size_t num_done_ ABSL_GUARDED_BY(mutex_) = 0;
  bool others_are_given_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

LateRows::LateRows(int num_threads) : pool_("preprocess.rows", num_threads) {}

absl::Status LateRows::Make(const std::shared_ptr<const Job>& job, int64_t from, int64_t to,
                            const std::stop_token& stop) {
  ASSIGN_OR_RETURN(std::vector<loader::RowGroups> read,
                   job->maker->row_groups().Read(from, to, kGroupRows, stop));
  std::vector<std::shared_ptr<Making>> batches;
  for (loader::RowGroups& one : read) {
    const auto batch = std::make_shared<Making>(num_late_, job, std::move(one));
    for (size_t group = 0; group < batch->num_groups(); ++group) {
      pool_.Submit([batch, group] { batch->Run(group); });
    }
    batches.push_back(batch);
  }
  for (const auto& batch : batches) batch->GiveWhatIsThere();
  return absl::OkStatus();
}

}  // namespace tidemill::preprocess
