#include "trainer_server/downsampling/tally.h"

#include <algorithm>

namespace tidemill::trainer_server {
namespace {

constexpr size_t kNumHead = 6;
// Versions before kept fewer numbers: 4 before 0.8, 5 before 0.9. What follows them is a multiple
// of four.
constexpr size_t kLeastHead = 4;
constexpr size_t kNumOfEpoch = 4;

}  // namespace

void Tally::Add(int64_t epoch, int64_t num_chosen, const std::vector<float>& weights,
                int64_t num_scored) {
  num_epochs = std::max(num_epochs, epoch + 1);
  if (epoch >= static_cast<int64_t>(kMaxEpochs)) return;
  if (epochs.size() <= static_cast<size_t>(epoch)) epochs.resize(static_cast<size_t>(epoch) + 1);
  Epoch& counted = epochs[static_cast<size_t>(epoch)];
  counted.num_chosen += num_chosen;
  counted.num_scored += num_scored;
  if (weights.empty()) {
    counted.weight_sum += static_cast<double>(num_chosen);
    counted.square_sum += static_cast<double>(num_chosen);
  }
  for (const float weight : weights) {
    counted.weight_sum += static_cast<double>(weight);
    counted.square_sum += static_cast<double>(weight) * static_cast<double>(weight);
  }
}

std::vector<double> Tally::Save() const {
  std::vector<double> numbers = {
      static_cast<double>(num_epochs),     static_cast<double>(num_skipped),
      static_cast<double>(num_not_finite), scoring_seconds,
      static_cast<double>(most_skipped),   static_cast<double>(most_filtered)};
  for (const Epoch& epoch : epochs) {
    numbers.insert(numbers.end(),
                   {static_cast<double>(epoch.num_chosen), static_cast<double>(epoch.num_scored),
                    epoch.weight_sum, epoch.square_sum});
  }
  return numbers;
}

absl::StatusOr<Tally> Tally::Load(const std::vector<double>& numbers) {
  Tally tally;
  if (numbers.empty()) return tally;
  const size_t num_head = kLeastHead + numbers.size() % kNumOfEpoch;
  if (num_head > kNumHead || numbers.size() < num_head) {
    return DataLoss("the counts of downsampling do not fit together");
  }
  tally.num_epochs = static_cast<int64_t>(numbers[0]);
  tally.num_skipped = static_cast<int64_t>(numbers[1]);
  tally.num_not_finite = static_cast<int64_t>(numbers[2]);
  tally.scoring_seconds = numbers[3];
  tally.most_skipped = num_head > 4 ? static_cast<int64_t>(numbers[4]) : tally.num_skipped;
  tally.most_filtered = num_head > 5 ? static_cast<int64_t>(numbers[5]) : 0;
  for (size_t i = num_head; i < numbers.size(); i += kNumOfEpoch) {
    tally.epochs.push_back({.num_chosen = static_cast<int64_t>(numbers[i]),
                            .num_scored = static_cast<int64_t>(numbers[i + 1]),
                            .weight_sum = numbers[i + 2],
                            .square_sum = numbers[i + 3]});
  }
  return tally;
}

}  // namespace tidemill::trainer_server
