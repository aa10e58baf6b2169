#include "selector/policies/reservoir.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/numbers/random.h"
#include "selector/choosing/chooser.h"
#include "selector/policies/uniform.h"
#include "subsets/draws/bottom_k.h"

namespace tidemill::selector {
namespace {

constexpr size_t kRowsAtATime = 1024;

// The samples with the smallest decayed ranks, which do not depend on the time now: what is in the
// reservoir stays until newcomers have smaller ones.
class DecayedReservoir final : public Chooser {
 public:
  DecayedReservoir(const Reservoir& spec, const RandomKey& random, TrainingSetWriter& into)
      : half_life_(spec.half_life->micros), random_(random), smallest_(spec.samples), into_(into) {}

  absl::Status Add(const Candidates& candidates) override {
    std::array<uint64_t, kRowsAtATime> bits;
    for (size_t from = 0; from < candidates.keys.size(); from += kRowsAtATime) {
      const auto keys =
          candidates.keys.subspan(from, std::min(kRowsAtATime, candidates.keys.size() - from));
      RandomBits(random_, keys, bits);
      for (size_t i = 0; i < keys.size(); ++i) {
        const int64_t time = candidates.event_times[from + i];
        smallest_.Add({.rank = subsets::DecayedRank(time, half_life_, bits[i]),
                       .bits = bits[i],
                       .id = keys[i],
                       .row = num_seen_++});
      }
    }
    return absl::OkStatus();
  }

  absl::Status Finish() override {
    std::vector<subsets::RankedRow> rows = smallest_.Take();
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
    std::vector<int64_t> keys;
    keys.reserve(rows.size());
    for (const subsets::RankedRow& row : rows) keys.push_back(row.id);
    RETURN_IF_ERROR(into_.Open(/*weighted=*/false));
    return into_.AddKeys(keys);
  }

 private:
  const int64_t half_life_;
  const RandomKey random_;
  int64_t num_seen_ = 0;
  subsets::BottomK smallest_;
  TrainingSetWriter& into_;
};

}  // namespace

std::unique_ptr<Chooser> MakeChooser(const Reservoir& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  // The same stream at every trigger, so that few samples change from one to the next.
  const RandomKey of_all_triggers{.seed = random.seed, .purpose = "reservoir"};
  if (spec.half_life) return std::make_unique<DecayedReservoir>(spec, of_all_triggers, into);
  Uniform draw;
  draw.samples = spec.samples;
  return MakeChooser(draw, of_all_triggers, workplace, into);
}

}  // namespace tidemill::selector
