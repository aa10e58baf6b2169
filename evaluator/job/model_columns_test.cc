// Columns of models from the real job program, through the service.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/logs/log.h"
#include "base/testing/status_matchers.h"
#include "evaluator/testing/running_evaluator.h"
#include "evaluator/testing/samples.h"
#include "evaluator/testing/weights.h"

namespace tidemill::evaluator {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

constexpr int64_t kNumStored = 3000;
constexpr int64_t kHidden = 37;
constexpr char kHiddenModel[] = "{type: mlp, hidden: [37], outputs: 2}";

std::vector<int64_t> KeysFrom(int64_t first, int64_t count) {
  std::vector<int64_t> keys(static_cast<size_t>(count));
  std::iota(keys.begin(), keys.end(), first);
  return keys;
}

std::vector<int64_t> KeysOf(const batch::Batch& rows) {
  return {rows.keys().begin(), rows.keys().end()};
}

std::vector<float> NumbersOf(const batch::Batch& rows, std::string_view name) {
  const auto numbers = rows.Find(name)->Values<float>();
  return {numbers.begin(), numbers.end()};
}

class ModelColumnsTest : public ::testing::Test {
 protected:
  EvaluatorClient& Serve(const testing::RunningEvaluator::Options& options = {}) {
    running_.reset();
    running_ = std::make_unique<testing::RunningEvaluator>(cluster_, options);
    return running_->client();
  }

  static v1::ReadModelColumnsRequest Request(int64_t model_id, const std::vector<int64_t>& keys,
                                             const std::vector<v1::ModelColumn>& columns) {
    v1::ReadModelColumnsRequest request;
    request.mutable_command()->set_run_id(1);
    request.mutable_command()->set_run_epoch(1);
    request.set_model_id(model_id);
    request.set_dataset_id(1);
    request.set_dataset_spec(testing::kDatasetSpec);
    request.mutable_keys()->Add(keys.begin(), keys.end());
    for (const v1::ModelColumn column : columns) request.add_columns(column);
    return request;
  }

  absl::StatusOr<batch::Batch> Read(const v1::ReadModelColumnsRequest& request) {
    std::vector<batch::Batch> parts;
    RETURN_IF_ERROR(running_->client().ReadModelColumns(request, [&](batch::Batch rows) {
      parts.push_back(std::move(rows));
      return absl::OkStatus();
    }));
    if (parts.empty()) return batch::Batch();
    return batch::Concatenate(parts);
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> paths;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(testing::ColumnsFolder(cluster_))) {
      if (entry.is_regular_file()) paths.push_back(entry.path().string());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  testing::Cluster cluster_{kNumStored, {.unreadable = {8, 2000}}};
  std::unique_ptr<testing::RunningEvaluator> running_;
};

const std::vector<v1::ModelColumn> kPredictionAndError = {v1::MODEL_COLUMN_PREDICTION,
                                                          v1::MODEL_COLUMN_ERROR};

TEST_F(ModelColumnsTest, HoldPredictionsAndErrorsInTheOrderOfTheKeys) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(6.5F));
  Serve();
  // Sample x has the key x + 1 and is HIGH from 5 on; the model says so from 7 on.
  const auto said = Read(Request(model, {10, 7, 3, 7}, kPredictionAndError));
  ASSERT_THAT(said, IsOk());
  EXPECT_THAT(KeysOf(*said), ElementsAre(10, 7, 3, 7));
  const batch::Column* prediction = said->Find("prediction");
  ASSERT_NE(prediction, nullptr);
  EXPECT_THAT(prediction->shape, ElementsAre(2));
  const double xs[] = {9, 6, 2, 6};
  for (size_t row = 0; row < 4; ++row) {
    const double high = 1 / (1 + std::exp(6.5 - xs[row]));
    EXPECT_NEAR(prediction->Values<float>()[2 * row], 1 - high, 1e-6);
    EXPECT_NEAR(prediction->Values<float>()[2 * row + 1], high, 1e-6);
  }
  EXPECT_THAT(NumbersOf(*said, "error"), ElementsAre(0, 1, 0, 1));
  EXPECT_TRUE(said->Find("error")->shape.empty());
}

TEST_F(ModelColumnsTest, HoldWhatTheLastLayerIsGiven) {
  const int64_t model = cluster_.Put(1, testing::HiddenWeights(kHidden), kHiddenModel);
  Serve();
  const auto said = Read(Request(model, {4, 1}, {v1::MODEL_COLUMN_EMBEDDING}));
  ASSERT_THAT(said, IsOk());
  ASSERT_EQ(said->columns().size(), 2u);
  const batch::Column* embedding = said->Find("embedding");
  EXPECT_THAT(embedding->shape, ElementsAre(kHidden));
  std::vector<double> expected = testing::HiddenUnits(kHidden, 3);
  for (const double unit : testing::HiddenUnits(kHidden, 0)) expected.push_back(unit);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(embedding->Values<float>()[i], expected[i], 1e-6);
  }
}

