// A selection policy: on which samples to train.
//
//   g++ -std=c++20 -O2 -shared -fPIC FILE_NAME.cpp -o FILE_NAME.so
//   selection: {type: plugin, use: "FILE_NAME.so:CLASS_NAME", with: {samples: 1000}, over: all}
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tidemill/plugin.hpp"

class CLASS_NAME : public tidemill::plugin::Selection {
 public:
  static constexpr const char* kDoc = "Draws samples uniformly.";
  static constexpr const char* kVersion = "0.1";

  // What `with` may say.
  Integer samples{*this, "samples", "Samples to choose.", 1000, {.min = 1}};

  // Whether weights keep the loss over the chosen samples that over all candidates, on average.
  bool IsUnbiased() const override { return true; }

  // What it looks at in candidates beside their keys.
  std::vector<std::string> LooksAt() const override { return {}; }

  // Takes some candidates. Keeps those with the smallest lots.
  Chosen Add(const Candidates& candidates) override {
    for (const int64_t key : candidates.keys()) {
      kept_.emplace_back(lots()(key), seen_++);
      std::push_heap(kept_.begin(), kept_.end());
      if (static_cast<int64_t>(kept_.size()) <= samples) continue;
      std::pop_heap(kept_.begin(), kept_.end());
      kept_.pop_back();
    }
    return {};
  }

  // The rows that are chosen, counted from the first candidate.
  Chosen Choose(const Wanted&) override {
    Chosen chosen;
    for (const auto& [lot, row] : kept_) chosen.rows.push_back(row);
    std::sort(chosen.rows.begin(), chosen.rows.end());
    return chosen;
  }

 private:
  int64_t seen_ = 0;
  // Lots and rows, the greatest lot first.
  std::vector<std::pair<uint64_t, int64_t>> kept_;
};
TIDEMILL_PLUGIN(CLASS_NAME);
