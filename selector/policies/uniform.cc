#include "selector/policies/uniform.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "selector/choosing/chooser.h"
#include "selector/choosing/grouped_draw.h"
#include "selector/choosing/lots.h"
#include "selector/columns/key_column.h"

namespace tidemill::selector {
namespace {

constexpr size_t kPartKeys = 16'384;
constexpr size_t kPartsInWave = 16;

// The k smallest lots, without a candidate in memory that cannot be among them: after n candidates
// a lot far above k(n) / n is out, since that bound only falls as more samples come.
class UniformChooser final : public Chooser {
 public:
  UniformChooser(const Uniform& spec, const RandomKey& random, const Workplace& workplace,
                 TrainingSetWriter& into)
      : spec_(spec),
        random_(random),
        workplace_(workplace),
        into_(into),
        kept_(workplace.folder, workplace.memory_budget),
        wave_(kPartKeys * kPartsInWave) {}

  absl::Status Add(const Candidates& candidates) override {
    for (std::span<const int64_t> keys = candidates.keys; !keys.empty();) {
      const auto wave = keys.first(std::min(keys.size(), wave_.size()));
      RETURN_IF_ERROR(AddWave(wave));
      keys = keys.subspan(wave.size());
    }
    return absl::OkStatus();
  }

  absl::Status Finish() override {
    const int64_t drawn = spec_.Target(seen_);
    RETURN_IF_ERROR(into_.Open(/*weighted=*/false));
    ASSIGN_OR_RETURN(const Lot last, LastDrawn(drawn));
    return kept_.ForEach(0, [&](std::span<const int64_t> keys) -> absl::Status {
      for (; !keys.empty(); keys = keys.subspan(std::min(keys.size(), wave_.size()))) {
        const auto piece = keys.first(std::min(keys.size(), wave_.size()));
        const size_t count = KeepUpTo(last, random_, piece, wave_.data());
        RETURN_IF_ERROR(into_.AddKeys(std::span(wave_).first(count)));
      }
      return absl::OkStatus();
    });
  }

 private:
  absl::Status AddWave(std::span<const int64_t> keys) {
    seen_ += std::ssize(keys);
    const auto drawn = static_cast<double>(spec_.Target(seen_));
    bound_ =
        std::min(bound_, LotAtShare(drawn + DeviationOfLots(drawn), static_cast<double>(seen_)));
    if (bound_ == kGreatestLot) return kept_.Append(keys);
    const size_t num_parts = (keys.size() + kPartKeys - 1) / kPartKeys;
    std::array<size_t, kPartsInWave> counts = {};
    const auto keep = [&](int64_t part) {
      const size_t from = static_cast<size_t>(part) * kPartKeys;
      const auto mine = keys.subspan(from, std::min(keys.size() - from, kPartKeys));
      counts[static_cast<size_t>(part)] = KeepUpTo(bound_, random_, mine, wave_.data() + from);
    };
    if (workplace_.pool != nullptr && num_parts > 1) {
      workplace_.pool->ParallelFor(static_cast<int64_t>(num_parts), keep);
    } else {
      for (size_t part = 0; part < num_parts; ++part) keep(static_cast<int64_t>(part));
    }
    for (size_t part = 0; part < num_parts; ++part) {
      RETURN_IF_ERROR(kept_.Append(std::span(wave_).subspan(part * kPartKeys, counts[part])));
    }
    return absl::OkStatus();
  }

  // The greatest lot among the `drawn` smallest. Only those near to it are held and ranked.
  absl::StatusOr<Lot> LastDrawn(int64_t drawn) const {
    if (drawn == seen_) return kGreatestLot;
    const auto expected = static_cast<double>(drawn);
    const double low = expected - DeviationOfLots(expected);
    Lot from = low > 0 ? LotAtShare(low, static_cast<double>(seen_)) : Lot{};
    std::vector<Lot> band;
    while (true) {
      int64_t below = 0;
      RETURN_IF_ERROR(kept_.ForEach(0, [&](std::span<const int64_t> keys) {
        below += CollectBand(from, bound_, random_, keys, band);
        return absl::OkStatus();
      }));
      const int64_t rank = drawn - below - 1;
      if (rank >= 0 && rank < std::ssize(band)) {
        std::nth_element(band.begin(), band.begin() + rank, band.end());
        return band[static_cast<size_t>(rank)];
      }
      if (from == Lot{}) return Internal("the lots of {} candidates are not uniform", seen_);
      from = Lot{};
      band.clear();
    }
  }

  const Uniform spec_;
  const RandomKey random_;
  const Workplace workplace_;
  TrainingSetWriter& into_;
  int64_t seen_ = 0;
  Lot bound_ = kGreatestLot;
  KeyColumn kept_;
  std::vector<int64_t> wave_;
};

// A draw in rounds: samples that the current round has not had come first, and when they are too
// few, a new round begins with what is short.
class RoundsChooser final : public Chooser {
 public:
  RoundsChooser(const Uniform& spec, const RandomKey& random, const Workplace& workplace,
                TrainingSetWriter& into)
      : spec_(spec),
        in_round_(workplace.chosen_in_round),
        draw_(random, workplace, spec.samples),
        into_(into) {}

  absl::Status Add(const Candidates& candidates) override {
    had_.assign(candidates.keys.size(), 0);
    if (in_round_ != nullptr) in_round_->Contains(candidates.keys, had_.data());
    const std::vector<int64_t> groups(had_.begin(), had_.end());
    return draw_.Add(candidates.keys, groups);
  }

  absl::Status Finish() override {
    const auto counts = draw_.counts();
    const int64_t num_fresh = counts.empty() ? 0 : counts[0];
    const int64_t target = spec_.Target(draw_.num_candidates());
    const int64_t from_fresh = std::min(target, num_fresh);
    GroupQuotas quotas{.quotas = {from_fresh, target - from_fresh}};
    quotas.quotas.resize(counts.size());
    if (target > from_fresh) {
      notes_.new_round = round_;
      notes_.remarks.push_back(
          fmt::format("every candidate had been chosen once, so {} samples came from a new round",
                      target - from_fresh));
      quotas.noted = round_.get();
      quotas.noted_group = 1;
    }
    return draw_.Draw(quotas, into_);
  }

  ChoiceNotes notes() const override { return notes_; }

 private:
  const Uniform spec_;
  const ChosenKeys* const in_round_;
  GroupedDraw draw_;
  TrainingSetWriter& into_;
  std::vector<uint8_t> had_;
  const std::shared_ptr<ChosenKeys> round_ = std::make_shared<ChosenKeys>();
  ChoiceNotes notes_;
};

}  // namespace

std::unique_ptr<Chooser> MakeChooser(const Uniform& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  if (!spec.reuse) return std::make_unique<RoundsChooser>(spec, random, workplace, into);
  return std::make_unique<UniformChooser>(spec, random, workplace, into);
}

}  // namespace tidemill::selector