TEST_F(ModelColumnsTest, LeaveOutWhatCannotBeReadAndSpanManyBlocksAndMessages) {
  const int64_t model = cluster_.Put(1, testing::HiddenWeights(kHidden), kHiddenModel);
  Serve();
  std::vector<int64_t> keys = KeysFrom(1, kNumStored);
  for (int i = 0; i < 3; ++i) keys.insert(keys.end(), keys.begin(), keys.begin() + kNumStored);
  const auto said =
      Read(Request(model, keys, {v1::MODEL_COLUMN_EMBEDDING, v1::MODEL_COLUMN_ERROR}));
  ASSERT_THAT(said, IsOk());
  std::vector<int64_t> readable = keys;
  std::erase_if(readable, [](int64_t key) { return key == 8 || key == 2000; });
  EXPECT_TRUE(
      std::equal(said->keys().begin(), said->keys().end(), readable.begin(), readable.end()));
  const auto numbers = said->Find("embedding")->Values<float>();
  for (const size_t row : {size_t{0}, size_t{1500}, readable.size() - 1}) {
    const auto x = static_cast<double>(readable[row] - 1);
    const std::vector<double> units = testing::HiddenUnits(kHidden, x);
    for (size_t i = 0; i < units.size(); ++i) {
      EXPECT_NEAR(numbers[row * kHidden + i], units[i], 1e-6 * (1 + x));
    }
  }
}

using Values = std::map<int64_t, std::string>;

// By key, the bytes of all columns.
void Note(const batch::Batch& said, Values& values) {
  for (int64_t row = 0; row < said.num_rows(); ++row) {
    std::string bytes;
    for (const batch::Column& column : said.columns()) {
      const size_t width = static_cast<size_t>(column.Width()) * batch::SizeOf(column.type);
      bytes += column.data.view().substr(static_cast<size_t>(row) * width, width);
    }
    values[said.keys()[static_cast<size_t>(row)]] = bytes;
  }
}

TEST_F(ModelColumnsTest, SayTheSameOfASampleWhateverElseIsAskedFor) {
  const int64_t model = cluster_.Put(1, testing::HiddenWeights(kHidden), kHiddenModel);
  Serve({.num_threads = 2});
  const auto ask = [&](const std::vector<int64_t>& keys, Values& values) {
    const auto said =
        Read(Request(model, keys, {v1::MODEL_COLUMN_PREDICTION, v1::MODEL_COLUMN_EMBEDDING}));
    ASSERT_THAT(said, IsOk());
    Note(*said, values);
  };
  std::vector<int64_t> keys = KeysFrom(100, 150);
  Values together;
  ask(keys, together);
  ASSERT_EQ(together.size(), 150u);
  Values reversed;
  std::reverse(keys.begin(), keys.end());
  ask(keys, reversed);
  EXPECT_EQ(reversed, together);
  Values alone;
  for (int64_t key = 100; key < 106; ++key) ask({key}, alone);
  for (const auto& [key, bytes] : alone) EXPECT_EQ(bytes, together[key]) << key;
}

TEST_F(ModelColumnsTest, AreComputedOnceAndAgainOnceTheyAreDamaged) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(6.5F));
  Serve();
  const auto request = Request(model, {1, 2, 3}, kPredictionAndError);
  ASSERT_THAT(Read(request), IsOk());
  EXPECT_EQ(cluster_.num_samples_read(), 3);
  ASSERT_THAT(Read(request), IsOk());
  EXPECT_EQ(cluster_.num_samples_read(), 3) << "from the file";
  Serve();
  ASSERT_THAT(Read(request), IsOk());
  EXPECT_EQ(cluster_.num_samples_read(), 3) << "from the file of an earlier life";
  ASSERT_EQ(Files().size(), 1u);
  {
    std::fstream file(Files().front(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-70, std::ios::end);
    file.put('?');
  }
  const auto said = Read(request);
  ASSERT_THAT(said, IsOk());
  EXPECT_EQ(cluster_.num_samples_read(), 6);
  EXPECT_THAT(KeysOf(*said), ElementsAre(1, 2, 3));
  ASSERT_THAT(Read(request), IsOk());
  EXPECT_EQ(cluster_.num_samples_read(), 6);
}

