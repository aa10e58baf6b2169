// choices.py in C++.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/plugin.hpp"

namespace {

// The built-in policy `uniform`, as a plug-in.
class UniformShare : public tidemill::plugin::Selection {
 public:
  static constexpr const char* kDoc = "The built-in policy `uniform`, as a plug-in.";
  static constexpr const char* kVersion = "1.0";

  Number fraction{*this, "fraction", "Share of the candidates.", 0.1, {.min = 0, .max = 1}};

  bool IsUnbiased() const override { return true; }

  Chosen Add(const Candidates& candidates) override {
    const auto keys = candidates.keys();
    const int64_t first = std::exchange(seen_, seen_ + static_cast<int64_t>(keys.size()));
    // A lot far above the share of lots that are drawn cannot be among them.
    const auto wanted = static_cast<double>(ShareOf(seen_));
    const double share = (wanted + 12 * std::sqrt(wanted) + 64) / static_cast<double>(seen_);
    if (share < 1) bound_ = std::min(bound_, static_cast<uint64_t>(std::ldexp(share, 64)));
    std::array<uint64_t, 1024> bits;
    std::array<uint32_t, 1024> below;
    for (size_t from = 0; from < keys.size(); from += bits.size()) {
      const auto some = keys.subspan(from, std::min(bits.size(), keys.size() - from));
      for (size_t i = 0; i < some.size(); ++i) bits[i] = lots()(some[i]);
      // Without a branch: whether a key is kept cannot be foreseen.
      size_t count = 0;
      for (size_t i = 0; i < some.size(); ++i) {
        below[count] = static_cast<uint32_t>(i);
        count += bits[i] <= bound_ ? 1 : 0;
      }
      for (const uint32_t i : std::span(below).first(count)) {
        kept_.push_back({bits[i], some[i], first + static_cast<int64_t>(from + i)});
      }
    }
    return {};
  }

  Chosen Choose(const Wanted& asked) override {
    const auto wanted = static_cast<size_t>(ShareOf(asked.num_candidates));
    if (wanted < kept_.size()) {
      const auto rank = static_cast<ptrdiff_t>(wanted) - 1;
      std::vector<uint64_t> ranked(kept_.size());
      std::ranges::transform(kept_, ranked.begin(), &Kept::lot);
      std::nth_element(ranked.begin(), ranked.begin() + rank, ranked.end());
      DropAbove(ranked[wanted - 1], wanted);
    }
    Chosen chosen;
    chosen.rows.reserve(kept_.size());
    for (const Kept& kept : kept_) chosen.rows.push_back(kept.row);
    return chosen;
  }

 private:
  struct Kept {
    uint64_t lot = 0;
    int64_t key = 0;
    int64_t row = 0;
  };

  // Keeps the `wanted` smallest lots, of which `last` is the greatest; of equal ones the smaller
  // keys.
  void DropAbove(uint64_t last, size_t wanted) {
    std::vector<int64_t> tied;
    for (const Kept& kept : kept_) {
      if (kept.lot == last) tied.push_back(kept.key);
    }
    std::ranges::sort(tied);
    const auto below = static_cast<size_t>(
        std::ranges::count_if(kept_, [&](const Kept& kept) { return kept.lot < last; }));
    const int64_t last_key = tied[wanted - below - 1];
    std::erase_if(kept_, [&](const Kept& kept) {
      return kept.lot > last || (kept.lot == last && kept.key > last_key);
    });
  }

  int64_t ShareOf(int64_t num_candidates) const {
    const int64_t share = std::llround(fraction * static_cast<double>(num_candidates));
    return std::clamp(share, int64_t{1}, num_candidates);
  }

  int64_t seen_ = 0;
  uint64_t bound_ = std::numeric_limits<uint64_t>::max();
  std::vector<Kept> kept_;
};
TIDEMILL_PLUGIN(UniformShare);

class Facts : public tidemill::plugin::Selection {
 public:
  static constexpr const char* kDoc = "Chooses by everything that a policy can look at.";

  std::vector<std::string> LooksAt() const override {
    return {"event_times", "labels", "embeddings", "predictions", "column:price", "column:size"};
  }

  Chosen Add(const Candidates& candidates) override {
    Chosen chosen;
    for (size_t i = 0; i < candidates.rows(); ++i) {
      double sum = static_cast<double>(candidates.event_times()[i] % 7 + candidates.labels()[i]);
      for (const float value : candidates.embeddings()[i]) sum += value;
      for (const float value : candidates.predictions()[i]) sum += value;
      sum += candidates.column("price")[i] + 2 * candidates.column("size")[i];
      if (static_cast<int64_t>(sum) % 3 != 0) continue;
      chosen.rows.push_back(seen_ + static_cast<int64_t>(i));
      chosen.weights.push_back(static_cast<float>(sum));
    }
    seen_ += static_cast<int64_t>(candidates.rows());
    return chosen;
  }
  Chosen Choose(const Wanted&) override { return {}; }

 private:
  int64_t seen_ = 0;
};
TIDEMILL_PLUGIN(Facts);

class FaultyChoice : public tidemill::plugin::Selection {
 public:
  static constexpr const char* kDoc = "Does wrong.";

  Text how{*this, "how", "What it does wrong.", "throw"};

  Chosen Add(const Candidates&) override {
    if (*how == "throw") throw std::runtime_error("thrown on purpose");
    if (*how == "exit") _exit(3);
    volatile bool loops = *how == "loop";
    while (loops) continue;
    return {};
  }

  Chosen Choose(const Wanted& wanted) override {
    const float infinite = std::numeric_limits<float>::infinity();
    if (*how == "throw_late") throw std::runtime_error("thrown on purpose");
    if (*how == "descending") return {.rows = {2, 1}};
    if (*how == "beyond") return {.rows = {wanted.num_candidates}};
    if (*how == "negative_row") return {.rows = {-1}};
    if (*how == "negative_weight") return {.rows = {0, 1}, .weights = {1, -1}};
    if (*how == "no_weight") return {.rows = {0, 1}, .weights = {0, 0}};
    if (*how == "not_finite") return {.rows = {0, 1}, .weights = {1, infinite}};
    if (*how == "never_done") return {.has_more = true};
    if (*how == "some_weights") {
      if (has_chosen_) return {.rows = {1}};
      has_chosen_ = true;
      return {.rows = {0}, .weights = {1.5F}, .has_more = true};
    }
    Chosen chosen;
    for (int64_t row = 0; *how == "target" && row < wanted.target.value(); ++row) {
      chosen.rows.push_back(row);
    }
    return chosen;
  }

 private:
  bool has_chosen_ = false;
};
TIDEMILL_PLUGIN(FaultyChoice);

}  // namespace
