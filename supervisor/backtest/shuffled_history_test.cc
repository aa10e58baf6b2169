#include "supervisor/backtest/shuffled_history.h"

#include <algorithm>
#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "supervisor/backtest/false_alarm_count.h"
#include "supervisor/triggers/plain/amount_trigger.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using ::testing::Not;
using ::tidemill::testing::IsOk;

// Two samples a second, with keys from 100 on.
History Pairs(int64_t n) {
  History history;
  for (int64_t i = 0; i < n; ++i) {
    history.times.push_back(i / 2 * 1'000'000);
    history.keys.push_back(100 + i);
  }
  return history;
}

Cut Before(const History& history, size_t place) {
  if (place == history.keys.size()) return {{history.times.back()}, {history.keys.back() + 1}};
  return {{history.times[place]}, {history.keys[place]}};
}

std::vector<int64_t> KeysOf(ShuffledHistory& shuffled, const EvidenceRequest& request) {
  const auto keys = shuffled.KeysOf(request);
  EXPECT_THAT(keys, IsOk());
  return keys.value_or(std::vector<int64_t>());
}

std::vector<int64_t> All(const History& history, int64_t shuffle) {
  return KeysOf(*std::make_unique<ShuffledHistory>(history, shuffle),
                {.to = Before(history, history.keys.size())});
}

TEST(ShuffledHistory, IsAPermutationOfTheHistory) {
  const History history = Pairs(1001);
  const std::vector<int64_t> shuffled = All(history, 0);
  EXPECT_THAT(shuffled, Not(ElementsAreArray(history.keys)));
  EXPECT_EQ(All(history, 0), shuffled);
  EXPECT_NE(All(history, 1), shuffled);
  std::vector<int64_t> sorted = shuffled;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, history.keys);
}

TEST(ShuffledHistory, PutsEverySampleAnywhereAlike) {
  // 16 samples at 16 places over 8,000 shuffles: each pair about 500 times. The sum of squares is
  // chi-square with 225 degrees of freedom: mean 225, deviation 21.
  const History history = Pairs(16);
  std::map<std::pair<size_t, int64_t>, int> count;
  for (int64_t shuffle = 0; shuffle < 8000; ++shuffle) {
    const std::vector<int64_t> keys = All(history, shuffle);
    for (size_t place = 0; place < keys.size(); ++place) ++count[{place, keys[place]}];
  }
  EXPECT_EQ(count.size(), 256);
  double chi = 0;
  for (const auto& [pair, times] : count) chi += (times - 500.0) * (times - 500.0) / 500;
  EXPECT_LT(chi, 225 + 6 * 21);
  EXPECT_GT(chi, 225 - 6 * 21);
}

TEST(ShuffledHistory, AnswersByPlaces) {
  const History history = Pairs(10);
  ShuffledHistory shuffled(history, 3);
  const std::vector<int64_t> all = All(history, 3);
  for (size_t from = 0; from <= all.size(); ++from) {
    for (size_t to = from; to <= all.size(); ++to) {
      const EvidenceRequest request{.from = Before(history, from), .to = Before(history, to)};
      EXPECT_THAT(KeysOf(shuffled, request),
                  ElementsAreArray(all.begin() + static_cast<ptrdiff_t>(from),
                                   all.begin() + static_cast<ptrdiff_t>(to)));
    }
  }
  const EvidenceRequest newest{.to = Before(history, 7), .newest = 3};
  EXPECT_THAT(KeysOf(shuffled, newest), ElementsAre(all[4], all[5], all[6]));
  // A time alone is before its samples; there is nothing after the end.
  EXPECT_THAT(KeysOf(shuffled, {.to = {{1'000'000}, {}}}), ElementsAre(all[0], all[1]));
  EXPECT_THAT(KeysOf(shuffled, {.from = Before(history, 5), .to = Before(history, 2)}), IsEmpty());
  EXPECT_THAT(KeysOf(shuffled, {.from = Cut{{99'000'000}, {}}, .to = {{100'000'000}, {}}}),
              IsEmpty());
  const History nothing;
  EXPECT_THAT(KeysOf(*std::make_unique<ShuffledHistory>(nothing, 0), {.to = {{1}, {}}}), IsEmpty());
}

