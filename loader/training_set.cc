#include "loader/training_set.h"

#include <algorithm>
#include <utility>

#include "batch/labels.h"
#include "batch/slice.h"
#include "selector/client/selector_client.h"
#include "storage/client/storage_client.h"

namespace tidemill::loader {
namespace {

template <typename T>
batch::Column Gather(std::string_view name, std::span<const int64_t> ordinals,
                     const std::vector<T>& values) {
  std::vector<T> gathered;
  gathered.reserve(ordinals.size());
  for (const int64_t ordinal : ordinals) gathered.push_back(values[ordinal]);
  return batch::MakeColumn<T>(name, gathered);
}

// Ordinals in random order miss the caches at every key: those of the next ones are asked for
// ahead.
std::vector<int64_t> KeysOf(const TrainingSet& set, std::span<const int64_t> ordinals) {
  constexpr size_t kAhead = 64;
  std::vector<int64_t> keys(ordinals.size());
  if (set.first_of_consecutive) {
    const int64_t first = *set.first_of_consecutive;
    std::ranges::transform(ordinals, keys.begin(), [first](int64_t at) { return first + at; });
    return keys;
  }
  for (size_t i = 0; i < ordinals.size(); ++i) {
    const size_t ahead = std::min(i + kAhead, ordinals.size() - 1);
    __builtin_prefetch(&set.keys[static_cast<size_t>(ordinals[ahead])]);
    keys[i] = set.keys[static_cast<size_t>(ordinals[i])];
  }
  return keys;
}

bool AreConsecutive(std::span<const int64_t> keys) {
  if (keys.empty()) return false;
  uint64_t differs = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    differs |= static_cast<uint64_t>(keys[i]) - static_cast<uint64_t>(keys[0]) - i;
  }
  return differs == 0;
}

// Walks along the keys asked for and finds those of the rows that came.
class OrdinalMatcher {
 public:
  // One key for each ordinal.
  OrdinalMatcher(std::span<const int64_t> keys, std::span<const int64_t> ordinals)
      : keys_(keys), ordinals_(ordinals) {}

  // The ordinals of the next rows. INTERNAL for a key that was not asked for here.
  absl::StatusOr<batch::Column> Match(std::span<const int64_t> keys) {
    const auto next = keys_.subspan(next_);
    if (keys.size() <= next.size() && std::equal(keys.begin(), keys.end(), next.begin())) {
      const auto matched = ordinals_.subspan(next_, keys.size());
      next_ += keys.size();
      return batch::MakeColumn<int64_t>(batch::kOrdinalColumn, matched);
    }
    return MatchWithHoles(keys);
  }

 private:
  absl::StatusOr<batch::Column> MatchWithHoles(std::span<const int64_t> keys) {
    std::vector<int64_t> matched;
    matched.reserve(keys.size());
    for (const int64_t key : keys) {
      while (next_ < keys_.size() && keys_[next_] != key) ++next_;
      if (next_ == keys_.size()) return Internal("storage sent key {}, out of order", key);
      matched.push_back(ordinals_[next_++]);
    }
    return batch::MakeColumn<int64_t>(batch::kOrdinalColumn, matched);
  }

  const std::span<const int64_t> keys_;
  const std::span<const int64_t> ordinals_;
  size_t next_ = 0;
};

}  // namespace

absl::StatusOr<TrainingSet> ReadTrainingSet(selector::SelectorClient& selector, RunId run,
                                            int64_t trigger) {
  ASSIGN_OR_RETURN(const selector::v1::TrainingSet sealed, selector.GetTrainingSet(run, trigger));
  return ReadEntries(selector, run, trigger, sealed);
}

absl::StatusOr<TrainingSet> ReadEntries(selector::SelectorClient& selector, RunId run,
                                        int64_t trigger, const selector::v1::TrainingSet& sealed) {
  ASSIGN_OR_RETURN(const std::vector<batch::Batch> pieces,
                   selector.ReadTrainingSetInPieces(run, trigger));
  int64_t num_entries = 0;
  for (const batch::Batch& piece : pieces) num_entries += piece.num_rows();
  if (num_entries != sealed.num_samples()) {
    return DataLoss("the training set of trigger {} has {} entries instead of {}", trigger,
                    num_entries, sealed.num_samples());
  }
  TrainingSet set{.digest = sealed.digest()};
  const selector::v1::SelectionSummary& summary = sealed.summary();
  if (summary.num_previous() > 0) {
    set.selected_again =
        static_cast<double>(summary.num_shared()) / static_cast<double>(summary.num_previous());
  }
  set.keys.reserve(static_cast<size_t>(num_entries));
  for (const batch::Batch& piece : pieces) {
    set.keys.insert(set.keys.end(), piece.keys().begin(), piece.keys().end());
    const batch::Column* const weights = piece.Find(batch::kWeightColumn);
    if (weights == nullptr) continue;
    const std::span<const float> values = weights->Values<float>();
    set.weights.insert(set.weights.end(), values.begin(), values.end());
  }
  if (AreConsecutive(set.keys)) set.first_of_consecutive = set.keys.front();
  return set;
}

SampleReader ReaderOf(const storage::StorageClient& storage, DatasetId dataset) {
  return [&storage, dataset](std::span<const int64_t> keys, const SampleSink& sink) {
    return storage.ReadSamples(
        dataset, keys,
        [&](batch::Batch samples, const std::vector<storage::v1::MissingSample>& missing) {
          std::vector<Unreadable> unreadable;
          for (const auto& sample : missing) {
            unreadable.push_back({sample.sample_key(), sample.reason(), sample.deleted()});
          }
          return sink(std::move(samples), std::move(unreadable));
        });
  };
}

SampleReader WithoutLabels(SampleReader reader) {
  return [reader = std::move(reader)](std::span<const int64_t> keys, const SampleSink& sink) {
    return reader(keys, [&](batch::Batch samples, std::vector<Unreadable> unreadable) {
      RETURN_IF_ERROR(batch::ForgetLabels(samples));
      return sink(std::move(samples), std::move(unreadable));
    });
  };
}

absl::StatusOr<Rows> ReadRows(const TrainingSet& set, std::span<const int64_t> ordinals,
                              const SampleReader& reader, int64_t max_rows,
                              const std::function<absl::Status(batch::Batch&, Rows&)>& each,
                              const std::stop_token& stop) {
  const std::vector<int64_t> keys = KeysOf(set, ordinals);
  OrdinalMatcher matcher(keys, ordinals);
  Rows rows{.num_missing = static_cast<int64_t>(ordinals.size())};
  const auto take = [&](batch::Batch piece, const std::vector<Unreadable>& unreadable) {
    if (stop.stop_requested()) return Cancelled("reading has ended");
    rows.bad.insert(rows.bad.end(), unreadable.begin(), unreadable.end());
    if (piece.num_rows() == 0) return absl::OkStatus();
    ASSIGN_OR_RETURN(const batch::Column matched, matcher.Match(piece.keys()));
    if (!set.weights.empty()) {
      RETURN_IF_ERROR(
          piece.Set(Gather<float>(batch::kWeightColumn, matched.Values<int64_t>(), set.weights)));
    }
    RETURN_IF_ERROR(piece.Set(matched));
    for (int64_t from = 0; from < piece.num_rows(); from += max_rows) {
      batch::Batch part = batch::Slice(piece, from, std::min(from + max_rows, piece.num_rows()));
      RETURN_IF_ERROR(each(part, rows));
      rows.num_missing -= part.num_rows();
      rows.pieces.push_back(std::move(part));
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(reader(keys, take));
  return rows;
}

}  // namespace tidemill::loader
