// Direct reads: storage in a separate process, its client on the same host.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"

#include "base/files.h"
#include "base/paths/local_socket.h"
#include "base/testing/status_matchers.h"
#include "base/time.h"
#include "rpc/callers/job_token.h"
#include "storage/gather/direct_frames.h"
#include "storage/testing/direct_client.h"
#include "storage/testing/generated_dataset.h"
#include "storage/testing/generated_formats.h"
#include "storage/testing/served_dataset.h"

namespace tidemill::storage {
namespace {

using ::testing::_;
using testing::DirectClient;
using ::testing::ElementsAre;
using testing::GeneratedDataset;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::ReadResult;
using testing::Sample;
using testing::Shuffled;
using ::testing::SizeIs;
using testing::Storage;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

// 10^5 samples, or $TIDEMILL_TEST_SAMPLES.
int NumSamples() {
  const char* const text = std::getenv("TIDEMILL_TEST_SAMPLES");
  return text == nullptr ? 100'000 : static_cast<int>(std::strtod(text, nullptr));
}

// A raw connection to the socket, without good manners.
class RawClient {
 public:
  explicit RawClient(const Storage& storage)
      : RawClient(storage.process.PeerAs(rpc::v1::ROLE_SERVICE)) {}
  explicit RawClient(rpc::Peer peer) : peer_(std::move(peer)) {
    auto socket =
        LocalSocket::Connect(direct::SocketPathOf(peer_.endpoint), LocalSocket::Kind::kStream);
    EXPECT_THAT(socket, IsOk());
    socket_ = *std::move(socket);
  }

  template <typename T>
  void Send(const T& value) {
    SendBytes(&value, sizeof(value));
  }
  void SendBytes(const void* bytes, size_t size) {
    std::span<const std::byte> rest(static_cast<const std::byte*>(bytes), size);
    while (!rest.empty()) {
      const auto sent = socket_.Send(rest);
      if (!sent.ok()) return;  // Cut off, as it should be.
      rest = rest.subspan(*sent);
    }
  }
  void Greet(const std::string& token) {
    Send(direct::Greeting{.token_bytes = static_cast<uint32_t>(token.size())});
    SendBytes(token.data(), token.size());
  }
  void Greet() { Greet(peer_.token.Now()); }
  // Asks again and again, and reads no answer. Returns whether the other end stopped taking.
  bool AskWithoutReading(DatasetId dataset, const std::vector<int64_t>& keys) {
    for (int i = 0; i < 1000; ++i) {
      std::vector<std::byte> request(sizeof(direct::RequestHeader) + keys.size() * 8);
      const direct::RequestHeader header{.dataset = dataset.value,
                                         .num_keys = static_cast<uint32_t>(keys.size())};
      std::memcpy(request.data(), &header, sizeof(header));
      std::memcpy(request.data() + sizeof(header), keys.data(), keys.size() * 8);
      const auto sent = socket_.Send(request);
      if (!sent.ok() || *sent < request.size()) return true;
    }
    return false;
  }
  // Whether the other end closes the connection, rather than answer.
  bool IsCutOff() {
    std::vector<Descriptor> descriptors;
    std::byte byte;
    while (true) {
      EXPECT_TRUE(socket_.Await(std::chrono::seconds(20)));
      const auto received = socket_.Receive({&byte, 1}, descriptors);
      if (!received.ok()) return true;
      if (*received > 0) return false;
    }
  }

