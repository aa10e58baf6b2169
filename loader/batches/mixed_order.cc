#include "loader/batches/mixed_order.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace tidemill::loader {
namespace {

// A share of a batch as far from a whole number as this is that number: what is left is rounding.
constexpr double kRounding = 1e-9;
// Streams of a source: its permutations and, after them, the places of its samples in a batch.
constexpr int64_t kMaxSources = 64;

class Mixed final : public models::EpochOrder {
 public:
  Mixed(std::shared_ptr<const SampleSources> sources, const RandomKey& key, int64_t batch_size,
        int64_t size)
      : sources_(std::move(sources)),
        seed_(key.seed),
        trigger_(key.trigger),
        batch_size_(batch_size),
        size_(size) {
    double total = 0;
    for (const SampleSources::Source& source : sources_->sources) {
      bounds_.push_back(total += source.weight);
    }
    for (double& bound : bounds_) bound /= total;
    bounds_.back() = 1;
  }

  void Get(int64_t epoch, int64_t from, std::span<int64_t> ordinals) const override
      ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    std::vector<int64_t>& whole = epochs_[epoch];
    if (whole.empty()) whole = OrdinalsOf(epoch);
    std::copy_n(whole.begin() + from, ordinals.size(), ordinals.begin());
    // Around the end of an epoch two are asked for in turn.
    while (epochs_.size() > 2) epochs_.erase(epochs_.begin());
  }

 private:
  using Source = SampleSources::Source;

  RandomKey KeyOf(std::string_view purpose, int64_t epoch) const {
    return {.seed = seed_, .purpose = purpose, .trigger = trigger_, .epoch = epoch};
  }

  std::vector<int64_t> OrdinalsOf(int64_t epoch) const {
    std::vector<uint8_t> turns(static_cast<size_t>(size_));
    if (sources_->mode == models::MixMode::kRandom) {
      DrawTurns(epoch, turns);
    } else {
      for (int64_t from = 0; from < size_; from += batch_size_) {
        const int64_t count = std::min(batch_size_, size_ - from);
        Stratify(epoch, from / batch_size_,
                 std::span(turns).subspan(static_cast<size_t>(from), static_cast<size_t>(count)));
      }
    }
    std::vector<int64_t> ordinals(turns.size());
    for (size_t source = 0; source < bounds_.size(); ++source) {
      Fill(epoch, source, turns, ordinals);
    }
    return ordinals;
  }

  void DrawTurns(int64_t epoch, std::span<uint8_t> turns) const {
    const RandomKey key = KeyOf("mix", epoch);
    for (size_t position = 0; position < turns.size(); ++position) {
      const double drawn = RandomUnit(key, static_cast<int64_t>(position));
      turns[position] =
          static_cast<uint8_t>(std::ranges::upper_bound(bounds_, drawn) - bounds_.begin());
    }
  }

  // Says which source each position of a batch belongs to.
  void Stratify(int64_t epoch, int64_t batch, std::span<uint8_t> turns) const {
    const double offset = RandomUnit(KeyOf("mix", epoch), batch);
    const RandomKey places = KeyOf("mix_places", epoch);
    std::vector<std::pair<double, uint8_t>> order;
    int64_t begin = 0;
    for (size_t source = 0; source < bounds_.size(); ++source) {
      const int64_t end = source + 1 == bounds_.size()
                              ? std::ssize(turns)
                              : BorderOf(source, std::ssize(turns), offset);
      const double phase = RandomUnit(places, batch * kMaxSources + static_cast<int64_t>(source));
      for (int64_t i = begin; i < end; ++i) {
        order.emplace_back(
            (static_cast<double>(i - begin) + phase) / static_cast<double>(end - begin),
            static_cast<uint8_t>(source));
      }
      begin = end;
    }
    std::ranges::sort(order);
    for (size_t i = 0; i < order.size(); ++i) turns[i] = order[i].second;
  }

  // How many samples of a batch belong to a source or to those before it.
  int64_t BorderOf(size_t source, int64_t count, double offset) const {
    double bound = bounds_[source] * static_cast<double>(count);
    if (const double whole = std::round(bound);
        std::abs(bound - whole) < kRounding * static_cast<double>(count)) {
      bound = whole;
    }
    return std::min(count, static_cast<int64_t>(std::floor(bound + offset)));
  }

  // Puts the samples of a source where it has its turns.
  void Fill(int64_t epoch, size_t source, std::span<const uint8_t> turns,
            std::span<int64_t> ordinals) const {
    const std::vector<int64_t>& own = sources_->sources[source].ordinals;
    std::vector<int64_t> places(own.size());
    int64_t round = 0;
    size_t next = places.size();
    for (size_t position = 0; position < turns.size(); ++position) {
      if (turns[position] != source) continue;
      if (next == places.size()) {
        RandomKey key = KeyOf("mix", epoch);
        // Negative ordinals below a permutation's own are no one else's.
        key.seed = static_cast<int64_t>(
            RandomBits(key, -1000 - (round++ * kMaxSources + static_cast<int64_t>(source))));
        Permutation(key, std::ssize(own)).Range(0, places);
        next = 0;
      }
      ordinals[position] = own[static_cast<size_t>(places[next++])];
    }
  }

  const std::shared_ptr<const SampleSources> sources_;  // Shared with the plan.
  const int64_t seed_;
  const int64_t trigger_;
  const int64_t batch_size_;
  const int64_t size_;
  std::vector<double> bounds_;  // By source: the shares of it and those before it.
  mutable Mutex mutex_;
  mutable std::map<int64_t, std::vector<int64_t>> epochs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<models::EpochOrder> MakeMixedOrder(std::shared_ptr<const SampleSources> sources,
                                                   const RandomKey& key, int64_t batch_size,
                                                   int64_t size) {
  return std::make_unique<Mixed>(std::move(sources), key, batch_size, size);
}

}  // namespace tidemill::loader
