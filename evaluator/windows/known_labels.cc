#include "evaluator/windows/known_labels.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

namespace tidemill::evaluator {

void LabelCounts::Add(const Label& label, bool is_class) {
  ++num_labels;
  if (is_class) {
    ++classes[label.of_class];
  } else {
    sum += label.value;
  }
}

absl::StatusOr<LabelCounts> CountedLabels::Before(const rpc::v1::Cut& cut) {
  if (stream_.HasPassed(cut)) {
    stream_ = beginning_;
    counts_ = {};
  }
  absl::Status read =
      stream_.ReadTo(cut, [this](const TimedLabel& label) { counts_.Add(label.label, is_class_); });
  if (!read.ok()) {
    // Part of them may be counted already.
    stream_ = beginning_;
    counts_ = {};
    return read;
  }
  return counts_;
}

rpc::v1::Cut LastLabels::KnownAt(int64_t time) const {
  // A label is known its delay after its sample, and one without delay after its sample's moment.
  const int64_t wait = std::max<int64_t>(0, delay_.micros - 1);
  rpc::v1::Cut cut;
  int64_t known = 0;
  if (__builtin_sub_overflow(time, wait, &known)) known = std::numeric_limits<int64_t>::min();
  cut.set_event_time(known);
  return cut;
}

absl::Status LastLabels::Enter(const rpc::v1::Cut& from) {
  const rpc::v1::Cut known = KnownAt(from.event_time());
  if (before_.HasPassed(known)) {
    before_ = beginning_;
    last_before_.reset();
  }
  // Taken over at the end: a listing that breaks leaves the stream, and so the label, where it was.
  std::optional<Label> last = last_before_;
  RETURN_IF_ERROR(before_.ReadTo(known, [&](const TimedLabel& label) { last = label.label; }));
  last_before_ = last;
  within_ = before_;
  last_ = last_before_;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::optional<Label>>> LastLabels::At(std::span<const int64_t> times) {
  std::vector<std::optional<Label>> known;
  if (times.empty()) return known;
  std::deque<TimedLabel> coming;
  RETURN_IF_ERROR(within_.ReadTo(KnownAt(times.back()),
                                 [&](const TimedLabel& label) { coming.push_back(label); }));
  for (const int64_t time : times) {
    const int64_t before = KnownAt(time).event_time();
    for (; !coming.empty() && coming.front().event_time < before; coming.pop_front()) {
      last_ = coming.front().label;
    }
    known.push_back(last_);
  }
  return known;
}

}  // namespace tidemill::evaluator