TEST_F(ModelColumnsTest, AreForgottenWithTheirRunAndRefusedToAnEarlierEpoch) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(6.5F));
  EvaluatorClient& client = Serve();
  auto request = Request(model, {1, 2}, kPredictionAndError);
  request.mutable_command()->set_run_epoch(2);
  ASSERT_THAT(Read(request), IsOk());
  EXPECT_EQ(Files().size(), 1u);
  EXPECT_GT(running_->columns().num_bytes(), 0);
  auto outdated = request;
  outdated.mutable_command()->set_run_epoch(1);
  EXPECT_THAT(Read(outdated), StatusIs(absl::StatusCode::kFailedPrecondition, _));
  EXPECT_THAT(client.DeleteRun(request.command()), IsOkAndHolds(0));
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_EQ(running_->columns().num_bytes(), 0);
}

TEST_F(ModelColumnsTest, TheLeastRecentlyUsedMakeRoom) {
  const int64_t model = cluster_.Put(1, testing::HiddenWeights(kHidden), kHiddenModel);
  constexpr int64_t kBudget = 500'000;
  Serve({.columns_bytes = kBudget});
  // 900 rows of 37 numbers and a key: 140 kB, three of which have room.
  const auto request = [&](int64_t first) {
    return Request(model, KeysFrom(first, 900), {v1::MODEL_COLUMN_EMBEDDING});
  };
  for (const int64_t first : {1, 2, 3, 1, 4}) ASSERT_THAT(Read(request(first)), IsOk());
  EXPECT_LE(running_->columns().num_bytes(), kBudget);
  EXPECT_EQ(Files().size(), 3u);
  const int64_t num_read = cluster_.num_samples_read();
  for (const int64_t first : {1, 3, 4}) ASSERT_THAT(Read(request(first)), IsOk());
  EXPECT_EQ(cluster_.num_samples_read(), num_read) << "those are kept";
  EXPECT_THAT(Read(Request(model, KeysFrom(1, kNumStored + 500), {v1::MODEL_COLUMN_EMBEDDING})),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("ask for fewer")));
}

TEST_F(ModelColumnsTest, ARequestThatCannotBeAnsweredSaysWhy) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(6.5F));
  const int64_t foreign =
      cluster_.Put(2, testing::LinearWeights(6.5F), "{type: mlp, hidden: [3], outputs: 2}");
  Serve();
  EXPECT_THAT(Read(Request(99, {1}, kPredictionAndError)),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("99")));
  EXPECT_THAT(Read(Request(foreign, {1}, kPredictionAndError)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("the weights have no")));
  EXPECT_THAT(Read(Request(model, std::vector<int64_t>(1'000'001, 1), kPredictionAndError)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("1000001 keys")));
  EXPECT_THAT(Read(Request(model, {1}, {})), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(Read(Request(model, {1}, {v1::MODEL_COLUMN_ERROR, v1::MODEL_COLUMN_ERROR})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("twice")));
  auto other_columns = Request(model, {1}, kPredictionAndError);
  other_columns.set_dataset_spec(
      "{path: /nowhere, format: {type: csv, header: false, columns: [a, b]}, "
      "label: {column: b, classes: [LOW, HIGH]}}");
  EXPECT_THAT(Read(other_columns), StatusIs(absl::StatusCode::kFailedPrecondition, _));
}

TEST_F(ModelColumnsTest, OfNoSamplesAreNone) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(6.5F));
  Serve();
  for (const std::vector<int64_t>& keys : {std::vector<int64_t>{}, std::vector<int64_t>{8}}) {
    const auto said = Read(Request(model, keys, kPredictionAndError));
    ASSERT_THAT(said, IsOk());
    EXPECT_EQ(said->num_rows(), 0);
  }
}

TEST_F(ModelColumnsTest, AKilledProcessIsReplacedThreeTimesAtMost) {
  const int64_t model = cluster_.Put(1, testing::LinearWeights(6.5F));
  const std::string marks = cluster_.folder() + "/marks";
  std::filesystem::create_directory(marks);
  setenv("TIDEMILL_FAILPOINTS_ONCE", marks.c_str(), 1);
  Serve({.failpoints = "evaluate.mid_columns=kill"});
  unsetenv("TIDEMILL_FAILPOINTS_ONCE");
  const auto said = Read(Request(model, {1, 2, 3}, kPredictionAndError));
  ASSERT_THAT(said, IsOk());
  EXPECT_THAT(KeysOf(*said), ElementsAre(1, 2, 3));
  EXPECT_TRUE(std::filesystem::exists(marks + "/evaluate.mid_columns"));
  EXPECT_EQ(Files().size(), 1u) << "nothing is left of the first attempt";
  Serve({.failpoints = "evaluate.mid_columns=kill"});
  rpc::Peer impatient = running_->peer();
  impatient.deadline = std::chrono::milliseconds{1};
  EvaluatorClient client(impatient);
  EXPECT_THAT(client.ReadModelColumns(Request(model, {4}, kPredictionAndError),
                                      [](const auto&) { return absl::OkStatus(); }),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("signal 9")));
  EXPECT_EQ(Files().size(), 1u);
}

}  // namespace
}  // namespace tidemill::evaluator
