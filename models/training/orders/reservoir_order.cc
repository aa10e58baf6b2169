#include "models/training/orders/reservoir_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "base/mutex.h"

namespace tidemill::models {
namespace {

// The sequence of one epoch, made from its beginning on.
class ReservoirEpoch {
 public:
  ReservoirEpoch(const RandomKey& key, int64_t capacity, int64_t size)
      : key_(key), size_(size), buffer_(static_cast<size_t>(capacity)), recent_(kRecent) {
    std::iota(buffer_.begin(), buffer_.end(), 0);
  }

  // Whether the entry there is still known, or not yet made.
  bool Has(int64_t position) const { return position + kRecent >= made_; }

  int64_t At(int64_t position) {
    while (made_ <= position) Make();
    return recent_[static_cast<size_t>(position % kRecent)];
  }

 private:
  // Threads ask a little out of order.
  static constexpr int64_t kRecent = int64_t{1} << 19;

  void Make() {
    const int64_t left = std::min<int64_t>(std::ssize(buffer_), size_ - made_);
    int64_t& chosen = buffer_[static_cast<size_t>(Below(left, RandomBits(key_, made_)))];
    recent_[static_cast<size_t>(made_ % kRecent)] = chosen;
    const int64_t next = made_ + std::ssize(buffer_);
    chosen = next < size_ ? next : buffer_[static_cast<size_t>(left - 1)];
    ++made_;
  }

  const RandomKey key_;
  const int64_t size_;
  int64_t made_ = 0;
  std::vector<int64_t> buffer_;
  std::vector<int64_t> recent_;
};

class Reservoir final : public SeededOrder {
 public:
  Reservoir(const ReservoirOrder& spec, const RandomKey& key, int64_t size)
      : SeededOrder(key, size), capacity_(std::min(spec.samples.value, size)) {}

  void Get(int64_t epoch, int64_t from, std::span<int64_t> ordinals) const override
      ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    std::unique_ptr<ReservoirEpoch>& sequence = sequences_[epoch];
    if (sequence == nullptr || !sequence->Has(from)) {
      sequence = std::make_unique<ReservoirEpoch>(KeyOf(epoch), capacity_, size());
    }
    for (int64_t& ordinal : ordinals) ordinal = sequence->At(from++);
    // Around the end of an epoch two are asked for in turn.
    while (sequences_.size() > 2) sequences_.erase(sequences_.begin());
  }

 private:
  const int64_t capacity_;
  mutable Mutex mutex_;
  mutable std::map<int64_t, std::unique_ptr<ReservoirEpoch>> sequences_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<EpochOrder> ReservoirOrder::MakeEpochOrder(const RandomKey& key,
                                                           int64_t size) const {
  return std::make_unique<Reservoir>(*this, key, size);
}

}  // namespace tidemill::models
