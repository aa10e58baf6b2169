// The ring itself: both ends in one process, without sockets.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <deque>
#include <memory>
#include <utility>

#include "gmock/gmock.h"

#include "base/numbers/random.h"
#include "base/testing/status_matchers.h"
#include "preprocess/transport/ring_reader.h"
#include "preprocess/transport/ring_writer.h"
#include "preprocess/transport/testing/test_batches.h"

namespace tidemill::preprocess {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MakeEmpty;
using testing::MakeMessage;
using testing::TextOf;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

const auto kIsBroken = StatusIs(absl::StatusCode::kDataLoss, _);

class Ring : public ::testing::Test {
 protected:
  void Make(int64_t bytes, size_t num_lanes = 1) {
    auto made = RingWriter::Create(bytes, num_lanes);
    ASSERT_THAT(made, IsOk());
    writer_ = *std::move(made);
    auto opened = RingReader::Open(Descriptor(dup(writer_->descriptor())), num_lanes);
    ASSERT_THAT(opened, IsOk());
    reader_ = *std::move(opened);
  }

  bool Send(const BatchMessage& message, RingGrowth growth = RingGrowth::kNever) {
    EXPECT_THAT(writer_->TakeBack(), IsOk());
    const auto sent = writer_->Send(message, growth);
    EXPECT_THAT(sent, IsOk());
    return sent.value_or(false);
  }
  std::optional<BatchMessage> Pop() {
    auto popped = reader_->Pop();
    EXPECT_THAT(popped, IsOk());
    if (!popped.ok() || !popped->has_value()) return std::nullopt;
    return std::move((*popped)->message);
  }
  // As a hostile other end would see it.
  RingControl& Control() {
    auto memory = RingMemory::Open(Descriptor(dup(writer_->descriptor())), 1);
    EXPECT_THAT(memory, IsOk());
    hostile_.push_back(*std::move(memory));
    return hostile_.back().control();
  }
  int64_t MemoryInUse() const {
    struct stat status = {};
    EXPECT_EQ(fstat(writer_->descriptor(), &status), 0);
    return static_cast<int64_t>(status.st_blocks) * 512;
  }

