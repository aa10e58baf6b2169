#include "supervisor/triggers/drift/stream_marks.h"

#include <algorithm>

namespace tidemill::supervisor {
namespace {

// The number of marks within the reach: the last samples are found within a part of one in 16.
constexpr int64_t kMarksToReach = 16;

}  // namespace

void StreamMarks::Take(Samples samples) {
  if (samples.empty()) return;
  if (counts.empty()) Mark({{samples.event_times.front()}, {samples.keys.front()}});
  num_samples += static_cast<int64_t>(samples.size());
}

void StreamMarks::Mark(const Cut& at) {
  const int64_t apart = std::max<int64_t>(1, reach / kMarksToReach);
  if (!counts.empty() && num_samples - counts.back() < apart) return;
  counts.push_back(num_samples);
  times.push_back(at.event_time.micros);
  keys.push_back(at.sample_key.value);
  // The first one stays as far back as may be asked for.
  ptrdiff_t surplus = 0;
  while (surplus + 1 < static_cast<ptrdiff_t>(counts.size()) &&
         counts[static_cast<size_t>(surplus) + 1] <= num_samples - reach) {
    ++surplus;
  }
  for (std::vector<int64_t>* column : {&counts, &times, &keys}) {
    column->erase(column->begin(), column->begin() + surplus);
  }
}

std::optional<Cut> StreamMarks::Before(int64_t newest) const {
  const auto behind = std::upper_bound(counts.begin(), counts.end(), num_samples - newest);
  if (behind == counts.begin()) return std::nullopt;
  const auto i = static_cast<size_t>(behind - counts.begin() - 1);
  return Cut{{times[i]}, {keys[i]}};
}

double StreamMarks::Rate(Timestamp at) const {
  if (counts.empty() || at.micros <= times.front()) return 0;
  return static_cast<double>(num_samples - counts.front()) * 1e6 /
         static_cast<double>(at.micros - times.front());
}

absl::Status StreamMarks::Check() const {
  if (times.size() != counts.size() || keys.size() != counts.size() ||
      !std::is_sorted(counts.begin(), counts.end())) {
    return DataLoss("the sealed places of a stream do not fit together");
  }
  return absl::OkStatus();
}

}  // namespace tidemill::supervisor
