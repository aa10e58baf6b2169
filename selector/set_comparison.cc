#include "selector/set_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "selector/columns/chosen_keys.h"
#include "selector/histograms.h"

namespace tidemill::selector {
namespace {

using Response = v1::CompareTrainingSetsResponse;

// In the first set only, in the second only, in both.
constexpr size_t kNumSides = 3;
constexpr size_t kBoth = 2;

void SetCount(size_t side, int64_t count, Response::Counts& counts) {
  if (side == 0) {
    counts.set_num_only_first(counts.num_only_first() + count);
  } else if (side == 1) {
    counts.set_num_only_second(counts.num_only_second() + count);
  } else {
    counts.set_num_both(counts.num_both() + count);
  }
}

// Takes the dataset's samples in the order of the stream.
class Comparison {
 public:
  Comparison(const ChosenKeys& first, const ChosenKeys& second) : first_(first), second_(second) {}

  void Add(const Candidates& samples) {
    in_first_.resize(samples.keys.size());
    in_second_.resize(samples.keys.size());
    first_.Contains(samples.keys, in_first_.data());
    second_.Contains(samples.keys, in_second_.data());
    for (size_t i = 0; i < samples.keys.size(); ++i) {
      if (in_first_[i] + in_second_[i] == 0) continue;
      const size_t side = in_first_[i] == 0 ? 1 : (in_second_[i] == 0 ? 0 : kBoth);
      classes_[side].Add(samples.labels[i]);
      all_classes_.Add(samples.labels[i]);
      times_.Add(samples.event_times.subspan(i, 1), side);
      ++num_found_;
    }
  }

  int64_t num_found() const { return num_found_; }

  void Fill(Response& response) const {
    const std::vector<int64_t> labels = all_classes_.Labels();
    Response::ClassCounts* entry = nullptr;
    for (size_t i = 0; i < labels.size(); ++i) {
      if (i < kMaxClasses) {
        entry = response.add_classes();
        if (i + 1 == kMaxClasses && labels.size() > kMaxClasses) {
          entry->set_is_rest(true);
        } else if (labels[i] != kNoClass) {
          entry->set_class_label(labels[i]);
        }
      }
      for (size_t side = 0; side < kNumSides; ++side) {
        SetCount(side, classes_[side].Of(labels[i]), *entry->mutable_counts());
      }
    }
    for (const TimeCounts::Interval& interval : times_.Intervals()) {
      Response::TimeCounts& count = *response.add_times();
      count.set_from(interval.from);
      count.set_to(interval.to);
      for (size_t side = 0; side < kNumSides; ++side) {
        SetCount(side, interval.counts[side], *count.mutable_counts());
      }
    }
  }

 private:
  const ChosenKeys& first_;
  const ChosenKeys& second_;
  std::vector<uint8_t> in_first_;
  std::vector<uint8_t> in_second_;
  int64_t num_found_ = 0;
  ClassCounts all_classes_;
  std::vector<ClassCounts> classes_ = std::vector<ClassCounts>(kNumSides);
  TimeCounts times_ = TimeCounts(kNumSides);
};

ChosenKeys KeysOf(const batch::Batch& entries) {
  ChosenKeys keys;
  keys.Add(entries.keys());
  return keys;
}

// Ascending by key; 1 each where the set has no weights.
std::vector<std::pair<int64_t, double>> WeightsOf(const batch::Batch& entries) {
  const batch::Column* const column = entries.Find(batch::kWeightColumn);
  std::vector<std::pair<int64_t, double>> weights;
  weights.reserve(static_cast<size_t>(entries.num_rows()));
  for (size_t i = 0; i < entries.keys().size(); ++i) {
    weights.emplace_back(entries.keys()[i], column == nullptr ? 1 : column->Values<float>()[i]);
  }
  std::sort(weights.begin(), weights.end());
  return weights;
}

void Describe(std::span<const std::pair<int64_t, double>> entries, Response::Weights& weights) {
  double sum = 0;
  double squares = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const double weight = entries[i].second;
    weights.set_least(i == 0 ? weight : std::min(weights.least(), weight));
    weights.set_greatest(i == 0 ? weight : std::max(weights.greatest(), weight));
    sum += weight;
    squares += weight * weight;
  }
  weights.set_effective_size(squares > 0 ? sum * sum / squares : 0);
}

void CompareWeights(const batch::Batch& first, const batch::Batch& second, Response& response) {
  const auto of_first = WeightsOf(first);
  const auto of_second = WeightsOf(second);
  Describe(of_first, *response.mutable_first_weights());
  Describe(of_second, *response.mutable_second_weights());
  double difference = 0;
  int64_t num_both = 0;
  for (size_t i = 0, j = 0; i < of_first.size() && j < of_second.size();) {
    if (of_first[i].first == of_second[j].first) {
      difference += std::abs(of_first[i].second - of_second[j].second);
      ++num_both;
    }
    const bool moves_first = of_first[i].first <= of_second[j].first;
    const bool moves_second = of_first[i].first >= of_second[j].first;
    i += moves_first ? 1 : 0;
    j += moves_second ? 1 : 0;
  }
  if (num_both > 0) {
    response.set_mean_weight_difference(difference / static_cast<double>(num_both));
  }
}

// All that a dataset holds up to the greatest key of both sets, whatever was deleted since.
storage::v1::ListSamplesRequest ListingOf(int64_t dataset_id, const batch::Batch& first,
                                          const batch::Batch& second) {
  storage::v1::ListSamplesRequest list;
  int64_t greatest = 0;
  for (const batch::Batch* entries : {&first, &second}) {
    for (const int64_t key : entries->keys()) greatest = std::max(greatest, key);
  }
  list.mutable_snapshot()->set_dataset_id(dataset_id);
  list.mutable_snapshot()->set_committed_key(greatest);
  list.set_with_labels(true);
  return list;
}

}  // namespace

absl::Status CompareSets(const batch::Batch& first, const batch::Batch& second,
                         const SampleLister& list_samples, Response& response) {
  const int64_t dataset_id = response.first().dataset_id();
  if (dataset_id != response.second().dataset_id()) {
    return FailedPrecondition(
        "the training sets are of different datasets, {} and {}, so they have no sample in common",
        dataset_id, response.second().dataset_id());
  }
  const ChosenKeys of_first = KeysOf(first);
  const ChosenKeys of_second = KeysOf(second);
  const int64_t num_both = of_first.And(of_second).size();
  SetCount(0, of_first.size() - num_both, *response.mutable_counts());
  SetCount(1, of_second.size() - num_both, *response.mutable_counts());
  SetCount(kBoth, num_both, *response.mutable_counts());
  CompareWeights(first, second, response);
  Comparison comparison(of_first, of_second);
  const CandidateListing listing{.candidates = ListingOf(dataset_id, first, second)};
  RETURN_IF_ERROR(ForEachCandidate(list_samples, listing, nullptr, [&](const Candidates& samples) {
    comparison.Add(samples);
    return absl::OkStatus();
  }));
  comparison.Fill(response);
  const int64_t num_all = of_first.size() + of_second.size() - num_both;
  response.set_num_forgotten(num_all - comparison.num_found());
  return absl::OkStatus();
}

}  // namespace tidemill::selector