  std::unique_ptr<RingWriter> writer_;
  std::shared_ptr<RingReader> reader_;
  std::deque<RingMemory> hostile_;
};

TEST_F(Ring, BringsBatchesThatWereWrittenInPlace) {
  Make(1 << 20);
  const auto space = writer_->Reserve(1000, 0, RingGrowth::kNever);
  ASSERT_THAT(space, IsOk());
  ASSERT_TRUE(space->has_value());
  EXPECT_EQ(reinterpret_cast<uintptr_t>((*space)->bytes.data()) % 64, 0);
  std::memset((*space)->bytes.data(), 'x', 1000);
  writer_->Commit(**space, {.lane = 3, .number = 7, .attempt = 2});
  const auto popped = reader_->PopBytes();
  ASSERT_THAT(popped, IsOk());
  ASSERT_TRUE(popped->has_value());
  EXPECT_EQ((*popped)->bytes.view(), std::string(1000, 'x'));
  EXPECT_EQ((*popped)->message.lane, 3);
  EXPECT_EQ((*popped)->message.number, 7);
  EXPECT_EQ((*popped)->message.attempt, 2);
}

TEST_F(Ring, KeepsWhatIsInUseWhateverTheOrderOfRelease) {
  Make(1 << 20);
  std::vector<BatchMessage> views;
  uint64_t state = 7;
  int64_t next = 0;
  for (int64_t round = 0; round < 2000; ++round) {
    state = MixBits(state + 1);
    BatchMessage message = MakeMessage(0, next, static_cast<int64_t>(state % 60'000));
    if (state % 7 == 0) message.reason = "row 3: " + std::string(state % 100, '!');
    if (state % 11 == 0) message = MakeEmpty(0, next, "all of them");
    if (Send(message)) {
      ++next;
      std::optional<BatchMessage> view = Pop();
      ASSERT_TRUE(view.has_value());
      ASSERT_TRUE(TextOf(*view) == TextOf(message));
      if (!view->rows.columns().empty()) views.push_back(*std::move(view));
    } else {
      ASSERT_FALSE(views.empty());
      std::swap(views[(state >> 20) % views.size()], views.back());
      const BatchMessage& last = views.back();
      BatchMessage expected =
          MakeMessage(0, last.number, static_cast<int64_t>(last.rows.num_rows() - 1) * 16);
      expected.reason = last.reason;
      ASSERT_TRUE(TextOf(last) == TextOf(expected));
      views.pop_back();
    }
  }
  EXPECT_GT(next, 500);
  EXPECT_EQ(reader_->num_views(), static_cast<int64_t>(views.size()));
  views.clear();
  ASSERT_THAT(writer_->TakeBack(), IsOk());
  EXPECT_EQ(writer_->num_taken(), 0);
}

TEST_F(Ring, ViewsOutliveBothEnds) {
  Make(1 << 20);
  ASSERT_TRUE(Send(MakeMessage(0, 1, 50'000)));
  std::optional<BatchMessage> view = Pop();
  ASSERT_TRUE(view.has_value());
  reader_.reset();
  writer_.reset();
  batch::Buffer part = view->rows.columns()[1].data;
  EXPECT_TRUE(TextOf(*view) == TextOf(MakeMessage(0, 1, 50'000)));
  view.reset();
  EXPECT_EQ(part.As<int64_t>()[0],
            MakeMessage(0, 1, 50'000).rows.columns()[1].Values<int64_t>()[0]);
}

TEST_F(Ring, GrowsForWhatIsWaitedForAndGivesThePagesBack) {
  Make(1 << 20);
  std::vector<BatchMessage> views;
  int64_t number = 0;
  for (; Send(MakeMessage(0, number, 100'000)); ++number) views.push_back(*Pop());
  const int64_t full = MemoryInUse();
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(Send(MakeMessage(0, number, 3'000'000), RingGrowth::kWhereNeeded));
    views.push_back(*Pop());
    ASSERT_TRUE(TextOf(views.back()) == TextOf(MakeMessage(0, number++, 3'000'000)));
  }
  EXPECT_GT(MemoryInUse(), full + 29'000'000);
  EXPECT_FALSE(Send(MakeMessage(0, number, 100'000)));
  views.clear();
  ASSERT_THAT(writer_->TakeBack(), IsOk());
  EXPECT_LT(MemoryInUse(), full + 1'000'000);
  EXPECT_TRUE(Send(MakeMessage(0, number, 100'000)));
}

TEST_F(Ring, TakesBackMoreThanItsQueueHolds) {
  Make(4 << 20);
  std::vector<BatchMessage> views;
  for (int64_t i = 0; i < 3 * static_cast<int64_t>(kRingSlots); ++i) {
    ASSERT_TRUE(Send(MakeMessage(0, i, 16)));
    views.push_back(*Pop());
  }
  views.clear();
  for (int i = 0; i < 4; ++i) {
    ASSERT_THAT(writer_->TakeBack(), IsOk());
    reader_->Await(reader_->seen(), std::chrono::milliseconds{1});
  }
  EXPECT_EQ(writer_->num_taken(), 0);
}

TEST_F(Ring, StopsWhereItsQueueIsFull) {
  Make(4 << 20);
  for (uint64_t i = 0; i < kRingSlots; ++i) ASSERT_TRUE(Send(MakeEmpty(0, 1, "")));
  EXPECT_FALSE(Send(MakeEmpty(0, 1, "")));
  EXPECT_TRUE(Pop().has_value());
  EXPECT_TRUE(Send(MakeEmpty(0, 1, "")));
}

TEST_F(Ring, PassesGrantsOn) {
  Make(1 << 20, 2);
  EXPECT_THAT(writer_->TakeGrant(), IsOk());
  reader_->Grant(100, std::vector<int64_t>{4, 5});
  reader_->Grant(11, {});
  const auto grant = writer_->TakeGrant();
  ASSERT_THAT(grant, IsOk());
  ASSERT_TRUE(grant->has_value());
  EXPECT_EQ((*grant)->bytes, 111);
  EXPECT_THAT((*grant)->wanted, ElementsAre(4, 5));
  const auto none = writer_->TakeGrant();
  ASSERT_THAT(none, IsOk());
  EXPECT_FALSE(none->has_value());
}

TEST_F(Ring, RefusesWhatIsTooLongForAnyRing) {
  Make(1 << 20);
  const auto refused = StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("too long"));
  EXPECT_THAT(writer_->Reserve((int64_t{1} << 30) + 1, 0, RingGrowth::kWhereNeeded), refused);
  EXPECT_THAT(writer_->Reserve(0, (1 << 20) + 1, RingGrowth::kWhereNeeded), refused);
  EXPECT_EQ(writer_->num_taken(), 0);
}

// What a file may have at most stands for what the machine has.
class LittleMemory {
 public:
  explicit LittleMemory(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    const struct rlimit little = {.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  }
  ~LittleMemory() {
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before_), 0);
    std::signal(SIGXFSZ, handler_);
  }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  struct rlimit before_ = {};
  void (*const handler_)(int);
};

TEST_F(Ring, SaysWhenThereIsNoMemoryForWhatIsWaitedFor) {
  Make(1 << 20);
  const LittleMemory little(kRingControlBytes + (1 << 20));
  ASSERT_TRUE(Send(MakeMessage(0, 0, 500'000)));
  EXPECT_THAT(writer_->Send(MakeMessage(0, 1, 900'000), RingGrowth::kWhereNeeded),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("make the ring or the batches smaller")));
  // What was there before can still be used.
  EXPECT_TRUE(Send(MakeMessage(0, 2, 400'000)));
  EXPECT_TRUE(TextOf(*Pop()) == TextOf(MakeMessage(0, 0, 500'000)));
  EXPECT_TRUE(TextOf(*Pop()) == TextOf(MakeMessage(0, 2, 400'000)));
}

TEST(RingMemory, SaysWhenThereIsTooLittleOfIt) {
  const LittleMemory little(1 << 20);
  const auto refused = RingMemory::Create(64 << 20, 1);
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("67108864")));
}

TEST(RingMemory, RefusesSizesThatCannotBe) {
  const auto refused = StatusIs(absl::StatusCode::kInvalidArgument, _);
  EXPECT_THAT(RingMemory::Create(0, 1), refused);
  EXPECT_THAT(RingMemory::Create(-1, 1), refused);
  EXPECT_THAT(RingMemory::Create(INT64_MAX, 1), refused);
  EXPECT_THAT(RingMemory::Create(1 << 20, kMaxRingLanes + 1), refused);
}

TEST(HostileRing, IsRefusedWhateverItIs) {
  EXPECT_THAT(RingReader::Open(Descriptor(), 1), kIsBroken);
  EXPECT_THAT(RingReader::Open(Descriptor(open("/dev/zero", O_RDWR | O_CLOEXEC)), 1), kIsBroken);
  EXPECT_THAT(RingReader::Open(Descriptor(open("/proc/self/exe", O_RDONLY | O_CLOEXEC)), 1),
              kIsBroken);
  const auto memory = RingMemory::Create(1 << 20, 1);
  ASSERT_THAT(memory, IsOk());
  EXPECT_THAT(RingReader::Open(Descriptor(dup(memory->descriptor())), 2), kIsBroken);
  RingHeader& header = memory->control().header;
  const RingHeader good = header;
  const auto refuses = [&](const char* what) {
    EXPECT_THAT(RingReader::Open(Descriptor(dup(memory->descriptor())), 1), kIsBroken) << what;
    header = good;
  };
  header.magic[0] = 'X';
  refuses("magic");
  header.version = kRingVersion + 1;
  refuses("version");
  header.control_bytes += 4096;
  refuses("control_bytes");
  header.ring_bytes = uint64_t{1} << 63;
  refuses("negative ring_bytes");
  header.ring_bytes = 2 << 20;
  refuses("more than there is");
  header.limit_bytes = UINT64_MAX;
  refuses("limit_bytes");
  EXPECT_THAT(RingReader::Open(Descriptor(dup(memory->descriptor())), 1), IsOk());
}

TEST(HostileRing, ThatCouldShrinkIsRefused) {
  const auto memory = RingMemory::Create(1 << 20, 1);
  ASSERT_THAT(memory, IsOk());
  Descriptor copy(memfd_create("copy", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(copy.number(), kRingControlBytes + (1 << 20)), 0);
  ASSERT_EQ(pwrite(copy.number(), &memory->control().header, sizeof(RingHeader), 0),
            static_cast<ssize_t>(sizeof(RingHeader)));
  EXPECT_THAT(RingReader::Open(Descriptor(dup(copy.number())), 1), kIsBroken);
  ASSERT_EQ(fcntl(copy.number(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  EXPECT_THAT(RingReader::Open(std::move(copy), 1), IsOk());
}

TEST_F(Ring, RefusesSlotsThatMakeNoSense) {
  const auto refuses = [this](void (*spoil)(RingSlot&)) {
    Make(1 << 20);
    ASSERT_TRUE(Send(MakeMessage(0, 0, 1000)));
    spoil(Control().filled[0]);
    EXPECT_THAT(reader_->Pop(), kIsBroken);
  };
  refuses([](RingSlot& slot) { slot.offset = 32; });
  refuses([](RingSlot& slot) { slot.offset = uint64_t{1} << 40; });
  refuses([](RingSlot& slot) { slot.offset = UINT64_MAX - 63; });
  refuses([](RingSlot& slot) { slot.offset = (1 << 20) - 64; });
  refuses([](RingSlot& slot) { slot.offset = 64 << 20; });
  refuses([](RingSlot& slot) { slot.batch_bytes = UINT64_MAX; });
  refuses([](RingSlot& slot) { slot.batch_bytes = 64; });
  refuses([](RingSlot& slot) { slot.reason_bytes = UINT32_MAX; });
}

TEST_F(Ring, RefusesCountersThatMakeNoSense) {
  Make(1 << 20);
  Control().filled_tail.value = kRingSlots + 1;
  EXPECT_THAT(reader_->Pop(), kIsBroken);
  Make(1 << 20);
  Control().released_tail.value = kRingSlots + 1;
  EXPECT_THAT(writer_->TakeBack(), kIsBroken);
  Make(1 << 20);
  Control().granted.value = UINT64_MAX;
  EXPECT_THAT(writer_->TakeGrant(), kIsBroken);
}

TEST_F(Ring, RefusesReleasesOfWhatIsNotThere) {
  Make(1 << 20);
  ASSERT_TRUE(Send(MakeMessage(0, 0, 1000)));
  RingControl& control = Control();
  control.released[0] = 64;
  control.released_tail.value = 1;
  EXPECT_THAT(writer_->TakeBack(), kIsBroken);
}

}  // namespace
}  // namespace tidemill::preprocess
