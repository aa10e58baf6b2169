// Links by shared memory: what is theirs alone.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "gmock/gmock.h"

#include "base/descriptor.h"
#include "base/metrics.h"
#include "base/numbers/random.h"
#include "base/paths/local_socket.h"
#include "base/testing/status_matchers.h"
#include "preprocess/ring/ring_memory.h"
#include "preprocess/ring/ring_packets.h"
#include "preprocess/transport/testing/served_worker.h"
#include "preprocess/transport/testing/test_batches.h"

namespace tidemill::preprocess {
namespace {

using ::testing::_;
using testing::AwaitClosed;
using ::testing::HasSubstr;
using testing::kPlenty;
using testing::MakeMessage;
using testing::Received;
using testing::ServedWorker;
using testing::TextOf;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr LinkOptions kSmallRing = {.ring_bytes = 256 << 10};

TEST(RingLinks, AreTakenOnOneHostAlone) {
  ServedWorker worker;
  const auto transport_of = [&](const v1::Worker& description, Transport transport) {
    Received received;
    v1::ReadBatchesRequest::Open open;
    open.add_lanes(0);
    LinkOptions options = kSmallRing;
    options.transport = transport;
    const auto link = OpenLink({.endpoint = {}, .token = worker.token}, description, open, options,
                               received.Handler());
    worker.outboxes.OnOpen([](Outbox& outbox) { outbox.Put(MakeMessage(0, 0, 10)); });
    link->Grant(1, {});
    received.AwaitCount(1);
    EXPECT_EQ(received.count(), 1);
    const LinkCounters counters = link->counters();
    return std::string(counters.transport) + (counters.fallback ? ", fallback" : "");
  };
  v1::Worker elsewhere = worker.Description();
  elsewhere.set_boot_id("of another host");
  v1::Worker without = worker.Description();
  without.clear_ring_socket();
  EXPECT_EQ(transport_of(worker.Description(), Transport::kAuto), "ring");
  EXPECT_EQ(transport_of(worker.Description(), Transport::kFrames), "frames");
  EXPECT_EQ(transport_of(elsewhere, Transport::kAuto), "frames");
  EXPECT_EQ(transport_of(elsewhere, Transport::kRing), "frames, fallback");
  EXPECT_EQ(transport_of(without, Transport::kAuto), "frames");
  EXPECT_EQ(transport_of(without, Transport::kRing), "frames, fallback");
}

TEST(RingLinks, BecomeFramesWhereThereIsNoRing) {
  ServedWorker worker;
  worker.StopRings();
  Received received;
  const auto link = worker.Open(Transport::kAuto, received, {0, 1}, {});
  link->Grant(0, std::vector<int64_t>{-1, 3});
  worker.outboxes.Await()->Put(MakeMessage(1, 3, 1000));
  received.AwaitCount(1);
  ASSERT_EQ(received.count(), 1);
  EXPECT_TRUE(TextOf(received.Take()[0]) == TextOf(MakeMessage(1, 3, 1000)));
  EXPECT_TRUE(link->counters().fallback);
  EXPECT_THAT(metrics::Process().Text(), HasSubstr("transport_fallback"));
}

TEST(RingLinks, BecomeFramesWhenTheRingCannotBeMade) {
  ServedWorker worker;
  Received received;
  const auto link = worker.Open(Transport::kAuto, received, {0}, {.ring_bytes = 1});
  link->Grant(kPlenty, {});
  worker.outboxes.Await()->Put(MakeMessage(0, 0, 1000));
  received.AwaitCount(1);
  EXPECT_EQ(received.count(), 1);
  EXPECT_TRUE(link->counters().fallback);
  EXPECT_EQ(link->counters().transport, "frames");
}

TEST(RingLinks, MayBeGrantedCreditByTheirHandlerWhileTheyEnd) {
  ServedWorker worker;
  worker.StopRings();
  Received received;
  v1::ReadBatchesRequest::Open open;
  open.add_lanes(0);
  BatchLink* ending = nullptr;
  LinkHandler handler = received.Handler();
  handler.batch = [&, deliver = handler.batch](BatchMessage message) {
    deliver(std::move(message));
    // By now the destructor of the frames waits for this call.
    AwaitClosed(*worker.outboxes.Await()).IgnoreError();
    ending->Grant(1, {});
    EXPECT_TRUE(ending->counters().fallback);
  };
  auto link = OpenLink({.endpoint = {}, .token = worker.token}, worker.Description(), open,
                       kSmallRing, std::move(handler));
  ending = link.get();
  link->Grant(kPlenty, {});
  worker.outboxes.Await()->Put(MakeMessage(0, 0, 10));
  received.AwaitCount(1);
  link.reset();
  EXPECT_EQ(received.num_calls_after_end(), 0);
}

TEST(RingLinks, BringWhatIsWaitedForThroughARingFullOfViews) {
  ServedWorker worker;
  Received received;
  const auto link = worker.Open(Transport::kRing, received, {0, 1}, kSmallRing);
  link->Grant(kPlenty, {});
  const auto outbox = worker.outboxes.Await();
  // Far more than fits, of both lanes, none of which is dropped by its consumer.
  for (int64_t i = 10; i < 100; ++i) {
    outbox->Put(MakeMessage(static_cast<int32_t>(i % 2), i, 20'000));
  }
  received.AwaitCount(10);
  const std::vector<BatchMessage> views = received.Take();
  // Numbers below all of these, sent a second time.
  for (int64_t i = 0; i < 10; ++i) {
    const size_t before = received.count();
    link->Grant(0, std::vector<int64_t>{i, -1});
    outbox->Put(MakeMessage(0, i, 100'000, 2));
    for (size_t seen = before; received.num_ends() == 0;) {
      received.AwaitCount(++seen);
      const std::vector<BatchMessage> now = received.Take();
      const bool is_here = std::any_of(now.begin(), now.end(), [&](const BatchMessage& message) {
        return message.number == i && TextOf(message) == TextOf(MakeMessage(0, i, 100'000, 2));
      });
      if (is_here) break;
    }
  }
  EXPECT_EQ(received.num_ends(), 0);
  for (const BatchMessage& view : views) {
    EXPECT_TRUE(TextOf(view) == TextOf(MakeMessage(view.lane, view.number, 20'000)));
  }
}

TEST(RingLinks, BoundWhatAStalledConsumerHolds) {
  ServedWorker worker;
  Received received;
  const auto link = worker.Open(Transport::kRing, received, {0}, kSmallRing);
  const int64_t bytes = BytesOf(MakeMessage(0, 0, 20'000));
  link->Grant(50 * bytes, {});
  const auto outbox = worker.outboxes.Await();
  for (int64_t i = 0; i < 100; ++i) outbox->Put(MakeMessage(0, i, 20'000));
  const auto fits = static_cast<size_t>((256 << 10) / (bytes + 63));
  received.AwaitCount(fits);
  EXPECT_EQ(received.count(), fits);
  // One message more may wait for room outside of the outbox.
  EXPECT_GE(outbox->bytes(), (100 - static_cast<int64_t>(fits) - 1) * bytes);
  received.Take();
  received.AwaitCount(2 * fits);
  EXPECT_EQ(received.count(), 2 * fits);
}

TEST(RingLinks, BringABatchLargerThanTheRing) {
  ServedWorker worker;
  Received received;
  const auto link = worker.Open(Transport::kRing, received, {0}, kSmallRing);
  link->Grant(kPlenty, {});
  const auto outbox = worker.outboxes.Await();
  for (int64_t i = 0; i < 3; ++i) {
    outbox->Put(MakeMessage(0, i, 20 << 20));
    received.AwaitCount(static_cast<size_t>(i + 1));
    const std::vector<BatchMessage> messages = received.Take();
    ASSERT_EQ(messages.size(), 1);
    EXPECT_TRUE(TextOf(messages[0]) == TextOf(MakeMessage(0, i, 20 << 20)));
  }
}

TEST(RingLinks, LoseNothingWhenViewsAreDroppedInAnyOrder) {
  constexpr int64_t kCount = 1000;
  ServedWorker worker;
  Received received;
  const auto link = worker.Open(Transport::kRing, received, {0, 1}, kSmallRing);
  link->Grant(kPlenty, {});
  const auto outbox = worker.outboxes.Await();
  for (int64_t i = 0; i < kCount; ++i) {
    outbox->Put(MakeMessage(static_cast<int32_t>(i % 2), i,
                            static_cast<int64_t>(MixBits(static_cast<uint64_t>(i)) % 30'000)));
  }
  std::vector<BatchMessage> views;
  std::vector<int> times(kCount);
  uint64_t state = 3;
  for (size_t num_seen = 0; num_seen < kCount;) {
    received.AwaitCount(num_seen + 1);
    for (BatchMessage& message : received.Take()) {
      ++times[static_cast<size_t>(message.number)];
      ++num_seen;
      views.push_back(std::move(message));
    }
    ASSERT_EQ(received.num_ends(), 0);
    while (views.size() > 3) {
      state = MixBits(state + 1);
      std::swap(views[state % views.size()], views.back());
      const BatchMessage& last = views.back();
      ASSERT_TRUE(TextOf(last) ==
                  TextOf(MakeMessage(last.lane, last.number, (last.rows.num_rows() - 1) * 16)));
      views.pop_back();
    }
  }
  EXPECT_THAT(times, ::testing::Each(1));
}

// Says whatever a test lets it say.
class HostileWorker {
 public:
  explicit HostileWorker(const std::string& path) {
    auto listening = LocalSocket::Listen(path, kRingSocketKind);
    EXPECT_THAT(listening, IsOk());
    if (listening.ok()) listening_ = *std::move(listening);
  }
  // Answers one request.
  void Answer(const std::string& bytes, int descriptor) {
    EXPECT_TRUE(listening_.Await(std::chrono::seconds{20}));
    auto accepted = listening_.Accept();
    ASSERT_TRUE(accepted.has_value());
    socket_ = *std::move(accepted);
    EXPECT_TRUE(socket_.Await(std::chrono::seconds{20}));
    EXPECT_THAT(SendPacket(socket_, bytes, descriptor), IsOk());
  }

 private:
  LocalSocket listening_;
  LocalSocket socket_;
};

TEST(HostileWorkers, OfNoRingLeadToFrames) {
  ServedWorker worker;
  worker.StopRings();
  const auto ring = RingMemory::Create(1 << 20, 7);
  ASSERT_THAT(ring, IsOk());
  const Descriptor file(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const std::string fine = Encode(RingAnswer{});
  const std::pair<std::string, int> answers[] = {
      {"nonsense", -1}, {fine, -1}, {fine, file.number()}, {fine, ring->descriptor()}};
  for (const auto& [bytes, descriptor] : answers) {
    HostileWorker hostile(testing::RingSocketIn(worker.folder.path()));
    Received received;
    worker.outboxes.OnOpen([](Outbox& outbox) { outbox.Put(MakeMessage(0, 0, 10)); });
    const auto link = worker.Open(Transport::kAuto, received, {0}, {});
    hostile.Answer(bytes, descriptor);
    link->Grant(1, {});
    received.AwaitCount(1);
    EXPECT_EQ(received.count(), 1);
    EXPECT_TRUE(link->counters().fallback);
  }
}

TEST(HostileWorkers, OfASpoiltRingEndTheLink) {
  ServedWorker worker;
  worker.StopRings();
  HostileWorker hostile(testing::RingSocketIn(worker.folder.path()));
  const auto ring = RingMemory::Create(1 << 20, 1);
  ASSERT_THAT(ring, IsOk());
  ring->control().filled[0] = {.offset = uint64_t{1} << 62, .batch_bytes = 1 << 20};
  ring->control().filled_tail.value = 1;
  Received received;
  const auto link = worker.Open(Transport::kAuto, received, {0}, {});
  hostile.Answer(Encode(RingAnswer{}), ring->descriptor());
  EXPECT_THAT(received.AwaitEnd(), StatusIs(absl::StatusCode::kDataLoss, _));
}

TEST(HostileConsumers, GetNothing) {
  ServedWorker worker;
  const auto answer_to = [&](const std::string& bytes) -> absl::Status {
    const auto socket =
        LocalSocket::Connect(testing::RingSocketIn(worker.folder.path()), kRingSocketKind);
    EXPECT_THAT(socket, IsOk());
    EXPECT_THAT(SendPacket(*socket, bytes), IsOk());
    EXPECT_TRUE(socket->Await(std::chrono::seconds{20}));
    const auto packet = ReceivePacket(*socket);
    if (!packet.ok()) return packet.status();
    EXPECT_FALSE((*packet)->descriptor.is_open());
    const auto answer = DecodeRingAnswer((*packet)->bytes);
    EXPECT_THAT(answer, IsOk());
    return answer.ok() ? answer->status : answer.status();
  };
  EXPECT_THAT(answer_to("nonsense"), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(answer_to(*Encode(RingRequest{.token = "guess", .ring_bytes = 1 << 20})),
              StatusIs(absl::StatusCode::kUnauthenticated, _));
  EXPECT_THAT(answer_to(*Encode(RingRequest{.token = worker.token, .ring_bytes = -5})),
              StatusIs(absl::StatusCode::kInvalidArgument, _));
}

TEST(HostileConsumers, ThatReleaseWhatTheyDoNotHaveAreCutOff) {
  ServedWorker worker;
  const auto socket =
      LocalSocket::Connect(testing::RingSocketIn(worker.folder.path()), kRingSocketKind);
  ASSERT_THAT(socket, IsOk());
  RingRequest request{.token = worker.token, .ring_bytes = 1 << 20};
  request.open.add_lanes(0);
  ASSERT_THAT(SendPacket(*socket, *Encode(request)), IsOk());
  ASSERT_TRUE(socket->Await(std::chrono::seconds{20}));
  auto packet = ReceivePacket(*socket);
  ASSERT_THAT(packet, IsOk());
  const auto ring = RingMemory::Open(std::move((*packet)->descriptor), 1);
  ASSERT_THAT(ring, IsOk());
  ring->control().released_tail.value = 5;
  ring->control().worker_bell.Ring();
  EXPECT_THAT(AwaitClosed(*worker.outboxes.Await()), StatusIs(absl::StatusCode::kDataLoss, _));
}

}  // namespace
}  // namespace tidemill::preprocess
