#include "storage/read/sample_identities.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/id.h"
#include "base/numbers/random.h"
#include "storage/index/sample_lookup.h"

namespace tidemill::storage {
namespace {

constexpr int kMostKeys = 65'536;

bool IsSet(const std::vector<uint8_t>& bits, size_t row) {
  return (static_cast<unsigned>(bits[row / 8]) >> (row % 8) & 1U) != 0;
}

uint64_t IdentityOf(const SampleRows& rows, size_t row) {
  uint64_t identity = MixBits(rows.hash[row]);
  const auto add = [&](uint64_t part) { identity = MixBits(identity ^ MixBits(part + 1)); };
  add(static_cast<uint64_t>(rows.event_time[row]));
  const bool has_class = IsSet(rows.class_label.validity, row);
  const bool has_number = IsSet(rows.real_label.validity, row);
  add((has_class ? 1U : 0U) + (has_number ? 2U : 0U));
  if (has_class) add(static_cast<uint64_t>(rows.class_label.values[row]));
  if (has_number) add(std::bit_cast<uint64_t>(rows.real_label.values[row]));
  return std::max<uint64_t>(1, identity);
}

// Returns false when a newer index might know keys that this one does not.
bool Identify(const DatasetIndex& index, std::span<const int64_t> keys,
              std::span<uint64_t> identities) {
  SampleLookup lookup(index);
  SampleRows rows;
  bool are_known = true;
  for (size_t done = 0; done < keys.size(); done += rows.num_keys) {
    rows.Clear();
    lookup.Find(keys.subspan(done), {.payload_bytes = std::numeric_limits<int64_t>::max() / 4},
                rows);
    for (size_t row = 0; row < rows.num_rows(); ++row) {
      identities[done + rows.position[row]] = IdentityOf(rows, row);
    }
    are_known &= std::ranges::all_of(rows.problems, &SampleRows::Problem::is_final);
  }
  return are_known;
}

}  // namespace

absl::Status IdentitiesOf(SampleIndex& indexes, const v1::FindIdentitiesRequest& request,
                          v1::FindIdentitiesResponse& response) {
  if (request.sample_keys_size() > kMostKeys) {
    return InvalidArgument("{} keys are too many for one call; send at most {} at a time",
                           request.sample_keys_size(), kMostKeys);
  }
  const DatasetId dataset{request.dataset_id()};
  const std::span keys(request.sample_keys().data(),
                       static_cast<size_t>(request.sample_keys_size()));
  ASSIGN_OR_RETURN(std::shared_ptr<const DatasetIndex> index, indexes.Get(dataset));
  std::vector<uint64_t> identities(keys.size());
  if (!Identify(*index, keys, identities)) {
    ASSIGN_OR_RETURN(std::shared_ptr<const DatasetIndex> newer, indexes.Refresh(dataset));
    if (newer != index) {
      std::ranges::fill(identities, 0);
      Identify(*newer, keys, identities);
    }
  }
  response.mutable_identities()->Assign(identities.begin(), identities.end());
  return absl::OkStatus();
}

}  // namespace tidemill::storage
