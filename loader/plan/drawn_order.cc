#include "loader/plan/drawn_order.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace tidemill::loader {
namespace {

// As drawn: pieces of permutations.
class Drawn final : public models::SeededOrder {
 public:
  Drawn(const RandomKey& key, int64_t size, const RepeatedDraw& draw)
      : SeededOrder(key, size), draw_(draw) {}

  void Get(int64_t epoch, int64_t from, std::span<int64_t> ordinals) const override {
    const int64_t num_pieces = draw_.replacement ? 1 : size() / draw_.samples;
    Permutation(KeyOf(epoch / num_pieces), size())
        .Range(epoch % num_pieces * draw_.samples + from, ordinals);
  }

 private:
  const RepeatedDraw draw_;
};

// The ordinals drawn for an epoch, in the order of the draw.
class OrderedDraw final : public models::EpochOrder {
 public:
  OrderedDraw(std::unique_ptr<models::EpochOrder> drawn, std::unique_ptr<models::EpochOrder> order,
              int64_t samples)
      : drawn_(std::move(drawn)), order_(std::move(order)), samples_(samples) {}

  void Get(int64_t epoch, int64_t from, std::span<int64_t> ordinals) const override
      ABSL_LOCKS_EXCLUDED(mutex_) {
    order_->Get(epoch, from, ordinals);
    MutexLock lock(mutex_);
    std::vector<int64_t>& ascending = epochs_[epoch];
    if (ascending.empty()) {
      ascending.resize(static_cast<size_t>(samples_));
      drawn_->Get(epoch, 0, ascending);
      std::sort(ascending.begin(), ascending.end());
    }
    for (int64_t& ordinal : ordinals) ordinal = ascending[static_cast<size_t>(ordinal)];
    // Around the end of an epoch two are asked for in turn.
    while (epochs_.size() > 2) epochs_.erase(epochs_.begin());
  }

 private:
  const std::unique_ptr<models::EpochOrder> drawn_;
  const std::unique_ptr<models::EpochOrder> order_;
  const int64_t samples_;
  mutable Mutex mutex_;
  mutable std::map<int64_t, std::vector<int64_t>> epochs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<models::EpochOrder> MakeDrawnOrder(const models::OrderSpec& spec,
                                                   const RandomKey& key, int64_t size,
                                                   const RepeatedDraw& draw) {
  RandomKey draw_key = key;
  draw_key.purpose = "repeated_draw";
  auto drawn = std::make_unique<Drawn>(draw_key, size, draw);
  if (spec->IsUniform()) return drawn;
  return std::make_unique<OrderedDraw>(std::move(drawn), spec->MakeEpochOrder(key, draw.samples),
                                       draw.samples);
}

}  // namespace tidemill::loader
