#include "selector/selection_summary.h"

#include <algorithm>

namespace tidemill::selector {
namespace {

constexpr int64_t kPiece = 65'536;
// What times are counted of.
constexpr size_t kCandidates = 0;
constexpr size_t kChosen = 1;

// Reads entries [first, ...) of a set into `keys`, at most a piece.
absl::Status ReadPiece(const TrainingSetWriter& entries, int64_t first,
                       std::vector<int64_t>& keys) {
  keys.resize(static_cast<size_t>(std::min(kPiece, entries.num_keys() - first)));
  return entries.ReadKeys(first, keys);
}

}  // namespace

void SummaryCounter::AddCandidates(const Candidates& candidates) {
  num_candidates_ += std::ssize(candidates.keys);
  candidates_.Add(candidates.labels);
  times_.Add(candidates.event_times, kCandidates);
}

absl::StatusOr<bool> SummaryCounter::SecondPass::Load() {
  if (num_loaded_ == entries_.num_keys()) return false;
  RETURN_IF_ERROR(ReadPiece(entries_, num_loaded_, keys_));
  num_loaded_ += std::ssize(keys_);
  next_ = 0;
  return true;
}

absl::Status SummaryCounter::SecondPass::Add(const Candidates& candidates) {
  for (size_t i = 0; i < candidates.keys.size();) {
    if (next_ == keys_.size()) {
      ASSIGN_OR_RETURN(const bool has_more, Load());
      if (!has_more) return absl::OkStatus();
    }
    if (keys_[next_] != candidates.keys[i]) {
      ++i;
      continue;
    }
    ++next_;  // An entry may be there several times.
    counter_.chosen_.Add(candidates.labels[i]);
    counter_.times_.Add(candidates.event_times.subspan(i, 1), kChosen);
  }
  return absl::OkStatus();
}

absl::Status SummaryCounter::SecondPass::Finish() const {
  if (num_loaded_ == entries_.num_keys() && next_ == keys_.size()) return absl::OkStatus();
  return Unavailable("storage listed other candidates the second time");
}

void SummaryCounter::Fill(bool all_chosen, v1::SelectionSummary& summary) const {
  const ClassCounts& chosen = all_chosen ? candidates_ : chosen_;
  const std::vector<int64_t> labels = candidates_.Labels();
  v1::SelectionSummary::ClassCount* entry = nullptr;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (i < kMaxClasses) {
      entry = summary.add_classes();
      if (i + 1 == kMaxClasses && labels.size() > kMaxClasses) {
        entry->set_is_rest(true);
      } else if (labels[i] != kNoClass) {
        entry->set_class_label(labels[i]);
      }
    }
    entry->set_num_candidates(entry->num_candidates() + candidates_.Of(labels[i]));
    entry->set_num_chosen(entry->num_chosen() + chosen.Of(labels[i]));
  }
  for (const TimeCounts::Interval& interval : times_.Intervals()) {
    v1::SelectionSummary::TimeCount& count = *summary.add_times();
    count.set_from(interval.from);
    count.set_to(interval.to);
    count.set_num_candidates(interval.counts[kCandidates]);
    count.set_num_chosen(interval.counts[all_chosen ? kCandidates : kChosen]);
  }
}

absl::StatusOr<double> EffectiveSize(const TrainingSetWriter& entries) {
  if (!entries.weighted()) return static_cast<double>(entries.num_keys());
  double sum = 0;
  double squares = 0;
  std::vector<float> weights;
  for (int64_t first = 0; first < entries.num_keys(); first += std::ssize(weights)) {
    weights.resize(static_cast<size_t>(std::min(kPiece, entries.num_keys() - first)));
    RETURN_IF_ERROR(entries.ReadWeights(first, weights));
    for (const double weight : weights) {
      sum += weight;
      squares += weight * weight;
    }
  }
  return squares > 0 ? sum * sum / squares : 0;
}

absl::Status ForEachEntry(const TrainingSetWriter& entries,
                          const std::function<void(std::span<const int64_t>)>& body) {
  std::vector<int64_t> keys;
  for (int64_t first = 0; first < entries.num_keys(); first += std::ssize(keys)) {
    RETURN_IF_ERROR(ReadPiece(entries, first, keys));
    body(keys);
  }
  return absl::OkStatus();
}

}  // namespace tidemill::selector
