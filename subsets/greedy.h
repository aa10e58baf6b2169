// Greedily maximises a set function: it repeatedly takes the row with the greatest gain. Among
// equal gains, it takes the lower row.
//
// A function is a class with
//   int64_t size() const;                      // Its rows are [0, size).
//   void Gains(std::span<const int64_t> rows, std::span<double> gains) const;  // f(S + row) - f(S)
//   void Add(int64_t row);                     // S += row.
// See set_functions.h. Gains are requested in batches, so that a function can share the work among
// threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "base/numbers/random.h"

namespace tidemill::subsets {

enum class Search {
  kNaive,  // Requests all gains at each step.
  // Recomputes a gain only when its earlier value, which bounds the current one, might be the
  // greatest (Minoux, 1978). It chooses the same rows as kNaive when computed gains never increase,
  // as in set_functions.h.
  kLazy,
  // As kLazy, but takes a row as soon as its gain is `near` times that bound (DeepCore's
  // "approximate lazy").
  kApproximateLazy,
  // At each step, looks at (n / k) log(1 / epsilon) rows drawn uniformly from the remaining ones.
  // The result is within 1 - 1/e - epsilon of the best in expectation (Mirzasoleiman et al., Lazier
  // than lazy greedy, AAAI 2015).
  kStochastic,
};

struct GreedyOptions {
  Search search = Search::kLazy;
  double epsilon = 0.1;
  double near = 0.9;
  RandomKey random = {};  // For kStochastic.
  // Whether to stop when no gain is above zero, for functions that are not monotone.
  bool only_gains = false;
};

struct GreedyResult {
  std::vector<int64_t> rows;  // In the order of the choice.
  std::vector<double> gains;  // The gain of each row when it was chosen. Their sum is f(S).
  int64_t num_evaluations = 0;

  double value() const { return std::accumulate(gains.begin(), gains.end(), 0.0); }
};

namespace internal {

template <typename Function>
class GreedySearcher {
 public:
  GreedySearcher(Function& function, int64_t k, const GreedyOptions& options)
      : function_(function), k_(std::min(k, function.size())), options_(options) {
    left_.resize(static_cast<size_t>(function.size()));
    std::iota(left_.begin(), left_.end(), int64_t{0});
  }

  GreedyResult Run() {
    const bool lazy =
        options_.search == Search::kLazy || options_.search == Search::kApproximateLazy;
    if (lazy && k_ > 0) RankAll();
    while (std::ssize(result_.rows) < k_) {
      const Candidate best = lazy ? BestByBounds() : BestOfLot();
      if (options_.only_gains && !(best.gain > 0)) break;
      result_.rows.push_back(best.row);
      result_.gains.push_back(best.gain);
      function_.Add(best.row);
    }
    return std::move(result_);
  }

 private:
  struct Candidate {
    double gain = 0;
    int64_t row = 0;
    int64_t step = 0;  // The step at which the gain was computed.
    // The better candidate is the greater one.
    bool operator<(const Candidate& other) const {
      return gain != other.gain ? gain < other.gain : row > other.row;
    }
  };

  int64_t step() const { return std::ssize(result_.rows); }

  double GainOf(int64_t row) {
    double gain = 0;
    function_.Gains({&row, 1}, {&gain, 1});
    ++result_.num_evaluations;
    return gain;
  }

  void RankAll() {
    std::vector<double> gains(left_.size());
    function_.Gains(left_, gains);
    result_.num_evaluations += std::ssize(left_);
    std::vector<Candidate> candidates(left_.size());
    for (size_t i = 0; i < left_.size(); ++i) candidates[i] = {gains[i], left_[i], 0};
    bounds_ = std::priority_queue<Candidate>(std::less<Candidate>(), std::move(candidates));
  }

  Candidate BestByBounds() {
    const double near = options_.search == Search::kApproximateLazy ? options_.near : 1;
    while (true) {
      Candidate top = bounds_.top();
      bounds_.pop();
      if (top.step == step()) return top;
      const double bound = top.gain;
      top = {GainOf(top.row), top.row, step()};
      if (near < 1 && bound > 0 && top.gain >= near * bound) return top;
      bounds_.push(top);
    }
  }

  // Moves the rows to look at to the front of the remaining ones.
  int64_t DrawLot() {
    const int64_t count = std::ssize(left_);
    if (options_.search != Search::kStochastic) return count;
    const double share = static_cast<double>(function_.size()) / static_cast<double>(k_);
    const double lot = std::ceil(share * std::log(1 / options_.epsilon));
    const auto drawn = static_cast<int64_t>(std::clamp(lot, 1.0, static_cast<double>(count)));
    for (int64_t i = 0; i < drawn; ++i) {
      const double unit = RandomUnit(options_.random, num_drawn_++);
      const auto offset = static_cast<int64_t>(unit * static_cast<double>(count - i));
      std::swap(left_[static_cast<size_t>(i)], left_[static_cast<size_t>(i + offset)]);
    }
    return drawn;
  }

  Candidate BestOfLot() {
    const auto lot = std::span(left_).first(static_cast<size_t>(DrawLot()));
    gains_.resize(lot.size());
    function_.Gains(lot, gains_);
    result_.num_evaluations += std::ssize(lot);
    size_t best = 0;
    for (size_t i = 1; i < lot.size(); ++i) {
      if (Candidate{gains_[best], lot[best]} < Candidate{gains_[i], lot[i]}) best = i;
    }
    const Candidate found{gains_[best], lot[best], step()};
    std::swap(left_[best], left_.back());
    left_.pop_back();
    return found;
  }

  Function& function_;
  const int64_t k_;
  const GreedyOptions options_;
  std::vector<int64_t> left_;
  std::vector<double> gains_;
  std::priority_queue<Candidate> bounds_;
  int64_t num_drawn_ = 0;
  GreedyResult result_;
};

}  // namespace internal

// Chooses k rows, or all when there are fewer. The function must hold no row before. It holds the
// chosen rows afterwards.
template <typename Function>
GreedyResult Maximise(Function& function, int64_t k, const GreedyOptions& options = {}) {
  return internal::GreedySearcher<Function>(function, k, options).Run();
}

}  // namespace tidemill::subsets
