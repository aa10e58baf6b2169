// Prepared rows in a real object store, as several hosts see them.
#include "storage/prepared_objects/object_rows.h"

#include <algorithm>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "base/testing/temp_folder.h"
#include "prepared/host_store.h"
#include "prepared/testing/numbered_rows.h"
#include "storage/prepared_objects/open_host_store.h"
#include "storage/testing/fault_proxy.h"
#include "storage/testing/s3_server.h"

namespace tidemill::storage {
namespace {

using prepared::HostStore;
using prepared::NamedRows;
using prepared::PreparedSamples;
using prepared::RowState;
using prepared::SampleName;
using prepared::testing::ByteOf;
using prepared::testing::Names;
using ::testing::_;
using ::testing::ElementsAre;
using testing::FaultProxy;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::S3Server;
using ::testing::SizeIs;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;
using tidemill::testing::TempFolder;

constexpr int64_t kWidth = 1000;

prepared::RowColumns Columns() { return prepared::testing::Columns(kWidth); }
NamedRows RowsOf(std::span<const SampleName> names) {
  return prepared::testing::RowsOf(names, kWidth);
}
NamedRows Find(PreparedSamples& samples, std::span<const SampleName> names) {
  return prepared::testing::Find(samples, names, kWidth);
}

bool Keep(PreparedSamples& samples, std::span<const SampleName> names) {
  const bool is_kept = samples.Keep(names, RowsOf(names));
  samples.Flush();
  return is_kept;
}

std::string RowText(int64_t key) {
  std::string text;
  for (size_t at = 0; at < static_cast<size_t>(kWidth); ++at)
    text += static_cast<char>(ByteOf(key, at));
  return text;
}

absl::StatusOr<int64_t> Wipe(RowObjects& objects, std::span<const int64_t> keys) {
  ForgottenKeys forgotten(objects);
  return WipeKeysIn(objects, forgotten, keys);
}

// A store with its points, as one process has it.
struct Host {
  std::unique_ptr<HostStore> store;

