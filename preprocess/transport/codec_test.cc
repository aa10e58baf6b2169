#include "preprocess/transport/codec.h"

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "batch/wire.h"
#include "preprocess/transport/batch_frame.h"
#include "preprocess/transport/testing/test_batches.h"
#include "rpc/streams/byte_frames.h"

namespace tidemill::preprocess {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using testing::MakeCompressible;
using testing::MakeEmpty;
using testing::MakeMessage;
using testing::TextOf;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

// What the messages of one batch decode to.
absl::StatusOr<DecodedFrame> DecodeAll(const std::vector<grpc::ByteBuffer>& messages) {
  FrameDecoder decoder;
  std::optional<DecodedFrame> decoded;
  for (const grpc::ByteBuffer& message : messages) {
    if (decoded) return Internal("a message follows the last one");
    ASSIGN_OR_RETURN(decoded, decoder.Decode(message));
  }
  if (!decoded) return Internal("something is missing");
  return *std::move(decoded);
}

class Codec : public ::testing::TestWithParam<v1::Compression> {};

TEST_P(Codec, GivesBackTheBytesOfAllParts) {
  const std::vector<batch::Buffer> parts = {batch::Buffer::FromString(std::string(1000, 'a')),
                                            batch::Buffer(),
                                            batch::Buffer::FromString("something else")};
  const auto compressed = Compress(GetParam(), parts);
  ASSERT_THAT(compressed, IsOk());
  EXPECT_LT(compressed->size(), 200);
  const auto back = Decompress(GetParam(), *compressed, 1014);
  ASSERT_THAT(back, IsOk());
  EXPECT_EQ(back->view(), std::string(1000, 'a') + "something else");
}

TEST_P(Codec, RefusesBytesThatAreNotItsOwn) {
  const std::vector<batch::Buffer> parts = {batch::Buffer::FromString(std::string(5000, 'a'))};
  const auto compressed = Compress(GetParam(), parts);
  ASSERT_THAT(compressed, IsOk());
  const auto refused = StatusIs(absl::StatusCode::kDataLoss, _);
  EXPECT_THAT(Decompress(GetParam(), *compressed, 4999), refused);
  EXPECT_THAT(Decompress(GetParam(), *compressed, 5001), refused);
  EXPECT_THAT(Decompress(GetParam(), *compressed, -1), refused);
  EXPECT_THAT(Decompress(GetParam(), *compressed, INT64_MAX), refused);
  EXPECT_THAT(Decompress(GetParam(), compressed->Slice(0, compressed->size() / 2), 5000), refused);
  EXPECT_THAT(Decompress(GetParam(), batch::Buffer::FromString("nonsense"), 5000), refused);
}

TEST_P(Codec, MakesFramesThatDecodeToTheSameBatch) {
  const BatchMessage message = MakeCompressible(2, 9, 300'000);
  const auto plain = EncodeFrames(message, {});
  const auto encoded = EncodeFrames(message, {.use = GetParam(), .probe = v1::COMPRESSION_LZ4});
  ASSERT_THAT(plain, IsOk());
  ASSERT_THAT(encoded, IsOk());
  EXPECT_EQ(encoded->costs.size(), 2);
  ASSERT_EQ(plain->messages.size(), 1);
  ASSERT_EQ(encoded->messages.size(), 1);
  EXPECT_LT(encoded->messages[0].Length(), plain->messages[0].Length() / 2);
  const auto decoded = DecodeAll(encoded->messages);
  ASSERT_THAT(decoded, IsOk());
  EXPECT_EQ(TextOf(decoded->message), TextOf(message));
  EXPECT_EQ(decoded->num_bytes, BytesOf(message));
}

TEST_P(Codec, LeavesIncompressibleBytesUnchanged) {
  const BatchMessage message = MakeMessage(2, 9, 300'000);
  const auto encoded = EncodeFrames(message, {.use = GetParam()});
  ASSERT_THAT(encoded, IsOk());
  const auto decoded = DecodeAll(encoded->messages);
  ASSERT_THAT(decoded, IsOk());
  EXPECT_EQ(decoded->num_wire_bytes, decoded->num_bytes);
  EXPECT_EQ(TextOf(decoded->message), TextOf(message));
}

INSTANTIATE_TEST_SUITE_P(All, Codec, ::testing::Values(v1::COMPRESSION_LZ4, v1::COMPRESSION_ZSTD));

TEST(BatchFrame, ReportsABatchWithoutRows) {
  const auto encoded = EncodeFrames(MakeEmpty(1, 4, "not a picture"), {});
  ASSERT_THAT(encoded, IsOk());
  const auto decoded = DecodeAll(encoded->messages);
  ASSERT_THAT(decoded, IsOk());
  EXPECT_EQ(TextOf(decoded->message), TextOf(MakeEmpty(1, 4, "not a picture")));
}

TEST(BatchFrame, IsSeveralMessagesForALongBatch) {
  for (const int64_t bytes : {kMaxFrameBytes - 1000, kMaxFrameBytes + 1000, 5 * kMaxFrameBytes}) {
    BatchMessage message = MakeMessage(0, 3, bytes);
    message.num_skipped = 2;
    message.reason = "torn";
    const auto encoded = EncodeFrames(message, {.use = v1::COMPRESSION_LZ4});
    ASSERT_THAT(encoded, IsOk());
    const int64_t size = BytesOf(message);
    EXPECT_EQ(std::ssize(encoded->messages), (size + kMaxFrameBytes - 1) / kMaxFrameBytes);
    const auto decoded = DecodeAll(encoded->messages);
    ASSERT_THAT(decoded, IsOk());
    EXPECT_EQ(TextOf(decoded->message), TextOf(message));
    EXPECT_EQ(decoded->num_bytes, size);
    EXPECT_EQ(decoded->num_wire_bytes, size);
  }
}

TEST(BatchFrame, RefusesPartsThatDoNotFollowEachOther) {
  const auto one = EncodeFrames(MakeMessage(0, 3, 2 * kMaxFrameBytes), {});
  const auto other = EncodeFrames(MakeMessage(0, 4, 2 * kMaxFrameBytes), {});
  ASSERT_THAT(one, IsOk());
  ASSERT_THAT(other, IsOk());
  const auto refused = StatusIs(absl::StatusCode::kDataLoss, HasSubstr("batch 3 of lane 0"));
  EXPECT_THAT(DecodeAll({one->messages[0], other->messages[1]}), refused);
  EXPECT_THAT(DecodeAll({one->messages[0], one->messages[0], one->messages[0]}), refused);
}

TEST(BatchFrame, RefusesBytesThatAreNotABatch) {
  v1::ReadBatchesResponse response;
  response.set_batch("these bytes are none");
  EXPECT_THAT(FrameDecoder().Decode(rpc::ToBytes(response)),
              StatusIs(absl::StatusCode::kDataLoss, _));
  response.set_compression(v1::COMPRESSION_ZSTD);
  response.set_num_bytes(1 << 20);
  EXPECT_THAT(FrameDecoder().Decode(rpc::ToBytes(response)),
              StatusIs(absl::StatusCode::kDataLoss, _));
}

}  // namespace
}  // namespace tidemill::preprocess
