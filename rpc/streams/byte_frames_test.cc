#include "rpc/streams/byte_frames.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/testing/status_matchers.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::rpc {
namespace {

using storage::v1::ReadSamplesResponse;
using ::testing::_;
using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

std::string Join(const grpc::ByteBuffer& message) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(message.Dump(&slices).ok());
  std::string joined;
  for (const grpc::Slice& slice : slices) {
    joined.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return joined;
}

// A message as it may arrive: cut anywhere, with empty pieces.
grpc::ByteBuffer Scatter(const std::string& bytes, std::mt19937& random) {
  std::vector<grpc::Slice> slices;
  for (size_t from = 0; from < bytes.size();) {
    const size_t size = std::min<size_t>(random() % 100, bytes.size() - from);
    slices.emplace_back(bytes.substr(from, size));
    from += size;
  }
  return {slices.data(), slices.size()};
}

std::string RandomBytes(size_t size, std::mt19937& random) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

ReadSamplesResponse RandomResponse(std::mt19937& random) {
  ReadSamplesResponse response;
  response.set_batch(RandomBytes(random() % 2000, random));
  for (uint64_t i = random() % 4; i > 0; --i) {
    auto* missing = response.add_missing();
    missing->set_sample_key(static_cast<int64_t>(random()));
    missing->set_reason("is unknown");
  }
  return response;
}

// Reads every byte, so that a sanitizer sees one that is not there.
void Touch(const Frame& frame) {
  volatile char last = 0;
  for (const char byte : frame.bulk.view()) last = byte;
  for (const char byte : frame.rest) last = byte;
  static_cast<void>(last);
}

TEST(ByteFrames, AreOnTheWireWhatTheirProtoSays) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const ReadSamplesResponse response = RandomResponse(random);
    ReadSamplesResponse others = response;
    others.clear_batch();
    // Pieces short and long.
    const batch::Buffer whole = batch::Buffer::FromString(response.batch());
    const size_t middle = whole.size() / (1 + random() % 20);
    const batch::Buffer parts[] = {
        whole.Slice(0, middle), {}, whole.Slice(middle, whole.size() - middle)};
    EXPECT_EQ(Join(MakeFrame(1, parts, others.SerializeAsString())), response.SerializeAsString());
  }
}

