#include "loader/tensors.h"

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "batch/wire.h"
#include "loader/plan/length_buckets.h"
#include "loader/testing/text_set.h"

namespace tidemill::loader {
namespace {

using namespace testing;  // NOLINT: the fixtures of this room.
using ::tidemill::testing::IsOk;

// The batches of a plan as a consumer gets them that is in another process.
std::vector<TensorBatch> Received(const BatchPlan& plan) {
  const auto maker = TextMaker(MakeSet(300), plan);
  std::vector<TensorBatch> received;
  for (const TrainingBatch& made : MakeBatches(*maker, 0, maker->end())) {
    if (made.rows.num_rows() == 0) continue;
    const std::string bytes = batch::Encode(made.rows);
    batch::Buffer arrived = batch::Buffer::AllocateUnwritten(bytes.size());
    std::memcpy(arrived.mutable_data(), bytes.data(), bytes.size());
    const auto rows = batch::Decode(arrived);
    EXPECT_THAT(rows, IsOk());
    const auto tensors = ToTensors(*rows);
    EXPECT_THAT(tensors, IsOk());
    received.push_back(*tensors);
  }
  return received;
}

TEST(Tensors, AreViewsOfTheColumns) {
  BatchPlan plan = BucketedPlan(16, 1, 4);
  for (const auto layout : {models::RowLayout::kPadded, models::RowLayout::kRagged}) {
    plan.buckets->layout = layout;
    const auto maker = TextMaker(MakeSet(100), plan);
    const std::vector<TrainingBatch> made = MakeBatches(*maker, 0, 1);
    ASSERT_GT(made.at(0).rows.num_rows(), 0);
    const auto tensors = ToTensors(made[0].rows);
    ASSERT_THAT(tensors, IsOk());
    for (const char* const name : {"input", "input_number"}) {
      EXPECT_EQ(tensors->inputs.at(name).data_ptr(),
                static_cast<const void*>(made[0].rows.Find(name)->data.data()))
          << name;
    }
  }
}

TEST(Tensors, PaddedRowsComeInTheWidthOfTheirBatch) {
  const std::vector<TensorBatch> batches = Received(BucketedPlan(16, 1, 4));
  ASSERT_GT(batches.size(), 10u);
  std::set<int64_t> widths;
  for (const TensorBatch& batch : batches) {
    EXPECT_EQ(batch.input.dim(), 2);
    EXPECT_EQ(batch.input.size(0), batch.target.size(0));
    EXPECT_EQ(batch.input.scalar_type(), torch::kInt64);
    EXPECT_EQ(batch.inputs.at("input_number").size(0), batch.target.size(0));
    widths.insert(batch.input.size(1));
  }
  EXPECT_GT(widths.size(), 2u);
}

TEST(Tensors, RaggedRowsComeAsNumbersAndOffsetsThatAnEmbeddingBagTakes) {
  BatchPlan plan = BucketedPlan(16, 1, 4);
  const std::vector<TensorBatch> padded = Received(plan);
  plan.buckets->layout = models::RowLayout::kRagged;
  const std::vector<TensorBatch> ragged = Received(plan);
  ASSERT_EQ(ragged.size(), padded.size());
  const torch::Tensor weight = torch::randn({1001, 8});
  for (size_t i = 0; i < padded.size(); ++i) {
    const torch::Tensor& numbers = ragged[i].input;
    const torch::Tensor& offsets = ragged[i].inputs.at("input_offsets");
    const int64_t num_rows = padded[i].target.size(0);
    ASSERT_EQ(numbers.dim(), 1);
    ASSERT_EQ(offsets.sizes(), torch::IntArrayRef({num_rows + 1}));
    EXPECT_EQ(offsets[num_rows].item<int64_t>(), numbers.size(0));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(numbers.data_ptr()) % 64, 0u);
    const torch::Tensor bags =
        std::get<0>(torch::embedding_bag(weight, numbers, offsets, false, /*mean*/ 1, false, {},
                                         /*include_last_offset=*/true));
    const torch::Tensor present = padded[i].input.ne(0).unsqueeze(2).to(torch::kFloat32);
    const torch::Tensor means =
        (torch::embedding(weight, padded[i].input) * present).sum(1) / present.sum(1).clamp_min(1);
    EXPECT_TRUE(torch::allclose(bags, means, 1e-4, 1e-5));
  }
}

TEST(Tensors, RaggedRowsMayHaveSeveralNumbersAtAPlace) {
  const std::vector<float> numbers = {1, 2, 3, 4, 0, 0,  //
                                      5, 6, 0, 0, 0, 0};
  batch::Batch rows(2);
  ASSERT_THAT(rows.Set(batch::MakeColumn<float>("input", numbers, {3, 2})), IsOk());
  ASSERT_THAT(MakeRagged({}, rows), IsOk());
  const auto tensors = ToTensors(rows);
  ASSERT_THAT(tensors, IsOk());
  EXPECT_TRUE(
      torch::equal(tensors->input, torch::tensor({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}})));
  EXPECT_TRUE(
      torch::equal(tensors->inputs.at("input_offsets"), torch::tensor({0, 2, 3}, torch::kInt64)));
}

}  // namespace
}  // namespace tidemill::loader
