#include "selector/policies/limit.h"

#include <algorithm>
#include <utility>

#include "selector/choosing/chooser.h"
#include "selector/columns/key_column.h"
#include "selector/policies/uniform.h"

namespace tidemill::selector {
namespace {

// Writes all rows.
class AllOfThem final : public Chooser {
 public:
  explicit AllOfThem(TrainingSetWriter& into) : into_(into) {}

  absl::Status Add(const Candidates& candidates) override {
    if (!is_open_) RETURN_IF_ERROR(into_.Open(/*weighted=*/false));
    is_open_ = true;
    return into_.AddKeys(candidates.keys);
  }
  absl::Status Finish() override {
    return is_open_ ? absl::OkStatus() : into_.Open(/*weighted=*/false);
  }

 private:
  TrainingSetWriter& into_;
  bool is_open_ = false;
};

// Which candidates are the latest is known at the end only: holds two generations of `limit` keys
// each, and drops the older one when the younger one is full.
class LatestOfThem final : public Chooser {
 public:
  LatestOfThem(int64_t limit, const Workplace& workplace, TrainingSetWriter& into)
      : limit_(limit),
        workplace_(workplace),
        into_(into),
        older_(Generation()),
        younger_(Generation()) {}

  absl::Status Add(const Candidates& candidates) override {
    std::span<const int64_t> keys = candidates.keys;
    while (!keys.empty()) {
      if (younger_.size() == limit_) {
        older_ = std::exchange(younger_, Generation());
      }
      const auto room = static_cast<size_t>(limit_ - younger_.size());
      const auto taken = keys.first(std::min(keys.size(), room));
      RETURN_IF_ERROR(younger_.Append(taken));
      keys = keys.subspan(taken.size());
    }
    return absl::OkStatus();
  }

  absl::Status Finish() override {
    RETURN_IF_ERROR(into_.Open(/*weighted=*/false));
    const auto write = [&](std::span<const int64_t> keys) { return into_.AddKeys(keys); };
    const int64_t from_older = std::min(older_.size(), limit_ - younger_.size());
    RETURN_IF_ERROR(older_.ForEach(older_.size() - from_older, write));
    return younger_.ForEach(0, write);
  }

 private:
  KeyColumn Generation() const {
    return KeyColumn(workplace_.folder, workplace_.memory_budget / 2);
  }

  const int64_t limit_;
  const Workplace workplace_;
  TrainingSetWriter& into_;
  KeyColumn older_;
  KeyColumn younger_;
};

}  // namespace

std::unique_ptr<Chooser> MakeLimitedChooser(std::optional<int64_t> limit, LimitBy by,
                                            const RandomKey& random, const Workplace& workplace,
                                            TrainingSetWriter& into) {
  if (!limit) return std::make_unique<AllOfThem>(into);
  if (by == LimitBy::kLatest) return std::make_unique<LatestOfThem>(*limit, workplace, into);
  Uniform draw;
  draw.samples = limit;
  return MakeChooser(draw, random, workplace, into);
}

}  // namespace tidemill::selector