TEST(ShuffledHistory, DrawsByKeyAndKeepsTheOrder) {
  const History history = Pairs(200);
  ShuffledHistory shuffled(history, 0);
  EvidenceRequest request{.to = Before(history, 100), .most_rows = 20};
  const std::vector<int64_t> drawn = KeysOf(shuffled, request);
  EXPECT_EQ(drawn.size(), 20);
  const std::vector<int64_t> all = All(history, 0);
  std::vector<int64_t> in_order;
  std::copy_if(all.begin(), all.end(), std::back_inserter(in_order), [&](int64_t key) {
    return std::find(drawn.begin(), drawn.end(), key) != drawn.end();
  });
  EXPECT_EQ(drawn, in_order);
  // Twice as many places give as many more draws; those drawn from the first hundred were drawn
  // before.
  request.to = Before(history, 200);
  std::vector<int64_t> of_more = KeysOf(shuffled, request);
  std::erase_if(of_more, [&](int64_t key) {
    return std::find(all.begin(), all.begin() + 100, key) == all.begin() + 100;
  });
  EXPECT_THAT(of_more, IsSubsetOf(drawn));
  EXPECT_THAT(of_more, Not(IsEmpty()));
}

// Fires after each tenth sample if the keys of those ten differ much from all keys on the average.
class KeyDrift final : public TriggerPolicy {
 public:
  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp) const override {
    const auto missing = static_cast<size_t>(10 - waiting_);
    if (ahead.size() < missing) return std::nullopt;
    return DecisionPoint{.at = ahead.First(missing).End(), .num_before = missing};
  }
  void Take(Samples samples) override { waiting_ += static_cast<int64_t>(samples.size()); }
  std::vector<EvidenceRequest> Needs(const Cut& at) const override {
    return {{.kind = EvidenceKind::kColumns, .to = at, .newest = 10}};
  }
  absl::StatusOr<Verdict> Decide(const Evidence& evidence) override {
    waiting_ = 0;
    double sum = 0;
    for (const double value : evidence.tables[0].values) sum += value;
    Verdict verdict = NewVerdict("key_drift", {});
    verdict.set_fired(std::abs(sum / 10 - 150) > 35);
    return verdict;
  }
  nlohmann::json Seal() const override { return waiting_; }
  absl::Status Restore(const nlohmann::json&) override { return absl::OkStatus(); }

 private:
  int64_t waiting_ = 0;
};

// Answers with keys, which it asks for.
class KeysAsColumns final : public EvidenceSource {
 public:
  using KeysOf = std::function<absl::StatusOr<std::vector<int64_t>>(const EvidenceRequest&)>;
  explicit KeysAsColumns(KeysOf keys_of) : keys_of_(std::move(keys_of)) {}
  absl::StatusOr<EvidenceTable> Read(const EvidenceRequest& request) override {
    ASSIGN_OR_RETURN(const auto keys, keys_of_(request));
    return EvidenceTable{.num_rows = static_cast<int64_t>(keys.size()),
                         .values = {keys.begin(), keys.end()}};
  }

 private:
  const KeysOf keys_of_;
};

TEST(CountFalseAlarms, CountsTriggersBeyondTheFirst) {
  const History history = Pairs(100);
  const auto begin = [](EvidenceSource& source) -> absl::StatusOr<Backtest> {
    return Backtest(Decider(std::make_unique<KeyDrift>(), &source), {}, std::nullopt);
  };
  // The keys ascend: on the history itself the policy fires twice at the beginning and once at the
  // end.
  KeysAsColumns in_order([](const EvidenceRequest& request) {
    std::vector<int64_t> keys;
    for (int64_t i = 10; i > 0; --i) keys.push_back(request.to.sample_key.value - i);
    return keys;
  });
  auto drifting = begin(in_order);
  ASSERT_THAT(drifting, IsOk());
  ASSERT_THAT(drifting->Take(history.View()), IsOk());
  EXPECT_EQ(std::move(*drifting).Finish().num_triggers, 3);

  const auto evidence =
      [](ShuffledHistory& shuffled) -> absl::StatusOr<std::unique_ptr<EvidenceSource>> {
    return std::make_unique<KeysAsColumns>(
        [&](const EvidenceRequest& request) { return shuffled.KeysOf(request); });
  };
  // The mean of ten keys drawn deviates by 9, so that 35 is hardly ever reached.
  const auto alarms = CountFalseAlarms(history, 50, begin, evidence);
  ASSERT_THAT(alarms, IsOk());
  EXPECT_LT(*alarms, .1);
  // A policy that fires whatever it sees.
  const auto always = [](EvidenceSource&) {
    return Backtest::Create(AmountTrigger{.samples = 10}, {}, std::nullopt);
  };
  EXPECT_THAT(CountFalseAlarms(history, 3, always, evidence), ::tidemill::testing::IsOkAndHolds(9));
}

}  // namespace
}  // namespace tidemill::supervisor
