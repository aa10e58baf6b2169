#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "selector/key_column.h"
#include "selector/policies/lots.h"
#include "selector/policies/policies.h"

namespace tidemill::selector {
namespace {

constexpr size_t kPartKeys = 16'384;
constexpr size_t kPartsInWave = 16;
constexpr size_t kWeightsInPiece = 65'536;
// Standard deviations by which a number of lots may differ from its expectation. That it differs by
// more has a probability of 10^-32.
constexpr double kDeviations = 12;
// Keeps the bounds apart where expectations are small.
constexpr double kSlack = 64;

int64_t NumDrawn(const Uniform& spec, int64_t available) {
  if (available == 0) return 0;
  if (spec.samples) return std::min(*spec.samples, available);
  const int64_t share = std::llround(*spec.fraction * static_cast<double>(available));
  return std::clamp(share, int64_t{1}, available);
}

// The k smallest lots, without a candidate in memory that cannot be among them: after n candidates
// a lot far above k(n) / n is out, since that bound only sinks as more come.
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
    const int64_t drawn = NumDrawn(spec_, seen_);
    const bool weighted = spec_.weights == Weighting::kInverseProbability && drawn < seen_;
    RETURN_IF_ERROR(into_.Open(weighted));
    ASSIGN_OR_RETURN(const Lot last, LastDrawn(drawn));
    RETURN_IF_ERROR(kept_.ForEach(0, [&](std::span<const int64_t> keys) -> absl::Status {
      for (; !keys.empty(); keys = keys.subspan(std::min(keys.size(), wave_.size()))) {
        const auto piece = keys.first(std::min(keys.size(), wave_.size()));
        const size_t count = KeepUpTo(last, random_, piece, wave_.data());
        RETURN_IF_ERROR(into_.AddKeys(std::span(wave_).first(count)));
      }
      return absl::OkStatus();
    }));
    return weighted ? AddWeights(drawn) : absl::OkStatus();
  }

 private:
  absl::Status AddWave(std::span<const int64_t> keys) {
    seen_ += std::ssize(keys);
    const auto drawn = static_cast<double>(NumDrawn(spec_, seen_));
    bound_ = std::min(bound_, LotAtShare(drawn + kDeviations * std::sqrt(drawn) + kSlack,
                                         static_cast<double>(seen_)));
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
    const double low = expected - kDeviations * std::sqrt(expected) - kSlack;
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

  absl::Status AddWeights(int64_t drawn) {
    const double weight = static_cast<double>(seen_) / static_cast<double>(drawn);
    const std::vector<float> piece(kWeightsInPiece, static_cast<float>(weight));
    for (int64_t left = drawn; left > 0; left -= kWeightsInPiece) {
      const auto count = std::min(static_cast<size_t>(left), kWeightsInPiece);
      RETURN_IF_ERROR(into_.AddWeights(std::span(piece).first(count)));
    }
    return absl::OkStatus();
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

}  // namespace

std::unique_ptr<Chooser> MakeChooser(const Uniform& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  return std::make_unique<UniformChooser>(spec, random, workplace, into);
}

}  // namespace tidemill::selector
