#include "selector/policies/policies.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"

namespace tidemill::selector {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;

constexpr int64_t kFirstKey = int64_t{1} << 44;
constexpr RandomKey kRandom{.seed = 7, .purpose = "selection", .trigger = 3};

std::vector<int64_t> Keys(int64_t count) {
  std::vector<int64_t> keys(static_cast<size_t>(count));
  std::iota(keys.begin(), keys.end(), kFirstKey);
  return keys;
}

// What was chosen: the keys, counted from the first of Keys(), and their weights.
struct Choice {
  std::vector<int64_t> rows;
  std::vector<float> weights;
};

struct Circumstances {
  size_t piece = 1'000'000;
  int64_t memory_budget = int64_t{64} << 20;
  int num_threads = 1;
};

Choice ChooseFrom(const SelectionSpec& spec, std::span<const int64_t> keys,
                  const RandomKey& random = kRandom, const Circumstances& how = {}) {
  const std::string folder = ::testing::TempDir() + "policies_test_" + std::to_string(getpid());
  EXPECT_THAT(files::CreateFolder(folder), IsOk());
  WorkerPool pool("selection", std::max(1, how.num_threads - 1));
  TrainingSetWriter writer(folder);
  const auto chooser = MakeChooser(spec, random,
                                   {.folder = folder,
                                    .memory_budget = how.memory_budget,
                                    .pool = how.num_threads > 1 ? &pool : nullptr},
                                   writer);
  while (!keys.empty()) {
    const auto piece = keys.first(std::min(keys.size(), how.piece));
    EXPECT_THAT(chooser->Add({.keys = piece, .event_times = piece}), IsOk());
    keys = keys.subspan(piece.size());
  }
  EXPECT_THAT(chooser->Finish(), IsOk());
  const auto digest = writer.Seal();
  EXPECT_THAT(digest, IsOk());
  EXPECT_THAT(writer.Publish(folder + "/1.batch"), IsOk());
  const auto entries = ReadTrainingSet(folder + "/1.batch", *digest);
  EXPECT_THAT(entries, IsOk());
  Choice choice;
  for (const int64_t key : entries->keys()) choice.rows.push_back(key - kFirstKey);
  if (const batch::Column* const weights = entries->Find(batch::kWeightColumn)) {
    choice.weights.assign(weights->Values<float>().begin(), weights->Values<float>().end());
  }
  EXPECT_THAT(files::Remove(folder), IsOk());
  return choice;
}

// The definition: sort the candidates by their lots, take the first.
std::vector<int64_t> SmallestLots(const std::vector<int64_t>& keys, size_t count) {
  std::vector<std::pair<uint64_t, int64_t>> lots;
  for (const int64_t key : keys) lots.emplace_back(RandomBits(kRandom, key), key);
  std::sort(lots.begin(), lots.end());
  lots.resize(count);
  std::vector<int64_t> rows;
  for (const auto& [bits, key] : lots) rows.push_back(key - kFirstKey);
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(NewDataPolicy, TakesEveryCandidateInOrder) {
  const Choice choice = ChooseFrom(NewData{}, Keys(4));
  EXPECT_THAT(choice.rows, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(choice.weights, IsEmpty());
}

TEST(NewDataPolicy, KeepsTheLatestOfMoreThanItsLimit) {
  EXPECT_THAT(ChooseFrom(NewData{.limit = 2}, Keys(5)).rows, ElementsAre(3, 4));
  EXPECT_THAT(ChooseFrom(NewData{.limit = 9}, Keys(2)).rows, ElementsAre(0, 1));
}

TEST(NewDataPolicy, KeepsTheSameLatestWhateverThePiecesAndTheMemory) {
  const std::vector<int64_t> keys = Keys(500'000);
  const SelectionSpec spec = NewData{.limit = 199'999};
  for (const size_t piece : {size_t{7919}, size_t{199'999}, size_t{500'000}}) {
    const Choice choice = ChooseFrom(spec, keys, kRandom, {.piece = piece, .memory_budget = 1});
    ASSERT_THAT(choice.rows, SizeIs(199'999));
    EXPECT_EQ(choice.rows.front(), 300'001);
    EXPECT_TRUE(std::is_sorted(choice.rows.begin(), choice.rows.end()));
    EXPECT_EQ(choice.rows.back(), 499'999);
  }
}

TEST(UniformPolicy, DrawsExactlyTheRoundedShareInTheOrderOfTheStream) {
  const Choice choice = ChooseFrom(Uniform{.fraction = 0.25}, Keys(1002));
  EXPECT_THAT(choice.rows, SizeIs(251));  // 250.5 rounds away from zero.
  EXPECT_TRUE(std::is_sorted(choice.rows.begin(), choice.rows.end()));
  EXPECT_EQ(std::adjacent_find(choice.rows.begin(), choice.rows.end()), choice.rows.end());
}

TEST(UniformPolicy, DrawsAtLeastOneOfFewAndNoneOfNone) {
  EXPECT_THAT(ChooseFrom(Uniform{.fraction = 0.001}, Keys(3)).rows, SizeIs(1));
  EXPECT_THAT(ChooseFrom(Uniform{.fraction = 0.5}, Keys(0)).rows, IsEmpty());
  EXPECT_THAT(ChooseFrom(Uniform{.samples = 10}, Keys(3)).rows, ElementsAre(0, 1, 2));
}

TEST(UniformPolicy, DrawsTheSameKeysWhateverTheirRowsAre) {
  std::vector<int64_t> keys = Keys(1000);
  const auto chosen_keys = [](const std::vector<int64_t>& from) {
    std::vector<int64_t> chosen = ChooseFrom(Uniform{.samples = 100}, from).rows;
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  };
  const std::vector<int64_t> in_order = chosen_keys(keys);
  std::reverse(keys.begin(), keys.end());
  EXPECT_EQ(chosen_keys(keys), in_order);
}

TEST(UniformPolicy, DrawsTheSmallestLotsWhateverThePiecesTheMemoryAndTheThreads) {
  const std::vector<int64_t> keys = Keys(400'000);
  const std::vector<Circumstances> circumstances = {
      {},
      {.piece = 401},
      {.piece = 70'000, .memory_budget = 1},
      {.num_threads = 2},
      {.piece = 300'000, .memory_budget = int64_t{1} << 20, .num_threads = 3}};
  for (const SelectionSpec& spec :
       {SelectionSpec(Uniform{.fraction = 0.1}), SelectionSpec(Uniform{.samples = 3}),
        SelectionSpec(Uniform{.fraction = 0.9}), SelectionSpec(Uniform{.samples = 399'999}),
        SelectionSpec(Uniform{.fraction = 1.0})}) {
    const Uniform& uniform = std::get<Uniform>(spec);
    const auto count =
        uniform.samples ? *uniform.samples : std::llround(*uniform.fraction * 400'000);
    const std::vector<int64_t> expected = SmallestLots(keys, static_cast<size_t>(count));
    for (const Circumstances& how : circumstances) {
      EXPECT_EQ(ChooseFrom(spec, keys, kRandom, how).rows, expected) << "piece " << how.piece;
    }
  }
}

TEST(UniformPolicy, DrawsAnewForEachTriggerAndSeed) {
  const std::vector<int64_t> keys = Keys(1000);
  const SelectionSpec spec = Uniform{.samples = 100};
  const Choice first = ChooseFrom(spec, keys);
  EXPECT_EQ(ChooseFrom(spec, keys).rows, first.rows);
  EXPECT_NE(ChooseFrom(spec, keys, {.seed = 7, .purpose = "selection", .trigger = 4}).rows,
            first.rows);
  EXPECT_NE(ChooseFrom(spec, keys, {.seed = 8, .purpose = "selection", .trigger = 3}).rows,
            first.rows);
}

TEST(UniformPolicy, DrawsEveryPartOfTheStreamAlike) {
  // 10,000 of 100,000: each tenth of the stream expects 1,000 with a deviation of about 28.
  const Choice choice = ChooseFrom(Uniform{.fraction = 0.1}, Keys(100'000));
  std::vector<int64_t> counts(10);
  for (const int64_t row : choice.rows) ++counts[static_cast<size_t>(row / 10'000)];
  EXPECT_THAT(counts, Each(::testing::AllOf(::testing::Gt(850), ::testing::Lt(1150))));
}

TEST(UniformPolicy, WeighsByTheInverseOfTheProbability) {
  const Uniform spec{.samples = 25, .weights = Weighting::kInverseProbability};
  const Choice choice = ChooseFrom(spec, Keys(100));
  EXPECT_THAT(choice.weights, SizeIs(25));
  EXPECT_THAT(choice.weights, Each(4.0F));
  EXPECT_THAT(ChooseFrom(spec, Keys(25)).weights, IsEmpty());
}

TEST(SelectionSpec, DrawsFromHistoryOnlyWhenItSaysSo) {
  EXPECT_FALSE(DrawsFromHistory(NewData{}));
  EXPECT_FALSE(DrawsFromHistory(Uniform{.samples = 1}));
  EXPECT_TRUE(DrawsFromHistory(Uniform{.samples = 1, .over = Pool::kAll}));
}

}  // namespace
}  // namespace tidemill::selector
