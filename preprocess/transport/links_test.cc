// What both kinds of link promise alike.
#include <algorithm>
#include <memory>
#include <utility>

#include "gmock/gmock.h"

#include "base/numbers/random.h"
#include "base/testing/status_matchers.h"
#include "base/testing/tree.h"
#include "preprocess/transport/batch_link.h"
#include "preprocess/transport/testing/served_worker.h"
#include "preprocess/transport/testing/test_batches.h"
#include "rpc/testing/certificates.h"

namespace tidemill::preprocess {
namespace {

using ::testing::_;
using testing::AwaitClosed;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kPlenty;
using testing::MakeCompressible;
using testing::MakeEmpty;
using testing::MakeMessage;
using testing::Received;
using testing::ServedWorker;
using testing::TextOf;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

class Links : public ::testing::TestWithParam<Transport> {
 protected:
  std::unique_ptr<BatchLink> Open(const std::vector<int32_t>& lanes = {0}) {
    return worker_.Open(GetParam(), received_, lanes, options_);
  }

  LinkOptions options_;
  ServedWorker worker_;
  Received received_;
};

TEST_P(Links, BringEveryMessageOnceAndEqual) {
  const auto link = Open({0, 1});
  const auto outbox = worker_.outboxes.Await();
  std::vector<std::string> sent;
  for (int64_t i = 0; i < 200; ++i) {
    BatchMessage message = i % 17 == 3
                               ? MakeEmpty(0, i, "no such file")
                               : MakeMessage(static_cast<int32_t>(i % 2), i, i * i * 13 % 900'001);
    message.num_skipped = i;
    if (i % 5 == 0) message.reason = "row " + std::to_string(i) + " is not a number";
    sent.push_back(TextOf(message));
    outbox->Put(std::move(message));
    if (i == 100) link->Grant(kPlenty, {});
  }
  received_.AwaitCount(sent.size());
  const std::vector<BatchMessage> messages = received_.Take();
  ASSERT_EQ(messages.size(), sent.size());
  for (size_t i = 0; i < sent.size(); ++i) {
    ASSERT_TRUE(TextOf(messages[i]) == sent[i]) << "message " << i;
  }
  EXPECT_EQ(link->counters().num_batches, 200);
  EXPECT_FALSE(link->counters().fallback);
  EXPECT_EQ(link->counters().transport, GetParam() == Transport::kFrames ? "frames" : "ring");
}

TEST_P(Links, BringBatchesThatAreLongerThanAnyMessage) {
  const auto link = Open();
  link->Grant(kPlenty, {});
  const auto outbox = worker_.outboxes.Await();
  std::vector<std::string> sent;
  for (int64_t i = 0; i < 4; ++i) {
    BatchMessage message = MakeMessage(0, i, i % 2 == 0 ? int64_t{20} << 20 : 1000);
    sent.push_back(TextOf(message));
    outbox->Put(std::move(message));
  }
  received_.AwaitCount(sent.size());
  const std::vector<BatchMessage> messages = received_.Take();
  ASSERT_EQ(messages.size(), sent.size());
  for (size_t i = 0; i < sent.size(); ++i) EXPECT_TRUE(TextOf(messages[i]) == sent[i]) << i;
  EXPECT_EQ(link->counters().num_batches, 4);
}

TEST_P(Links, AlignTheColumnsForVectorInstructions) {
  const auto link = Open();
  link->Grant(kPlenty, {});
  worker_.outboxes.Await()->Put(MakeMessage(0, 0, 100'000));
  received_.AwaitCount(1);
  const std::vector<BatchMessage> messages = received_.Take();
  ASSERT_EQ(messages.size(), 1);
  for (const batch::Column& column : messages[0].rows.columns()) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(column.data.data()) % 64, 0);
  }
}

TEST_P(Links, TellTheWorkerWhichConsumerAsksForWhat) {
  const auto link = Open({4, 9});
  worker_.outboxes.Await();
  const v1::ReadBatchesRequest::Open request = worker_.outboxes.RequestOf(0);
  EXPECT_EQ(request.job_id(), 1);
  EXPECT_THAT(request.lanes(), ElementsAre(4, 9));
  EXPECT_EQ(request.worker().worker_id(), 2);
  EXPECT_EQ(request.worker().incarnation(), 3);
}

TEST_P(Links, SendOnlyWhatCreditAllowsAndWhatIsWaitedFor) {
  const auto link = Open({0, 1});
  const auto outbox = worker_.outboxes.Await();
  for (int64_t i = 0; i < 20; ++i) outbox->Put(MakeMessage(0, i, 10'000));
  link->Grant(3 * BytesOf(MakeMessage(0, 0, 10'000)), {});
  received_.AwaitCount(3);
  // Credit is used up: only the message that is waited for comes, so it is the next one.
  link->Grant(0, std::vector<int64_t>{15, -1});
  received_.AwaitCount(4);
  std::vector<int64_t> numbers;
  for (const BatchMessage& message : received_.Take()) numbers.push_back(message.number);
  EXPECT_THAT(numbers, ElementsAre(0, 1, 2, 15));
  EXPECT_EQ(outbox->bytes(), 16 * BytesOf(MakeMessage(0, 0, 10'000)));
}

TEST_P(Links, NeedNoMoreThanTheWishToSendWhatIsPutLater) {
  const auto link = Open({0, 1});
  const auto outbox = worker_.outboxes.Await();
  for (int64_t i = 0; i < 50; ++i) {
    link->Grant(0, std::vector<int64_t>{-1, i});
    outbox->Put(MakeMessage(0, i, 1000));
    outbox->Put(MakeMessage(1, i, 1000));
    received_.AwaitCount(static_cast<size_t>(i + 1));
  }
  for (const BatchMessage& message : received_.Take()) EXPECT_EQ(message.lane, 1);
}

TEST_P(Links, BoundWhatIsOnTheWayToAConsumerThatStalls) {
  const auto link = Open();
  const auto outbox = worker_.outboxes.Await();
  const int64_t bytes = BytesOf(MakeMessage(0, 0, 1 << 20));
  for (int64_t i = 0; i < 32; ++i) outbox->Put(MakeMessage(0, i, 1 << 20));
  link->Grant(8 * bytes, {});
  received_.AwaitCount(8);
  EXPECT_EQ(outbox->bytes(), 24 * bytes);
  EXPECT_EQ(received_.count(), 8);
}

TEST_P(Links, EndWellWhenTheWorkerHasNothingMoreToSend) {
  const auto link = Open();
  link->Grant(kPlenty, {});
  const auto outbox = worker_.outboxes.Await();
  outbox->Put(MakeMessage(0, 0, 2 << 20));
  received_.AwaitCount(1);
  outbox->Close(absl::OkStatus());
  EXPECT_THAT(received_.AwaitEnd(), IsOk());
  link->Grant(1, {});
}

TEST_P(Links, PassOnWhyTheWorkerEndsThem) {
  const auto link = Open();
  worker_.outboxes.Await()->Close(NotFound("job 1 is finished"));
  EXPECT_THAT(received_.AwaitEnd(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("job 1")));
  EXPECT_EQ(received_.num_ends(), 1);
}

TEST_P(Links, PassOnWhyTheWorkerRefusesThem) {
  worker_.outboxes.Refuse(FailedPrecondition("this is incarnation 4"));
  const auto link = Open();
  EXPECT_THAT(received_.AwaitEnd(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("incarnation 4")));
}

TEST_P(Links, EndAsUnavailableWhereNobodyServes) {
  worker_.Stop();
  const auto link = Open();
  EXPECT_THAT(received_.AwaitEnd(), StatusIs(absl::StatusCode::kUnavailable, _));
}

TEST_P(Links, EndAsUnavailableWhenTheWorkerStops) {
  const auto link = Open();
  const auto outbox = worker_.outboxes.Await();
  worker_.Stop();
  EXPECT_THAT(received_.AwaitEnd(), StatusIs(absl::StatusCode::kUnavailable, _));
  EXPECT_THAT(AwaitClosed(*outbox), StatusIs(absl::StatusCode::kUnavailable, _));
}

TEST_P(Links, NeedATokenOfTheRightRole) {
  worker_.token = "wrong";
  const auto link = Open();
  EXPECT_THAT(received_.AwaitEnd(), StatusIs(absl::StatusCode::kUnauthenticated, _));
  worker_.token = worker_.folder.TokenOf(rpc::v1::ROLE_READER);
  Received second;
  const auto other = worker_.Open(GetParam(), second, {0}, {});
  EXPECT_THAT(second.AwaitEnd(), StatusIs(absl::StatusCode::kPermissionDenied, _));
}

TEST_P(Links, CloseTheOutboxOfAConsumerThatLeaves) {
  auto link = Open();
  const auto outbox = worker_.outboxes.Await();
  link.reset();
  EXPECT_THAT(AwaitClosed(*outbox), StatusIs(absl::StatusCode::kUnavailable, _));
  EXPECT_EQ(received_.num_ends(), 0);
}

TEST_P(Links, CallNobodyOnceTheyAreGone) {
  for (int round = 0; round < 20; ++round) {
    auto handed = std::make_unique<Received>();
    auto link = worker_.Open(GetParam(), *handed, {0}, {});
    link->Grant(kPlenty, {});
    const auto outbox = worker_.outboxes.Await(static_cast<size_t>(round));
    for (int64_t i = 0; i < 200; ++i) outbox->Put(MakeMessage(0, i, 50'000));
    handed->AwaitCount(static_cast<size_t>(round));
    link.reset();
    handed.reset();  // A call from now on would touch freed memory.
    EXPECT_THAT(AwaitClosed(*outbox), StatusIs(absl::StatusCode::kUnavailable, _));
  }
}

TEST_P(Links, MayGrantFromTheirHandler) {
  std::unique_ptr<BatchLink> link;
  Mutex mutex;
  LinkHandler handler = received_.Handler();
  const auto take = handler.batch;
  handler.batch = [&](BatchMessage message) {
    const int64_t next[] = {message.number + 1};
    take(std::move(message));
    MutexLock lock(mutex);
    link->Grant(0, next);
  };
  {
    MutexLock lock(mutex);
    link = worker_.OpenWith(GetParam(), std::move(handler), {0}, {});
    link->Grant(0, std::vector<int64_t>{0});
  }
  const auto outbox = worker_.outboxes.Await();
  for (int64_t i = 299; i >= 0; --i) outbox->Put(MakeMessage(0, i, 100));
  received_.AwaitCount(300);
  const std::vector<BatchMessage> messages = received_.Take();
  for (size_t i = 0; i < messages.size(); ++i) EXPECT_EQ(messages[i].number, i);
}

TEST_P(Links, KeepNoDescriptors) {
  const auto run = [this](size_t index) {
    Received received;
    auto link = worker_.Open(GetParam(), received, {0}, {.ring_bytes = 1 << 20});
    link->Grant(kPlenty, {});
    const auto outbox = worker_.outboxes.Await(index);
    outbox->Put(MakeMessage(0, 0, 1000));
    received.AwaitCount(1);
    link.reset();
    EXPECT_THAT(AwaitClosed(*outbox), StatusIs(absl::StatusCode::kUnavailable, _));
  };
  size_t index = 0;
  for (; index < 10; ++index) run(index);
  const int before = testing::NumOpenDescriptors();
  for (; index < 210; ++index) run(index);
  EXPECT_LT(testing::NumOpenDescriptors(), before + 20);
}

INSTANTIATE_TEST_SUITE_P(Both, Links, ::testing::Values(Transport::kFrames, Transport::kRing),
                         [](const auto& instance) {
                           return instance.param == Transport::kFrames ? "Frames" : "Ring";
                         });

class Compressed : public ::testing::TestWithParam<CompressionChoice> {};

TEST_P(Compressed, FramesBringTheSame) {
  ServedWorker worker;
  Received received;
  const auto link = worker.Open(Transport::kFrames, received, {0}, {.compression = GetParam()});
  link->Grant(kPlenty, {});
  const auto outbox = worker.outboxes.Await();
  std::vector<std::string> sent;
  for (int64_t i = 0; i < 60; ++i) {
    BatchMessage message =
        i % 2 == 0 ? MakeMessage(0, i, 100'000) : MakeCompressible(0, i, 200'000);
    sent.push_back(TextOf(message));
    outbox->Put(std::move(message));
  }
  received.AwaitCount(sent.size());
  const std::vector<BatchMessage> messages = received.Take();
  ASSERT_EQ(messages.size(), sent.size());
  for (size_t i = 0; i < sent.size(); ++i) EXPECT_TRUE(TextOf(messages[i]) == sent[i]) << i;
  const LinkCounters counters = link->counters();
  const bool always =
      GetParam() == CompressionChoice::kLz4 || GetParam() == CompressionChoice::kZstd;
  if (always) {
    EXPECT_LT(counters.num_wire_bytes, counters.num_bytes * 2 / 3);
  }
  if (GetParam() == CompressionChoice::kNone) {
    EXPECT_EQ(counters.num_wire_bytes, counters.num_bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Choices, Compressed,
                         ::testing::Values(CompressionChoice::kAuto, CompressionChoice::kNone,
                                           CompressionChoice::kLz4, CompressionChoice::kZstd));

TEST(FrameLinks, VerifyTheWorkerOnTcp) {
  rpc::testing::TokenFolder folder;
  const rpc::testing::Certificates ours(tidemill::testing::InTree("deploy/certificates.sh"),
                                        folder.path() + "/ours");
  const rpc::testing::Certificates others(tidemill::testing::InTree("deploy/certificates.sh"),
                                          folder.path() + "/others");
  const auto read = [](const rpc::TlsConfig& config) {
    const auto tls = rpc::ReadTls(config);
    EXPECT_THAT(tls, IsOk());
    return tls.value_or(nullptr);
  };
  ServedWorker worker("127.0.0.1:0", read(ours.Issue("worker")));
  worker.tls = read(ours.Issue("consumer"));
  Received received;
  const auto link = worker.Open(Transport::kFrames, received, {0}, {});
  link->Grant(kPlenty, {});
  worker.outboxes.Await()->Put(MakeMessage(0, 0, 3 << 20));
  received.AwaitCount(1);
  EXPECT_EQ(received.count(), 1);
  worker.tls = read(others.Issue("consumer"));
  Received nothing;
  const auto refused = worker.Open(Transport::kFrames, nothing, {0}, {});
  EXPECT_THAT(nothing.AwaitEnd(), StatusIs(absl::StatusCode::kUnavailable, _));
}

}  // namespace
}  // namespace tidemill::preprocess