TEST(ByteFrames, PassTheirPartsOnWithoutCopyingThem) {
  const batch::Buffer part = batch::Buffer::Allocate(100'000);
  const grpc::ByteBuffer message = MakeFrame(1, {&part, 1});
  std::vector<grpc::Slice> slices;
  ASSERT_TRUE(message.Dump(&slices).ok());
  ASSERT_EQ(slices.size(), 2);
  EXPECT_EQ(static_cast<const void*>(slices[1].begin()), part.data());
}

TEST(ByteFrames, KeepTheirPartsAliveForAsLongAsTheMessageLives) {
  std::weak_ptr<const std::string> watched;
  grpc::ByteBuffer message;
  {
    const auto bytes = std::make_shared<const std::string>(10'000, 'x');
    watched = bytes;
    const batch::Buffer part = batch::Buffer::Wrap(bytes->data(), bytes->size(), bytes);
    message = MakeFrame(1, {&part, 1});
  }
  EXPECT_FALSE(watched.expired());
  message.Clear();
  EXPECT_TRUE(watched.expired());
}

TEST(ByteFrames, AreTakenApartHoweverTheyWereCut) {
  std::mt19937 random(2);
  for (int i = 0; i < 500; ++i) {
    const ReadSamplesResponse response = RandomResponse(random);
    const auto frame = TakeFrame(Scatter(response.SerializeAsString(), random), 1);
    ASSERT_THAT(frame, IsOk());
    EXPECT_EQ(frame->bulk.view(), response.batch());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(frame->bulk.data()) % 64, 0);
    ReadSamplesResponse others;
    ASSERT_TRUE(others.ParseFromString(frame->rest));
    ReadSamplesResponse expected = response;
    expected.clear_batch();
    EXPECT_EQ(others.SerializeAsString(), expected.SerializeAsString());
  }
}

TEST(ByteFrames, OfOneAlignedPieceAreNotCopied) {
  // Two bytes of head, so that the bulk begins at a multiple of 64.
  batch::Buffer memory = batch::Buffer::Allocate(64 + 100);
  memory.mutable_data()[62] = std::byte{1 << 3 | 2};
  memory.mutable_data()[63] = std::byte{100};
  const grpc::Slice slice(memory.mutable_data() + 62, 102, grpc::Slice::STATIC_SLICE);
  const auto frame = TakeFrame(grpc::ByteBuffer(&slice, 1), 1);
  ASSERT_THAT(frame, IsOk());
  EXPECT_EQ(frame->bulk.data(), memory.data() + 64);
  EXPECT_EQ(frame->bulk.size(), 100);
}

TEST(ByteFrames, OfNothingHoldNothing) {
  const auto frame = TakeFrame(MakeFrame(1, {}), 1);
  ASSERT_THAT(frame, IsOk());
  EXPECT_TRUE(frame->bulk.empty());
  EXPECT_TRUE(frame->rest.empty());
}

TEST(ByteFrames, TheLastOfTwoFieldsCountsAsItDoesInProtobuf) {
  ReadSamplesResponse first;
  first.set_batch("first");
  ReadSamplesResponse second;
  second.set_batch("second");
  std::mt19937 random(3);
  const auto frame =
      TakeFrame(Scatter(first.SerializeAsString() + second.SerializeAsString(), random), 1);
  ASSERT_THAT(frame, IsOk());
  EXPECT_EQ(frame->bulk.view(), "second");
}

TEST(ByteFrames, ThatWereCutOffAreDataLossOrAShorterMessage) {
  std::mt19937 random(4);
  for (int i = 0; i < 20; ++i) {
    const std::string bytes = RandomResponse(random).SerializeAsString();
    for (size_t size = 0; size < bytes.size(); ++size) {
      const auto frame = TakeFrame(Scatter(bytes.substr(0, size), random), 1);
      // What protobuf reads is read, and nothing else.
      ReadSamplesResponse parsed;
      const bool parses = parsed.ParseFromString(bytes.substr(0, size));
      ASSERT_EQ(frame.ok(), parses) << size;
      if (!parses) {
        ASSERT_THAT(frame, StatusIs(absl::StatusCode::kDataLoss, _));
      }
    }
  }
}

TEST(ByteFrames, ThatWereDamagedAreDataLossOrSomeMessage) {
  std::mt19937 random(5);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = RandomResponse(random).SerializeAsString();
    if (bytes.empty()) continue;
    // Most of the structure is at the front.
    const size_t reach = i % 2 == 0 ? std::min<size_t>(bytes.size(), 8) : bytes.size();
    char& byte = bytes[random() % reach];
    byte = static_cast<char>(byte ^ static_cast<char>(1 + random() % 255));
    const auto frame = TakeFrame(Scatter(bytes, random), 1);
    if (frame.ok()) {
      Touch(*frame);
    } else {
      ASSERT_THAT(frame, StatusIs(absl::StatusCode::kDataLoss, _));
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(ByteFrames, OfRandomBytesAreDataLossOrSomeMessage) {
  std::mt19937 random(6);
  for (int i = 0; i < 20'000; ++i) {
    const auto frame = TakeFrame(Scatter(RandomBytes(random() % 64, random), random), 1);
    if (frame.ok()) Touch(*frame);
  }
  EXPECT_THAT(TakeFrame(grpc::ByteBuffer(), 1), StatusIs(absl::StatusCode::kDataLoss, _));
}

TEST(ByteFrames, OfASizeBeyondAllMemoryAreDataLoss) {
  const std::string huge = "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
  const grpc::Slice slice(huge);
  EXPECT_THAT(TakeFrame(grpc::ByteBuffer(&slice, 1), 1), StatusIs(absl::StatusCode::kDataLoss, _));
  EXPECT_THAT(TakeFrame(grpc::ByteBuffer(&slice, 1), 2), StatusIs(absl::StatusCode::kDataLoss, _));
}

TEST(ByteFrames, MessagesWithoutBulkComeBack) {
  std::mt19937 random(7);
  const ReadSamplesResponse response = RandomResponse(random);
  ReadSamplesResponse parsed;
  ASSERT_THAT(FromBytes(ToBytes(response), parsed), IsOk());
  EXPECT_EQ(parsed.SerializeAsString(), response.SerializeAsString());
  const grpc::Slice wrong(std::string("\xff\xff"));
  EXPECT_THAT(FromBytes(grpc::ByteBuffer(&wrong, 1), parsed),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("ReadSamplesResponse")));
  EXPECT_THAT(FromBytes(grpc::ByteBuffer(), parsed),
              StatusIs(absl::StatusCode::kInvalidArgument, _));
}

}  // namespace
}  // namespace tidemill::rpc
