#include "supervisor/evidence/evidence_keys.h"

#include <algorithm>
#include <utility>

#include "base/numbers/random.h"
#include "storage/client/storage_client.h"
#include "supervisor/runs/cuts.h"
#include "supervisor/runs/label_delay.h"

namespace tidemill::supervisor {
namespace {

// Returns the keys of all rows, or of the rows for which the request's `where` is true.
std::vector<int64_t> MatchingKeys(const batch::Batch& chunk) {
  const std::span<const int64_t> keys = chunk.keys();
  const batch::Column* const matches = chunk.Find(storage::kMatchesColumn);
  if (matches == nullptr) return {keys.begin(), keys.end()};
  std::vector<int64_t> matching;
  for (size_t row = 0; row < keys.size(); ++row) {
    if (matches->Values<uint8_t>()[row] != 0) matching.push_back(keys[row]);
  }
  return matching;
}

constexpr auto kByRank = [](const auto& a, const auto& b) { return a.rank < b.rank; };

}  // namespace

uint64_t KeyChoice::RankOf(int64_t key) { return RandomBits({.purpose = "evidence"}, key); }

void KeyChoice::Draw(int64_t key) {
  const Drawn drawn{.rank = RankOf(key), .place = num_taken_, .key = key};
  const bool is_full = static_cast<int64_t>(drawn_.size()) == most_rows_;
  if (is_full && drawn.rank >= drawn_.front().rank) return;
  if (is_full) {
    std::pop_heap(drawn_.begin(), drawn_.end(), kByRank);
    drawn_.pop_back();
  }
  drawn_.push_back(drawn);
  std::push_heap(drawn_.begin(), drawn_.end(), kByRank);
}

void KeyChoice::Take(std::span<const int64_t> keys) {
  for (const int64_t key : keys) {
    if (newest_ > 0 && num_taken_ >= newest_) {
      kept_[static_cast<size_t>(num_taken_ % newest_)] = key;
    } else if (newest_ > 0 || most_rows_ == 0) {
      kept_.push_back(key);
    } else {
      Draw(key);
    }
    ++num_taken_;
  }
}

std::vector<int64_t> KeyChoice::Finish() && {
  if (newest_ > 0 && num_taken_ > newest_) {
    std::rotate(kept_.begin(), kept_.begin() + num_taken_ % newest_, kept_.end());
  }
  if (most_rows_ == 0) return std::move(kept_);
  // Takes the newest, which are known only now.
  num_taken_ = 0;
  for (const int64_t key : kept_) {
    Draw(key);
    ++num_taken_;
  }
  std::sort(drawn_.begin(), drawn_.end(),
            [](const Drawn& a, const Drawn& b) { return a.place < b.place; });
  std::vector<int64_t> keys;
  for (const Drawn& drawn : drawn_) keys.push_back(drawn.key);
  return keys;
}

storage::v1::ListSamplesRequest StoredKeys::Between(const std::optional<Cut>& from,
                                                    const std::optional<Cut>& to) const {
  storage::v1::ListSamplesRequest request = listing_();
  if (from) {
    const rpc::v1::Cut place = KnownAt(ToProto(*from), label_delay_);
    if (!request.has_from() || FromProto(request.from()) < FromProto(place)) {
      *request.mutable_from() = place;
    }
  }
  if (to) {
    const rpc::v1::Cut place = KnownAt(ToProto(*to), label_delay_);
    if (!request.has_to() || FromProto(place) < FromProto(request.to())) {
      *request.mutable_to() = place;
    }
  }
  return request;
}

absl::StatusOr<std::vector<int64_t>> StoredKeys::KeysOf(const EvidenceRequest& request) {
  KeyChoice choice(request);
  storage::v1::ListSamplesRequest list = Between(request.from, request.to);
  list.set_where(request.where);
  RETURN_IF_ERROR(downstream_.ListSamples(list, [&](const batch::Batch& chunk) {
    choice.Take(MatchingKeys(chunk));
    return absl::OkStatus();
  }));
  return std::move(choice).Finish();
}

absl::StatusOr<std::vector<int64_t>> StoredKeys::KeysFrom(const Cut& from, int64_t most) {
  std::vector<int64_t> keys;
  const auto wanted = static_cast<size_t>(most);
  const absl::Status listed = downstream_.ListSamples(
      Between(from, std::nullopt), [&](const batch::Batch& chunk) -> absl::Status {
        const size_t missing = wanted - keys.size();
        const auto rows = chunk.keys().first(std::min(missing, chunk.keys().size()));
        keys.insert(keys.end(), rows.begin(), rows.end());
        return keys.size() < wanted ? absl::OkStatus() : Cancelled("these are enough");
      });
  if (keys.size() < wanted) RETURN_IF_ERROR(listed);
  return keys;
}

}  // namespace tidemill::supervisor