  std::unique_ptr<PreparedSamples> Open(const std::string& digest = "a", double worth = 1) const {
    auto samples = store->OpenPoint(digest, {.worth = worth, .text = "a test"}, Columns());
    EXPECT_THAT(samples, IsOk());
    return *std::move(samples);
  }
};

const S3Server& Server() {
  static const S3Server server("rows");
  return server;
}

class ObjectRowsTest : public ::testing::Test {
 protected:
  // A folder of the bucket for each test.
  static std::string Url() {
    return std::string("s3://rows/") +
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  // A host with nothing but the object store, unless it gets a disk.
  static Host OpenHost(int64_t bytes = 1 << 30, const std::string& disk = "",
                       const ObjectStoreConfig& connection = Server().Config(),
                       bool takes_all = false) {
    auto store = OpenHostStore({.disk_folder = disk,
                                .disk_bytes = disk.empty() ? 0 : 1 << 30,
                                .object_store = Url(),
                                .object_store_bytes = bytes},
                               connection, takes_all);
    EXPECT_THAT(store, IsOk());
    return {*std::move(store)};
  }
  static std::unique_ptr<RowObjects> Objects() {
    auto objects = RowObjects::Open(Url(), Server().Config());
    EXPECT_THAT(objects, IsOk());
    return *std::move(objects);
  }
  static std::vector<StoredObject> Blocks() {
    auto objects = Objects()->List("");
    EXPECT_THAT(objects, IsOk());
    std::erase_if(*objects, [](const StoredObject& one) { return !RowsOfBlock(one.name); });
    return *std::move(objects);
  }
  static std::string ContentOf(const StoredObject& object) {
    return *Objects()->Read(object.name, 0, object.bytes);
  }
  static int64_t BytesInStore() {
    int64_t bytes = 0;
    for (const StoredObject& block : Blocks()) bytes += block.bytes;
    return bytes;
  }
};

TEST_F(ObjectRowsTest, AreFoundByAnotherHostAndNothingElseIs) {
  const Host one = OpenHost();
  EXPECT_TRUE(Keep(*one.Open(), Names(10, 40)));
  const Host other = OpenHost();
  const auto samples = other.Open();
  EXPECT_EQ(Find(*samples, Names(10, 40)).NumMissing(), 0);
  EXPECT_EQ(Find(*samples, Names(40, 50)).NumMissing(), 10);
  // The key of another record.
  const std::vector<SampleName> not_kept = {{10, 77}, {11, 0}};
  EXPECT_EQ(Find(*samples, not_kept).NumMissing(), 2);
  EXPECT_EQ(Find(*other.Open("b"), Names(10, 40)).NumMissing(), 30);
}

TEST_F(ObjectRowsTest, SayWhyASampleIsBadAndThatOneIsFiltered) {
  const auto names = Names(0, 4);
  NamedRows rows = RowsOf(names);
  rows.states = {RowState::kGood, RowState::kBad, RowState::kFiltered, RowState::kMissing};
  rows.reasons[1] = "op 1 (decode_image): the file is cut off";
  const Host host = OpenHost();
  {
    const auto samples = host.Open();
    EXPECT_TRUE(samples->Keep(names, rows));
  }  // Writes what is in memory.
  const NamedRows found = Find(*OpenHost().Open(), names);
  EXPECT_THAT(found.states, ElementsAre(RowState::kGood, RowState::kBad, RowState::kFiltered,
                                        RowState::kMissing));
  EXPECT_EQ(found.reasons.at(1), "op 1 (decode_image): the file is cut off");
}

TEST_F(ObjectRowsTest, AreKeptOnTheDiskOfAHostThatFindsThem) {
  TempFolder folder;
  EXPECT_TRUE(Keep(*OpenHost().Open(), Names(0, 20)));
  const Host host = OpenHost(1 << 30, folder.path() + "/disk");
  EXPECT_EQ(Find(*host.Open(), Names(0, 20)).NumMissing(), 0);
  // Without the store, they are still there.
  const auto alone =
      HostStore::Open({.disk_folder = folder.path() + "/disk", .disk_bytes = 1 << 30});
  const auto samples = alone->OpenPoint("a", {}, Columns());
  ASSERT_THAT(samples, IsOk());
  EXPECT_EQ(Find(**samples, Names(0, 20)).NumMissing(), 0);
}

TEST_F(ObjectRowsTest, AreTakenFromTheDiskByACommandThatFillsTheStore) {
  TempFolder folder;
  {
    const auto alone =
        HostStore::Open({.disk_folder = folder.path() + "/disk", .disk_bytes = 1 << 30});
    const auto samples = alone->OpenPoint("a", {}, Columns());
    ASSERT_THAT(samples, IsOk());
    EXPECT_TRUE(Keep(**samples, Names(0, 20)));
  }
  const Host host =
      OpenHost(1 << 30, folder.path() + "/disk", Server().Config(), /*takes_all=*/true);
  const auto samples = host.Open();
  EXPECT_EQ(Find(*samples, Names(0, 20)).NumMissing(), 0);
  samples->Flush();
  EXPECT_EQ(samples->counts().shared, 20);
  EXPECT_EQ(Find(*OpenHost().Open(), Names(0, 20)).NumMissing(), 0);
}

TEST_F(ObjectRowsTest, AFlippedByteOrACutAnywhereCostsRowsAndNeverChangesOne) {
  const auto names = Names(0, 6);
  EXPECT_TRUE(Keep(*OpenHost().Open(), names));
  ASSERT_THAT(Blocks(), SizeIs(1));
  const StoredObject block = Blocks().front();
  const std::string whole = ContentOf(block);
  for (size_t at = 0; at < whole.size(); at += 97) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    ASSERT_THAT(Objects()->Put(block.name, flipped), IsOk());
    EXPECT_GE(Find(*OpenHost().Open(), names).NumMissing(), 1) << "byte " << at;
  }
  for (size_t size = 0; size < whole.size(); size += 571) {
    ASSERT_THAT(Objects()->Put(block.name, whole.substr(0, size)), IsOk());
    EXPECT_EQ(Find(*OpenHost().Open(), names).NumMissing(), 6) << "cut at " << size;
  }
  ASSERT_THAT(Objects()->Put(block.name, whole), IsOk());
  EXPECT_EQ(Find(*OpenHost().Open(), names).NumMissing(), 0);
}

TEST_F(ObjectRowsTest, ThatWereRemovedMeanwhileAreMadeAgain) {
  EXPECT_TRUE(Keep(*OpenHost().Open(), Names(0, 6)));
  const Host host = OpenHost();
  const auto samples = host.Open();
  EXPECT_EQ(Find(*samples, Names(0, 6)).NumMissing(), 0);
  ASSERT_THAT(Objects()->Delete(Blocks().front().name), IsOk());
  EXPECT_EQ(Find(*samples, Names(0, 6)).NumMissing(), 6);
  EXPECT_TRUE(Keep(*samples, Names(0, 6)));
  EXPECT_EQ(Find(*samples, Names(0, 6)).NumMissing(), 0);
}

TEST_F(ObjectRowsTest, OfDeletedKeysLeaveNoByteInAnyPoint) {
  const Host host = OpenHost();
  const auto samples = host.Open("a");
  EXPECT_TRUE(Keep(*samples, Names(0, 20)));
  EXPECT_TRUE(Keep(*samples, Names(20, 40)));
  EXPECT_TRUE(Keep(*host.Open("b"), Names(0, 5)));
  EXPECT_TRUE(Keep(*host.Open("c"), Names(7, 8)));
  const std::vector<int64_t> forgotten = {3, 7, 1000};
  EXPECT_THAT(Wipe(*Objects(), forgotten), IsOkAndHolds(4));
  // The only row of c is gone, and its block with it.
  ASSERT_THAT(Blocks(), SizeIs(3));
  for (const StoredObject& block : Blocks()) {
    EXPECT_EQ(ContentOf(block).find(RowText(3)), std::string::npos);
    EXPECT_EQ(ContentOf(block).find(RowText(7)), std::string::npos);
  }
  const Host other = OpenHost();
  const auto of_other = other.Open("a");
  for (PreparedSamples* const reader : {samples.get(), of_other.get()}) {
    const NamedRows found = Find(*reader, Names(0, 40));
    EXPECT_EQ(found.NumMissing(), 2);
    EXPECT_EQ(found.states[3], RowState::kMissing);
    EXPECT_EQ(found.states[7], RowState::kMissing);
  }
  EXPECT_THAT(Wipe(*Objects(), forgotten), IsOkAndHolds(0));
}

TEST_F(ObjectRowsTest, OfKeysThatWereDeletedBeforeTheyAreWrittenDoNotStay) {
  const Host host = OpenHost();
  const auto samples = host.Open();
  EXPECT_TRUE(samples->Keep(Names(0, 10), RowsOf(Names(0, 10))));
  const std::vector<int64_t> forgotten = {4};
  EXPECT_THAT(Wipe(*Objects(), forgotten), IsOkAndHolds(0));
  samples->Flush();
  ASSERT_THAT(Blocks(), SizeIs(1));
  EXPECT_EQ(ContentOf(Blocks().front()).find(RowText(4)), std::string::npos);
  EXPECT_NE(ContentOf(Blocks().front()).find(RowText(5)), std::string::npos);
  EXPECT_EQ(Find(*OpenHost().Open(), Names(0, 10)).NumMissing(), 1);
}

TEST_F(ObjectRowsTest, OfDeletedKeysAreRemovedByAReaderWhenTheirWriterHasDied) {
  const auto objects = Objects();
  EXPECT_TRUE(Keep(*OpenHost().Open(), Names(0, 10)));
  const StoredObject block = Blocks().front();
  const std::string whole = ContentOf(block);
  const std::vector<int64_t> forgotten = {4};
  EXPECT_THAT(Wipe(*objects, forgotten), IsOkAndHolds(1));
  // As if it had been written after that, and nothing more.
  ASSERT_THAT(objects->Put("a/0123456789abcdef-10.rows", whole), IsOk());
  EXPECT_EQ(Find(*OpenHost().Open(), Names(4, 5)).NumMissing(), 1);
  for (const StoredObject& one : Blocks()) {
    EXPECT_EQ(ContentOf(one).find(RowText(4)), std::string::npos) << one.name;
  }
}

TEST_F(ObjectRowsTest, OfDeletedKeysAreWipedInADamagedBlockToo) {
  EXPECT_TRUE(Keep(*OpenHost().Open(), Names(0, 10)));
  const StoredObject block = Blocks().front();
  std::string damaged = ContentOf(block);
  damaged[40] = static_cast<char>(damaged[40] ^ 1);
  ASSERT_THAT(Objects()->Put(block.name, damaged), IsOk());
  const std::vector<int64_t> forgotten = {4};
  EXPECT_THAT(Wipe(*Objects(), forgotten), IsOk());
  EXPECT_THAT(Blocks(), IsEmpty());
}

TEST_F(ObjectRowsTest, StayWithinTheBudgetAndGiveWayOnlyToRowsThatSaveMoreAByte) {
  constexpr int64_t kBudget = 100'000;  // Some ninety rows.
  {
    const Host host = OpenHost(kBudget);
    const auto poor = host.Open("poor", 1);
    EXPECT_TRUE(Keep(*poor, Names(0, 70)));
    Keep(*poor, Names(70, 200));
    EXPECT_GT(poor->counts().refused, 0);
  }
  EXPECT_LE(BytesInStore(), kBudget);
  const int64_t num_poor = 70 - Find(*OpenHost(kBudget).Open("poor", 1), Names(0, 70)).NumMissing();
  EXPECT_EQ(num_poor, 70);
  const Host host = OpenHost(kBudget);
  const auto equal = host.Open("equal", 1.1);
  Keep(*equal, Names(0, 70));
  EXPECT_EQ(equal->counts().kept + equal->counts().refused, 70);
  EXPECT_GT(equal->counts().refused, 30);
  const auto rich = host.Open("rich", 3);
  EXPECT_TRUE(Keep(*rich, Names(0, 70)));
  EXPECT_EQ(rich->counts().refused, 0);
  EXPECT_LE(BytesInStore(), kBudget);
  EXPECT_EQ(Find(*OpenHost(kBudget).Open("rich", 3), Names(0, 70)).NumMissing(), 0);
}

TEST_F(ObjectRowsTest, ThatExceedASmallerBudgetAreRemovedAndThoseAskedForLast) {
  {
    const Host host = OpenHost();
    EXPECT_TRUE(Keep(*host.Open("asked", prepared::kAskedFor), Names(0, 40)));
    EXPECT_TRUE(Keep(*host.Open("other", 5), Names(0, 40)));
  }
  const Host host = OpenHost(60'000);
  EXPECT_TRUE(host.store->IsAskedFor("asked"));
  EXPECT_FALSE(host.store->IsAskedFor("other"));
  EXPECT_LE(BytesInStore(), 60'000);
  EXPECT_EQ(Find(*host.Open("asked"), Names(0, 40)).NumMissing(), 0);
  EXPECT_EQ(Find(*host.Open("other"), Names(0, 40)).NumMissing(), 40);
}

TEST_F(ObjectRowsTest, ThatNothingUsedForLongAreRemovedUnlessAUserAskedForThem) {
  {
    const Host host = OpenHost();
    EXPECT_TRUE(Keep(*host.Open("asked", prepared::kAskedFor), Names(0, 10)));
    EXPECT_TRUE(Keep(*host.Open("unused", 5), Names(0, 10)));
    EXPECT_THAT(Objects()->Put("unused/other", "not of this program"), IsOk());
  }
  auto objects = Objects();
  // As if ten seconds had passed.
  ObjectBudget budget(*objects, 1 << 30, {-10'000'000});
  EXPECT_TRUE(budget.IsAskedFor("asked"));
  EXPECT_THAT(*objects->List("unused/"), SizeIs(1));
  EXPECT_EQ(Find(*OpenHost().Open("asked"), Names(0, 10)).NumMissing(), 0);
  EXPECT_EQ(Find(*OpenHost().Open("unused"), Names(0, 10)).NumMissing(), 10);
}

TEST_F(ObjectRowsTest, AreMissingWhileTheServerIsAwayAndFoundAgainAfterwards) {
  S3Server server("rows");
  TempFolder folder;
  const Host host = OpenHost(1 << 30, folder.path() + "/disk", server.Config());
  const auto samples = host.Open();
  EXPECT_TRUE(Keep(*samples, Names(0, 20)));
  server.Kill();
  // What is on disk is found, and more is kept there.
  EXPECT_EQ(Find(*samples, Names(0, 30)).NumMissing(), 10);
  EXPECT_TRUE(Keep(*samples, Names(20, 30)));
  EXPECT_EQ(Find(*samples, Names(0, 30)).NumMissing(), 0);
  EXPECT_EQ(samples->counts().refused, 0);
  EXPECT_EQ(samples->counts().not_shared, 10);
  const std::vector<int64_t> forgotten = {4};
  const auto objects = RowObjects::Open(Url(), server.Config());
  ASSERT_THAT(objects, IsOk());
  EXPECT_THAT(Wipe(**objects, forgotten), StatusIs(absl::StatusCode::kUnavailable, _));
  server.Start();
  EXPECT_THAT(Wipe(**objects, forgotten), IsOkAndHolds(1));
  EXPECT_EQ(Find(*OpenHost(1 << 30, "", server.Config()).Open(), Names(0, 20)).NumMissing(), 1);
}

TEST_F(ObjectRowsTest, NobodyWaitsLongForAStoreThatDoesNotAnswer) {
  EXPECT_TRUE(Keep(*OpenHost().Open(), Names(0, 20)));
  FaultProxy proxy(Server().port());
  ObjectStoreConfig connection = Server().Config();
  connection.endpoint = proxy.endpoint();
  const Host host = OpenHost(1 << 30, "", connection);
  const auto samples = host.Open();
  EXPECT_EQ(Find(*samples, Names(0, 20)).NumMissing(), 0);
  proxy.Disconnect();
  proxy.Stall(1000);
  EXPECT_EQ(Find(*samples, Names(0, 20)).NumMissing(), 20);
  // From now on, it is not asked for a while.
  const int before = proxy.num_requests();
  EXPECT_EQ(Find(*samples, Names(0, 20)).NumMissing(), 20);
  EXPECT_FALSE(samples->Keep(Names(20, 30), RowsOf(Names(20, 30))));
  EXPECT_EQ(proxy.num_requests(), before);
}

TEST_F(ObjectRowsTest, AreNotKeptWithWrongCredentials) {
  ObjectStoreConfig wrong = Server().Config();
  wrong.secret_access_key = "wrong";
  const Host host = OpenHost(1 << 30, "", wrong);
  EXPECT_FALSE(host.store->IsAskedFor("a"));
  EXPECT_EQ(host.store->shared()->BytesFor({}), 0);
  const auto samples = host.Open();
  EXPECT_EQ(Find(*samples, Names(0, 5)).NumMissing(), 5);
  Keep(*samples, Names(0, 5));
  EXPECT_EQ(samples->counts().refused, 5);
  const auto objects = RowObjects::Open(Url(), wrong);
  ASSERT_THAT(objects, IsOk());
  EXPECT_THAT((*objects)->List("").status(),
              StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("secret access key")));
}

TEST_F(ObjectRowsTest, HaveASpeedThatIsRemembered) {
  TempFolder folder;
  const Host host = OpenHost(1 << 30, folder.path());
  const auto speed = host.store->shared()->speed();
  EXPECT_GT(speed.read_row_ns, 0);
  EXPECT_LT(speed.read_row_ns, 1e9);
  EXPECT_EQ(OpenHost(1 << 30, folder.path()).store->shared()->speed().read_byte_ns,
            host.store->shared()->speed().read_byte_ns);
  EXPECT_THAT(*Objects()->List("probe/"), IsEmpty());
}

TEST_F(ObjectRowsTest, AreFoundByThreadsWhatThreadsKeep) {
  const Host host = OpenHost();
  const auto samples = host.Open();
  WorkerPool pool("test", 4);
  pool.ParallelFor(40, [&](int64_t round) {
    const auto names = Names(round % 20 * 10, round % 20 * 10 + 10);
    Find(*samples, names);
    samples->Keep(names, RowsOf(names));
  });
  samples->Flush();
  EXPECT_EQ(Find(*samples, Names(0, 200)).NumMissing(), 0);
  EXPECT_EQ(Find(*OpenHost().Open(), Names(0, 200)).NumMissing(), 0);
}

}  // namespace
}  // namespace tidemill::storage