 private:
  const rpc::Peer peer_;
  LocalSocket socket_;
};

void ExpectAllDirect(const GeneratedDataset& dataset, Storage& storage) {
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  ASSERT_THAT(keys, SizeIs(dataset.samples.size()));
  const std::vector<int64_t> asked = Shuffled(keys, 1);
  DirectClient client(storage);
  testing::ExpectRight(dataset, keys, asked, client.Read(asked));
  EXPECT_THAT(client.left_to_grpc(), IsEmpty());
}

TEST(DirectReads, FixedRecordsWithTheirLabelsAreRightByContent) {
  Storage storage({.block_bytes = "2MiB"});
  ExpectAllDirect(testing::MakeRecords(storage.process.data_folder(), NumSamples()), storage);
}

TEST(DirectReads, CsvRecordsAreRightByContent) {
  Storage storage;
  ExpectAllDirect(testing::MakeCsv(storage.process.data_folder(), NumSamples()), storage);
}

TEST(DirectReads, MembersOfTarsAreRightByContent) {
  Storage storage;
  ExpectAllDirect(testing::MakeTar(storage.process.data_folder(), NumSamples() / 10), storage);
}

TEST(DirectReads, WindowsOfASeriesAreRightByContent) {
  Storage storage;
  ExpectAllDirect(testing::MakeSeries(storage.process.data_folder(), NumSamples()), storage);
}

TEST(DirectReads, PackedFilesAndSingleOnesAreLeftToGrpc) {
  for (const auto make : {testing::MakeGzippedIdx, testing::MakeJsonl, testing::MakeTfRecords,
                          testing::MakeSingleFiles}) {
    Storage storage;
    const GeneratedDataset dataset = make(storage.process.data_folder(), 1000);
    storage.Register(dataset);
    const std::vector<int64_t> keys = storage.SortedKeys();
    DirectClient client(storage);
    EXPECT_THAT(client.Read(keys).samples, IsEmpty());
    EXPECT_EQ(client.num_done(), 0);
    // The client as others use it does not notice.
    testing::ExpectRight(dataset, keys, keys, storage.Read(keys));
  }
}

TEST(DirectReads, DeletedKeysAreNamedAndUnknownOnesAskedForAnew) {
  Storage storage;
  const GeneratedDataset dataset = testing::MakeCsv(storage.process.data_folder(), 500);
  storage.Register(dataset);
  std::vector<int64_t> keys = storage.SortedKeys();
  ASSERT_THAT(storage.operate.DeleteSamples(storage.id, {{keys[7]}}, testing::NewCommand()),
              IsOk());
  const int64_t unknown = keys.back() + 1000;
  keys.insert(keys.begin() + 3, unknown);
  DirectClient client(storage);
  const ReadResult result = client.Read(keys);
  EXPECT_THAT(result.missing, ElementsAre(Pair(keys[8], HasSubstr("deleted")),
                                          Pair(unknown, HasSubstr("unknown"))));
  EXPECT_THAT(client.left_to_grpc(), ElementsAre(unknown));
  EXPECT_THAT(result.samples, SizeIs(499));
  EXPECT_EQ(result.samples[3].key, keys[4]) << "in the order asked";
}

// The answer to a running read of a file that something happens to after the first block.
void ExpectOnlyThatFileSuffers(const std::function<void(const std::string&)>& happen,
                               bool may_be_lost) {
  Storage storage;
  const GeneratedDataset dataset =
      testing::MakeRecords(storage.process.data_folder(), NumSamples());
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  const auto expected = testing::ByKey(dataset, keys);
  DirectClient client(storage);
  const ReadResult result =
      client.Read(Shuffled(keys, 2), [&] { happen(dataset.folder + "/1/r.bin"); });
  ASSERT_GT(result.num_blocks, 10);
  EXPECT_EQ(result.samples.size() + result.num_missing, keys.size());
  EXPECT_EQ(result.num_missing > 0, may_be_lost);
  for (const auto& [key, reason] : result.missing) {
    ASSERT_EQ(expected.at(key)->file, "1/r.bin");
    // The last one when storage has ingested the change in the meantime.
    ASSERT_THAT(reason, ::testing::AnyOf(HasSubstr("no longer in its file"),
                                         HasSubstr("No such file"), HasSubstr("was deleted")));
  }
  for (const Sample& sample : result.samples) {
    ASSERT_TRUE(testing::IsAsExpected(sample, *expected.at(sample.key)));
  }
}

TEST(DirectReads, AFileTruncatedUnderARunningReadCostsThatFileOnly) {
  ExpectOnlyThatFileSuffers([](const std::string& path) { std::filesystem::resize_file(path, 4); },
                            true);
}

TEST(DirectReads, AFileRewrittenUnderARunningReadCostsThatFileOnly) {
  ExpectOnlyThatFileSuffers(
      [](const std::string& path) {
        const std::string zeros(std::filesystem::file_size(path), '\0');
        std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << zeros;
      },
      true);
}

TEST(DirectReads, AFileReplacedOrDeletedUnderARunningReadIsReadOn) {
  // The mapping is of the file that was ingested.
  ExpectOnlyThatFileSuffers(
      [](const std::string& path) {
        ASSERT_THAT(files::WriteAtomically(path, "something else"), IsOk());
      },
      false);
  ExpectOnlyThatFileSuffers(
      [](const std::string& path) { ASSERT_THAT(files::Remove(path), IsOk()); }, false);
}

TEST(DirectReads, AFileReplacedBetweenReadsIsReadFromAFreshDescriptor) {
  Storage storage;
  const GeneratedDataset dataset = testing::MakeCsv(storage.process.data_folder(), 500);
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  DirectClient client(storage);
  testing::ExpectRight(dataset, keys, keys, client.Read(keys));
  // The same records, elsewhere in a file of another length.
  const std::string path = dataset.folder + "/part-0.csv";
  std::string text = *files::Read(path);
  text.insert(text.find('\n') + 1, "900,2030-01-01 00:00:00,a record before the others,owl\n");
  ASSERT_THAT(files::WriteAtomically(path, text), IsOk());
  storage.Sync();
  testing::ExpectRight(dataset, keys, keys, client.Read(keys));
  EXPECT_THAT(client.left_to_grpc(), IsEmpty());
}

TEST(DirectReads, WithoutTheSocketEverythingComesThroughGrpc) {
  Storage storage;
  const GeneratedDataset dataset = testing::MakeCsv(storage.process.data_folder(), 500);
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  std::filesystem::remove(
      direct::SocketPathOf(storage.process.PeerAs(rpc::v1::ROLE_SERVICE).endpoint));
  DirectClient client(storage);
  EXPECT_THAT(client.Read(keys).samples, IsEmpty());
  const StorageClient other = storage.process.ClientAs(rpc::v1::ROLE_SERVICE);
  size_t num_rows = 0;
  EXPECT_THAT(other.ReadSamples(storage.id, keys,
                                [&](const batch::Batch& rows, const auto&) {
                                  num_rows += rows.keys().size();
                                  return absl::OkStatus();
                                }),
              IsOk());
  EXPECT_EQ(num_rows, 500);
}

TEST(DirectReads, ATokenThatMayNotReadIsCutOff) {
  Storage storage;
  storage.Register(testing::MakeCsv(storage.process.data_folder(), 10));
  for (const std::string& token : {storage.process.PeerAs(rpc::v1::ROLE_READER).token.Now(),
                                   std::string("made up"), std::string()}) {
    RawClient client(storage);
    client.Greet(token);
    EXPECT_TRUE(client.IsCutOff()) << token;
  }
}

TEST(DirectReads, AJobsTokenReadsTheDatasetsThatItNames) {
  Storage storage;
  storage.Register(testing::MakeCsv(storage.process.data_folder(), 10));
  const std::vector<int64_t> keys = storage.SortedKeys();
  rpc::v1::JobClaims claims;
  claims.set_holder("train-3-7");
  claims.set_expires_at(Now().micros + int64_t{60} * 1'000'000);
  for (const bool is_its : {true, false}) {
    claims.clear_dataset_ids();
    claims.add_dataset_ids(storage.id.value + (is_its ? 0 : 1));
    rpc::Peer peer = storage.process.PeerAs(rpc::v1::ROLE_SERVICE);
    peer.token = rpc::SignJobToken(claims, peer.token.Now());
    const StorageClient client(peer);
    int64_t num_read = 0;
    const absl::Status read =
        client.ReadSamples(storage.id, keys, [&](const batch::Batch& batch, const auto&) {
          num_read += batch.num_rows();
          return absl::OkStatus();
        });
    if (is_its) {
      EXPECT_THAT(read, IsOk());
      EXPECT_EQ(num_read, std::ssize(keys));
    } else {
      EXPECT_THAT(read, StatusIs(absl::StatusCode::kPermissionDenied, _));
      EXPECT_EQ(num_read, 0);
    }
  }
}

TEST(DirectReads, AnotherUserIsCutOff) {
  if (geteuid() != 0) return;  // Only root can become another user.
  Storage storage;
  storage.Register(testing::MakeCsv(storage.process.data_folder(), 10));
  const rpc::Peer peer = storage.process.PeerAs(rpc::v1::ROLE_SERVICE);
  const std::string path = direct::SocketPathOf(peer.endpoint);
  // Even where the modes would let him in.
  std::filesystem::permissions(path, std::filesystem::perms::all);
  std::filesystem::permissions(std::filesystem::path(path).parent_path(),
                               std::filesystem::perms::all);
  const pid_t child = fork();
  if (child == 0) {
    if (setuid(65534) != 0) _exit(2);
    RawClient client(peer);
    client.Greet();
    _exit(client.IsCutOff() ? 17 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 17);
}

TEST(DirectReads, NonsenseIsCutOffAndOthersAreServed) {
  Storage storage;
  const GeneratedDataset dataset = testing::MakeCsv(storage.process.data_folder(), 500);
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  RawClient stranger(storage);
  stranger.Send(direct::Greeting{.magic = {'G', 'E', 'T', ' ', '/', ' ', 'H', 'T'}});
  EXPECT_TRUE(stranger.IsCutOff());
  RawClient talker(storage);
  talker.Send(direct::Greeting{.token_bytes = 1U << 31});
  EXPECT_TRUE(talker.IsCutOff());
  for (const direct::RequestHeader& header :
       {direct::RequestHeader{.dataset = storage.id.value, .num_keys = direct::kMaxKeys + 1},
        direct::RequestHeader{.dataset = storage.id.value, .num_keys = 0},
        direct::RequestHeader{
            .dataset = storage.id.value, .num_keys = 1, .num_forgotten = 1U << 30}}) {
    RawClient client(storage);
    client.Greet();
    EXPECT_FALSE(client.IsCutOff());
    client.Send(header);
    // Drains the rest of the greeting first.
    while (!client.IsCutOff()) {
    }
  }
  DirectClient client(storage);
  testing::ExpectRight(dataset, keys, keys, client.Read(keys));
}

TEST(DirectReads, ClientsThatReadNothingStopNobody) {
  Storage storage;
  const GeneratedDataset dataset = testing::MakeRecords(storage.process.data_folder(), 30'000);
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  const std::vector<int64_t> some(keys.begin(), keys.begin() + 8000);
  std::vector<std::unique_ptr<RawClient>> stuck;
  for (int i = 0; i < 8; ++i) {
    stuck.push_back(std::make_unique<RawClient>(storage));
    stuck.back()->Greet();
    EXPECT_FALSE(stuck.back()->IsCutOff());
    EXPECT_TRUE(stuck.back()->AskWithoutReading(storage.id, some))
        << "the other end stops taking requests";
  }
  DirectClient client(storage);
  testing::ExpectRight(dataset, keys, keys, client.Read(keys));
  EXPECT_THAT(client.left_to_grpc(), IsEmpty());
}

TEST(DirectReads, MoreConnectionsThanThereMayBeDoNotStopAnybody) {
  Storage storage;
  const GeneratedDataset dataset = testing::MakeCsv(storage.process.data_folder(), 500);
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 150; ++i) {
    idle.push_back(std::make_unique<RawClient>(storage));
    idle.back()->Greet();
  }
  DirectClient client(storage);
  testing::ExpectRight(dataset, keys, keys, client.Read(keys));
}

}  // namespace
}  // namespace tidemill::storage
