#include "loader/training_set_cache.h"

#include <algorithm>
#include <string>
#include <utility>

#include "selector/client/selector_client.h"

namespace tidemill::loader {
namespace {

int64_t BytesOf(const TrainingSet& set) {
  return static_cast<int64_t>(set.keys.size() * sizeof(int64_t) +
                              set.weights.size() * sizeof(float));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const TrainingSet>> TrainingSetCache::Read(
    selector::SelectorClient& selector, RunId run, int64_t trigger) {
  ASSIGN_OR_RETURN(const selector::v1::TrainingSet sealed, selector.GetTrainingSet(run, trigger));
  if (!sealed.removed()) {
    if (auto known = Find(sealed.digest()); known != nullptr) return known;
  }
  ASSIGN_OR_RETURN(TrainingSet read, ReadEntries(selector, run, trigger, sealed));
  auto set = std::make_shared<const TrainingSet>(std::move(read));
  Keep(set);
  return set;
}

std::shared_ptr<const TrainingSet> TrainingSetCache::Find(const std::string& digest) {
  MutexLock lock(mutex_);
  const auto found =
      std::ranges::find_if(sets_, [&](const auto& set) { return set->digest == digest; });
  if (found == sets_.end()) return nullptr;
  sets_.splice(sets_.begin(), sets_, found);
  return sets_.front();
}

void TrainingSetCache::Keep(const std::shared_ptr<const TrainingSet>& set) {
  MutexLock lock(mutex_);
  const auto is_same = [&](const auto& other) { return other->digest == set->digest; };
  if (BytesOf(*set) > most_bytes_ || std::ranges::any_of(sets_, is_same)) return;
  sets_.push_front(set);
  bytes_ += BytesOf(*set);
  while (bytes_ > most_bytes_) {
    bytes_ -= BytesOf(*sets_.back());
    sets_.pop_back();
  }
}

}  // namespace tidemill::loader
