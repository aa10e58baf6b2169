#include "preprocess/transport/compression_policy.h"

#include "gmock/gmock.h"

namespace tidemill::preprocess {
namespace {

constexpr int64_t kBatch = 1 << 20;
constexpr double kGigabyte = 1e9;
const std::vector<v1::Compression> kBoth = {v1::COMPRESSION_LZ4, v1::COMPRESSION_ZSTD};

struct Data {
  double lz4_ratio = 1;
  double zstd_ratio = 1;
  double lz4_speed = 0.5 * kGigabyte;
  double zstd_speed = 0.25 * kGigabyte;
};

// Sends `num_batches` batches over a link with this rate; returns how many were compressed.
int Send(CompressionPolicy& policy, const Data& data, double link_speed, int num_batches) {
  int num_compressed = 0;
  const auto encode = [&](v1::Compression compression, int64_t bytes) {
    const bool is_lz4 = compression == v1::COMPRESSION_LZ4;
    const auto size = static_cast<int64_t>(static_cast<double>(bytes) *
                                           (is_lz4 ? data.lz4_ratio : data.zstd_ratio));
    policy.Encoded(compression, bytes, size,
                   static_cast<double>(bytes) / (is_lz4 ? data.lz4_speed : data.zstd_speed));
    return size;
  };
  for (int i = 0; i < num_batches; ++i) {
    const CompressionPolicy::Plan plan = policy.Next(kBatch);
    int64_t wire_bytes = kBatch;
    if (plan.probe != v1::COMPRESSION_UNSPECIFIED) encode(plan.probe, kBatch / 8);
    if (plan.use != v1::COMPRESSION_UNSPECIFIED) {
      wire_bytes = encode(plan.use, kBatch);
      ++num_compressed;
    }
    policy.Written(wire_bytes, static_cast<double>(wire_bytes) / link_speed);
  }
  return num_compressed;
}

TEST(CompressionPolicy, NeverCompressesForAConsumerThatAcceptsNone) {
  CompressionPolicy policy({});
  EXPECT_EQ(Send(policy, {.lz4_ratio = 0.1, .zstd_ratio = 0.1}, 1e6, 100), 0);
}

TEST(CompressionPolicy, AlwaysUsesTheOnlyOneThatIsAccepted) {
  CompressionPolicy policy({v1::COMPRESSION_ZSTD});
  EXPECT_EQ(Send(policy, {}, 10 * kGigabyte, 100), 100);
  EXPECT_EQ(policy.chosen(), v1::COMPRESSION_ZSTD);
}

TEST(CompressionPolicy, LeavesIncompressibleDataOnLoopbackAlone) {
  CompressionPolicy policy(kBoth);
  EXPECT_EQ(Send(policy, {}, 2 * kGigabyte, 200), 0);
}

TEST(CompressionPolicy, LeavesEvenCompressibleDataAloneOnAFastLink) {
  CompressionPolicy policy(kBoth);
  EXPECT_EQ(Send(policy, {.lz4_ratio = 0.4, .zstd_ratio = 0.3}, 2 * kGigabyte, 200), 0);
}

TEST(CompressionPolicy, CompressesForASlowLinkFromTheFirstBatchesOn) {
  CompressionPolicy policy(kBoth);
  EXPECT_GE(Send(policy, {.lz4_ratio = 0.4, .zstd_ratio = 0.3}, 10e6, 20), 16);
  EXPECT_EQ(policy.chosen(), v1::COMPRESSION_ZSTD);
}

TEST(CompressionPolicy, TakesTheFasterOneWhereTheLinkIsALittleSlow) {
  CompressionPolicy policy(kBoth);
  Send(policy, {.lz4_ratio = 0.4, .zstd_ratio = 0.35}, 0.15 * kGigabyte, 60);
  EXPECT_EQ(policy.chosen(), v1::COMPRESSION_LZ4);
}

TEST(CompressionPolicy, StopsWithinTwentyBatchesWhenTheDataNoLongerGetsSmaller) {
  CompressionPolicy policy(kBoth);
  Send(policy, {.lz4_ratio = 0.4, .zstd_ratio = 0.3}, 10e6, 100);
  ASSERT_NE(policy.chosen(), v1::COMPRESSION_UNSPECIFIED);
  Send(policy, {}, 2 * kGigabyte, 20);
  EXPECT_EQ(policy.chosen(), v1::COMPRESSION_UNSPECIFIED);
}

TEST(CompressionPolicy, BeginsWhenTheLinkBecomesSlow) {
  CompressionPolicy policy(kBoth);
  const Data data = {.lz4_ratio = 0.4, .zstd_ratio = 0.3};
  ASSERT_EQ(Send(policy, data, 2 * kGigabyte, 100), 0);
  EXPECT_GE(Send(policy, data, 10e6, 20), 15);
}

TEST(CompressionPolicy, TriesFivePercentOfTheBatches) {
  CompressionPolicy policy(kBoth);
  int num_probes = 0;
  for (int i = 0; i < 1000; ++i) {
    if (policy.Next(kBatch).probe != v1::COMPRESSION_UNSPECIFIED) ++num_probes;
    policy.Written(kBatch, 0.001);
  }
  EXPECT_THAT(num_probes, ::testing::AllOf(::testing::Ge(50), ::testing::Le(52)));
}

TEST(CompressionPolicy, DoesNotThinkAboutSmallBatches) {
  CompressionPolicy policy({v1::COMPRESSION_LZ4});
  EXPECT_EQ(policy.Next(100).use, v1::COMPRESSION_UNSPECIFIED);
}

}  // namespace
}  // namespace tidemill::preprocess
