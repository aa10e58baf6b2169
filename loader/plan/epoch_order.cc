#include "loader/plan/epoch_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/mutex.h"
#include "base/overloaded.h"

namespace tidemill::loader {
namespace {

// A number in [0, end) out of 64 bits.
int64_t Below(int64_t end, uint64_t bits) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<int64_t>((static_cast<Wide>(bits) * static_cast<uint64_t>(end)) >> 64);
}

// What all orders are made of.
class Order : public EpochOrder {
 public:
  Order(const RandomKey& key, int64_t size) : key_(key), purpose_(key.purpose), size_(size) {}

 protected:
  RandomKey KeyOf(int64_t epoch) const {
    return {.seed = key_.seed, .purpose = purpose_, .trigger = key_.trigger, .epoch = epoch};
  }
  int64_t size() const { return size_; }

 private:
  const RandomKey key_;
  const std::string purpose_;  // The key's is but a view.
  const int64_t size_;
};

class InOrder final : public Order {
 public:
  using Order::Order;
  void Get(int64_t, int64_t from, std::span<int64_t> ordinals) const override {
    std::iota(ordinals.begin(), ordinals.end(), from);
  }
};

class Full final : public Order {
 public:
  using Order::Order;
  void Get(int64_t epoch, int64_t from, std::span<int64_t> ordinals) const override {
    Permutation(KeyOf(epoch), size()).Range(from, ordinals);
  }
};

// Permutes whole blocks, puts the shorter last one somewhere among them, and then permutes the
// places of each window.
class Blocks final : public Order {
 public:
  Blocks(const models::BlockOrder& spec, const RandomKey& key, int64_t size)
      : Order(key, size), block_(spec.samples.value), window_(spec.window.value) {}

  void Get(int64_t epoch, int64_t from, std::span<int64_t> ordinals) const override {
    const int64_t num_whole = size() / block_;
    const Permutation blocks(KeyOf(epoch), std::max<int64_t>(1, num_whole));
    // Negative ordinals below the permutation's own are no one else's.
    const int64_t rest_at = block_ * Below(num_whole + 1, RandomBits(KeyOf(epoch), -100));
    while (!ordinals.empty()) {
      const int64_t window = from / window_;
      const int64_t begin = window * window_;
      const int64_t in_window = std::min(window_, size() - begin);
      const auto count = std::min<int64_t>(std::ssize(ordinals), begin + in_window - from);
      const std::span<int64_t> piece = ordinals.first(static_cast<size_t>(count));
      const Permutation places(KeyOfWindow(epoch, window), in_window);
      places.Range(from - begin, piece);
      for (int64_t& place : piece) place = OrdinalAt(begin + place, blocks, num_whole, rest_at);
      ordinals = ordinals.subspan(piece.size());
      from += count;
    }
  }

 private:
  RandomKey KeyOfWindow(int64_t epoch, int64_t window) const {
    RandomKey key = KeyOf(epoch);
    key.seed = static_cast<int64_t>(RandomBits(key, -1000 - window));
    return key;
  }

  // What stands at a place before the windows are shuffled.
  int64_t OrdinalAt(int64_t place, const Permutation& blocks, int64_t num_whole,
                    int64_t rest_at) const {
    const int64_t rest = size() - num_whole * block_;
    if (place >= rest_at && place < rest_at + rest) return num_whole * block_ + (place - rest_at);
    if (place >= rest_at) place -= rest;
    return blocks(place / block_) * block_ + place % block_;
  }

  const int64_t block_;
  const int64_t window_;
};

// The sequence of one epoch, made from its beginning on.
class ReservoirEpoch {
 public:
  ReservoirEpoch(const RandomKey& key, int64_t capacity, int64_t size)
      : key_(key), size_(size), buffer_(static_cast<size_t>(capacity)), recent_(kRecent) {
    std::iota(buffer_.begin(), buffer_.end(), 0);
  }

  // Whether what stands there is still known, or not yet made.
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

class Reservoir final : public Order {
 public:
  Reservoir(const models::ReservoirOrder& spec, const RandomKey& key, int64_t size)
      : Order(key, size), capacity_(std::min(spec.samples.value, size)) {}

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

// As drawn: pieces of permutations.
class Drawn final : public Order {
 public:
  Drawn(const RandomKey& key, int64_t size, const RepeatedDraw& draw)
      : Order(key, size), draw_(draw) {}

  void Get(int64_t epoch, int64_t from, std::span<int64_t> ordinals) const override {
    const int64_t num_pieces = draw_.replacement ? 1 : size() / draw_.samples;
    Permutation(KeyOf(epoch / num_pieces), size())
        .Range(epoch % num_pieces * draw_.samples + from, ordinals);
  }

 private:
  const RepeatedDraw draw_;
};

// What was drawn for an epoch, in an order of its own.
class OrderedDraw final : public EpochOrder {
 public:
  OrderedDraw(std::unique_ptr<EpochOrder> drawn, std::unique_ptr<EpochOrder> order, int64_t samples)
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
  const std::unique_ptr<EpochOrder> drawn_;
  const std::unique_ptr<EpochOrder> order_;
  const int64_t samples_;
  mutable Mutex mutex_;
  mutable std::map<int64_t, std::vector<int64_t>> epochs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<EpochOrder> MakeDrawnOrder(const models::OrderSpec& spec, const RandomKey& key,
                                           int64_t size, const RepeatedDraw& draw) {
  RandomKey draw_key = key;
  draw_key.purpose = "repeated_draw";
  auto drawn = std::make_unique<Drawn>(draw_key, size, draw);
  if (std::holds_alternative<models::FullOrder>(spec)) return drawn;
  return std::make_unique<OrderedDraw>(std::move(drawn), MakeEpochOrder(spec, key, draw.samples),
                                       draw.samples);
}

std::unique_ptr<EpochOrder> MakeEpochOrder(const models::OrderSpec& spec, const RandomKey& key,
                                           int64_t size) {
  using Made = std::unique_ptr<EpochOrder>;
  return std::visit(
      Overloaded{
          [&](const models::NoOrder&) -> Made { return std::make_unique<InOrder>(key, size); },
          [&](const models::FullOrder&) -> Made { return std::make_unique<Full>(key, size); },
          [&](const models::BlockOrder& block) -> Made {
            return std::make_unique<Blocks>(block, key, size);
          },
          [&](const models::ReservoirOrder& reservoir) -> Made {
            return std::make_unique<Reservoir>(reservoir, key, size);
          }},
      spec);
}

}  // namespace tidemill::loader
