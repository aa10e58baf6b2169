#include "selector/choosing/grouped_draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/numbers/random.h"

namespace tidemill::selector {
namespace {

constexpr size_t kPiece = 1024;
constexpr size_t kWeightsInPiece = 65'536;
// No lot is at most this one.
constexpr Lot kNoLot{0, std::numeric_limits<int64_t>::min()};

// About how many lots are in the band around the last of `quota`.
double BandSize(int64_t quota, int64_t count) {
  const double expected = 2 * DeviationOfLots(static_cast<double>(quota));
  return std::min(expected, static_cast<double>(count));
}

}  // namespace

GroupedDraw::GroupedDraw(const RandomKey& random, const Workplace& workplace,
                         std::optional<int64_t> most_of_a_group)
    : random_(random),
      memory_budget_(workplace.memory_budget),
      most_of_a_group_(most_of_a_group),
      kept_(workplace.folder, workplace.memory_budget) {}

void GroupedDraw::Count(std::span<const int64_t> groups) {
  for (const int64_t group : groups) {
    const auto place = static_cast<size_t>(group);
    if (place >= counts_.size()) {
      counts_.resize(place + 1);
      bounds_.resize(place + 1, kGreatestLot);
      bounded_at_.resize(place + 1);
    }
    const int64_t count = ++counts_[place];
    // The bound never rises.
    if (!most_of_a_group_ || count < 2 * bounded_at_[place] || count < *most_of_a_group_) continue;
    bounded_at_[place] = count;
    const auto most = static_cast<double>(*most_of_a_group_);
    bounds_[place] = LotAtShare(most + DeviationOfLots(most), static_cast<double>(count));
  }
}

absl::Status GroupedDraw::Add(std::span<const int64_t> keys, std::span<const int64_t> groups) {
  num_candidates_ += std::ssize(keys);
  Count(groups);
  std::array<uint64_t, kPiece> bits;
  std::array<int64_t, 2 * kPiece> kept;
  for (size_t from = 0; from < keys.size(); from += kPiece) {
    const auto some = keys.subspan(from, std::min(kPiece, keys.size() - from));
    if (most_of_a_group_) RandomBits(random_, some, bits);
    size_t count = 0;
    for (size_t i = 0; i < some.size(); ++i) {
      const int64_t group = groups[from + i];
      if (most_of_a_group_ && Lot{bits[i], some[i]} > bounds_[static_cast<size_t>(group)]) continue;
      kept[count++] = some[i];
      kept[count++] = group;
    }
    RETURN_IF_ERROR(kept_.Append(std::span(kept).first(count)));
  }
  return absl::OkStatus();
}

template <typename Body>
absl::Status GroupedDraw::ForEach(Body&& body) const {
  std::array<int64_t, kPiece> keys;
  std::array<uint64_t, kPiece> bits;
  // Pieces hold whole pairs, since blocks of a KeyColumn have an even length.
  return kept_.ForEach(0, [&](std::span<const int64_t> pairs) -> absl::Status {
    while (!pairs.empty()) {
      const size_t count = std::min(kPiece, pairs.size() / 2);
      for (size_t i = 0; i < count; ++i) keys[i] = pairs[2 * i];
      RandomBits(random_, std::span(keys).first(count), bits);
      for (size_t i = 0; i < count; ++i) body(keys[i], pairs[2 * i + 1], Lot{bits[i], keys[i]});
      pairs = pairs.subspan(2 * count);
    }
    return absl::OkStatus();
  });
}

// Groups are looked at in portions whose lots around the last ones fit into memory.
absl::StatusOr<std::vector<Lot>> GroupedDraw::LastLots(std::span<const int64_t> quotas) const {
  std::vector<Lot> last(counts_.size(), kNoLot);
  std::vector<Band> bands;
  const double room = static_cast<double>(memory_budget_) / 2 / sizeof(Lot);
  double needed = 0;
  for (size_t group = 0; group < counts_.size(); ++group) {
    const auto quota = static_cast<double>(quotas[group]);
    const auto count = static_cast<double>(counts_[group]);
    Band band{.from = kGreatestLot, .to = kNoLot};  // The band of groups that need no look.
    if (quotas[group] == counts_[group]) {
      last[group] = kGreatestLot;
    } else if (quotas[group] > 0) {
      const double deviation = DeviationOfLots(quota);
      band.from = quota > deviation ? LotAtShare(quota - deviation, count) : Lot{};
      band.to = LotAtShare(quota + deviation, count);
      needed += BandSize(quotas[group], counts_[group]);
    }
    bands.push_back(std::move(band));
    if (needed > room || group + 1 == counts_.size()) {
      if (needed > 0) RETURN_IF_ERROR(FindIn(bands, group + 1 - bands.size(), quotas, last));
      bands.clear();
      needed = 0;
    }
  }
  return last;
}

absl::Status GroupedDraw::FindIn(std::vector<Band>& bands, size_t first_group,
                                 std::span<const int64_t> quotas, std::vector<Lot>& last) const {
  RETURN_IF_ERROR(ForEach([&](int64_t, int64_t group, const Lot& lot) {
    const size_t place = static_cast<size_t>(group) - first_group;
    if (static_cast<size_t>(group) < first_group || place >= bands.size()) return;
    Band& band = bands[place];
    if (lot < band.from) {
      ++band.below;
    } else if (lot <= band.to) {
      band.lots.push_back(lot);
    }
  }));
  for (size_t i = 0; i < bands.size(); ++i) {
    Band& band = bands[i];
    if (band.to == kNoLot) continue;
    const int64_t rank = quotas[first_group + i] - band.below - 1;
    if (rank < 0 || rank >= std::ssize(band.lots)) {
      return Internal("the lots of {} candidates are not uniform", counts_[first_group + i]);
    }
    std::nth_element(band.lots.begin(), band.lots.begin() + rank, band.lots.end());
    last[first_group + i] = band.lots[static_cast<size_t>(rank)];
  }
  return absl::OkStatus();
}

absl::Status GroupedDraw::Draw(const GroupQuotas& quotas, TrainingSetWriter& into) {
  RETURN_IF_ERROR(into.Open(!quotas.weights.empty()));
  ASSIGN_OR_RETURN(const std::vector<Lot> last, LastLots(quotas.quotas));
  std::vector<int64_t> keys, noted;
  absl::Status written;
  const auto flush = [&] {
    written.Update(into.AddKeys(keys));
    if (quotas.noted != nullptr) quotas.noted->Add(noted);
    keys.clear();
    noted.clear();
  };
  RETURN_IF_ERROR(ForEach([&](int64_t key, int64_t group, const Lot& lot) {
    if (lot > last[static_cast<size_t>(group)]) return;
    keys.push_back(key);
    if (quotas.noted != nullptr && group == quotas.noted_group) noted.push_back(key);
    if (keys.size() >= kWeightsInPiece) flush();
  }));
  flush();
  RETURN_IF_ERROR(written);
  if (quotas.weights.empty()) return absl::OkStatus();
  std::vector<float> weights;
  RETURN_IF_ERROR(ForEach([&](int64_t, int64_t group, const Lot& lot) {
    const auto place = static_cast<size_t>(group);
    if (lot > last[place]) return;
    weights.push_back(static_cast<float>(quotas.weights[place]));
    if (weights.size() < kWeightsInPiece) return;
    written.Update(into.AddWeights(weights));
    weights.clear();
  }));
  RETURN_IF_ERROR(written);
  return into.AddWeights(weights);
}

}  // namespace tidemill::selector
