// Readers of storage that stand still, for two seconds or for TIDEMILL_STALL_SECONDS.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"

#include "base/testing/process_memory.h"
#include "base/testing/status_matchers.h"
#include "rpc/access/credentials.h"
#include "rpc/stream_budget.h"
#include "rpc/streams/byte_frames.h"
#include "rpc/streams/frame_reader.h"
#include "storage/testing/served_dataset.h"

namespace tidemill::storage {
namespace {

using ::testing::Le;
using testing::Storage;
using tidemill::testing::IsOk;
using tidemill::testing::kStallBudget;
using tidemill::testing::MemoryGrowth;
using tidemill::testing::StatusIs;

// The number of small records, whose list is long: 96 MiB without its labels, 150 MiB with all
// else.
constexpr int64_t kMany = int64_t{6} << 20;
// A list does not fit between both ends of a stream.
constexpr int64_t kFew = int64_t{1} << 20;

class StalledReader : public ::testing::Test {
 protected:
  // Over TCP, since a UNIX socket may lead around gRPC.
  explicit StalledReader(bool tcp = true) : storage_({.tcp = tcp, .block_bytes = "2MiB"}) {}

  void Serve(int64_t num_samples) {
    storage_.Register(testing::MakeSmallRecords(storage_.process.data_folder(), num_samples));
    first_key_ = storage_.snapshot.committed_key() - num_samples + 1;
    // Returns memory that ingest has freed, so that growth is seen.
    storage_.process.Kill();
    storage_.process.Start();
    EXPECT_EQ(storage_.Read({first_key_}).samples.size(), 1);
  }

  // Begins a list, of which only the first message is read.
  std::unique_ptr<rpc::FrameReader> BeginList() {
    auto reader = Call("ListSamples", rpc::ToBytes(storage_.ListRequest()),
                       storage_.process.PeerAs(rpc::v1::ROLE_SERVICE));
    const auto first = reader->Next();
    EXPECT_THAT(first, IsOk());
    EXPECT_TRUE(first.ok() && first->has_value());
    return reader;
  }
  std::unique_ptr<rpc::FrameReader> Call(const std::string& method, const grpc::ByteBuffer& request,
                                         const rpc::Peer& peer) {
    return Call(method, request, peer, rpc::Connect(peer));
  }
  std::unique_ptr<rpc::FrameReader> Call(const std::string& method, const grpc::ByteBuffer& request,
                                         const rpc::Peer& peer,
                                         const std::shared_ptr<grpc::Channel>& channel) {
    return std::make_unique<rpc::FrameReader>(
        peer, channel, "/tidemill.storage.v1.StorageService/" + method, request, no_credits_);
  }

  // Stands still at the first call, and says by how much this process and storage's have grown.
  absl::Status StandStill() {
    if (growth_ == 0) growth_ = watched_->AwaitSettled();
    return absl::OkStatus();
  }
  void BeginToWatch() {
    watched_.emplace(std::vector<pid_t>{getpid(), storage_.process.process()});
  }

  // Reads all samples, and stands still in between.
  void ReadAndStandStill() {
    Serve(kMany);
    std::vector<int64_t> keys(static_cast<size_t>(kMany));
    std::iota(keys.begin(), keys.end(), first_key_);
    BeginToWatch();
    int64_t num_rows = 0;
    EXPECT_THAT(storage_.service.ReadSamples(
                    storage_.id, keys,
                    [&](const batch::Batch& rows, const std::vector<v1::MissingSample>&) {
                      num_rows += rows.num_rows();
                      return StandStill();
                    }),
                IsOk());
    EXPECT_THAT(growth_, Le(kStallBudget));
    EXPECT_EQ(num_rows, kMany) << "the rest comes when the reader continues";
  }

  rpc::ByteCredits no_credits_{0};
  Storage storage_;
  int64_t first_key_ = 0;
  std::optional<MemoryGrowth> watched_;
  int64_t growth_ = 0;
};

TEST_F(StalledReader, OfSamplesCostsNoProcessMoreThanItsBudget) { ReadAndStandStill(); }

// On the host of storage, whose files it reads itself.
class StalledDirectReader : public StalledReader {
 protected:
  StalledDirectReader() : StalledReader(/*tcp=*/false) {}
};

TEST_F(StalledDirectReader, OfSamplesCostsNoProcessMoreThanItsBudget) { ReadAndStandStill(); }

TEST_F(StalledReader, OfAListCostsNoProcessMoreThanItsBudget) {
  Serve(kMany);
  v1::ListSamplesRequest request = storage_.ListRequest();
  request.set_with_labels(true);
  BeginToWatch();
  int64_t num_rows = 0;
  EXPECT_THAT(storage_.service.ListSamples(request,
                                           [&](const batch::Batch& rows) {
                                             num_rows += rows.num_rows();
                                             return StandStill();
                                           }),
              IsOk());
  EXPECT_THAT(growth_, Le(kStallBudget));
  EXPECT_EQ(num_rows, kMany);
}

TEST_F(StalledReader, KeepsNoOtherCallWaiting) {
  Serve(kFew);
  // More than storage has threads.
  constexpr int kNumStalled = 64;
  std::vector<std::unique_ptr<rpc::FrameReader>> stalled;
  for (int i = 0; i < kNumStalled; ++i) stalled.push_back(BeginList());
  EXPECT_EQ(storage_.Read({first_key_, first_key_ + 1}).samples.size(), 2);
  EXPECT_THAT(storage_.service.GetDataset("small"), IsOk());
}

// What a thousand streams may cost beside what cluster.streams.memory allows them.
constexpr int64_t kBeside = int64_t{200} << 20;
constexpr int kAThousand = 1'000;
const int kPlaces = rpc::StreamLimits().max_streams_per_caller;

class AThousandStalledReaders : public StalledReader {
 protected:
  // Begins streams of which only the first message is read; returns how many were admitted.
  int BeginAThousand(const std::string& method, const grpc::ByteBuffer& request) {
    const rpc::Peer peer = storage_.process.PeerAs(rpc::v1::ROLE_SERVICE);
    const auto channel = ChannelWithSmallWindows(peer);
    for (int i = 0; i < kAThousand; ++i) readers_.push_back(Call(method, request, peer, channel));
    int num_admitted = 0;
    for (const auto& reader : readers_) {
      const auto first = reader->Next();
      if (first.ok()) {
        ++num_admitted;
      } else {
        EXPECT_THAT(first, StatusIs(absl::StatusCode::kResourceExhausted,
                                    ::testing::HasSubstr("cluster.streams.")));
      }
    }
    std::cout << num_admitted << " of " << kAThousand << " streams were admitted\n";
    return num_admitted;
  }
  // On a fast link gRPC widens the window of a stream until a whole answer waits in the client,
  // although it is never read. The stream then gives its place to another.
  static std::shared_ptr<grpc::Channel> ChannelWithSmallWindows(const rpc::Peer& peer) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    return grpc::CreateCustomChannel(
        peer.endpoint, rpc::ChannelCredentialsFor(peer.endpoint, peer.tls), arguments);
  }
  grpc::ByteBuffer RequestOf(int64_t num_keys) {
    v1::ReadSamplesRequest request;
    request.set_dataset_id(storage_.id.value);
    for (int64_t key = 0; key < num_keys; ++key) request.add_sample_keys(first_key_ + key);
    return rpc::ToBytes(request);
  }

  void ExpectBounded(const std::string& method, const grpc::ByteBuffer& request,
                     const ::testing::Matcher<int>& num_admitted) {
    const pid_t process = storage_.process.process();
    const int64_t most = tidemill::testing::AnonymousBytesOf(process) + kBeside;
    const MemoryGrowth growth({process});
    EXPECT_THAT(BeginAThousand(method, request), num_admitted);
    EXPECT_THAT(growth.AwaitSettled(), Le(rpc::StreamLimits().memory.bytes + kBeside));
    EXPECT_THAT(storage_.service.GetDataset("small"), IsOk());
    readers_.clear();
    EXPECT_THAT(tidemill::testing::AwaitAtMost(process, most, std::chrono::minutes{1}), Le(most))
        << "all is given back";
    EXPECT_EQ(storage_.Read({first_key_, first_key_ + 1}).samples.size(), 2);
  }

  std::vector<std::unique_ptr<rpc::FrameReader>> readers_;
};

TEST_F(AThousandStalledReaders, OfMuchCostNoMoreThanTheBudgetAndAllIsGivenBack) {
  // A request of 1.2 MB: a hundred of them are all that a host may keep at a time.
  Serve(kFew);
  ExpectBounded("ReadSamples", RequestOf(150'000),
                ::testing::AllOf(::testing::Gt(10), Le(kPlaces)));
}

TEST_F(AThousandStalledReaders, OfLittleAreAdmittedUpToTheLimitOfAHost) {
  Serve(kFew);
  ExpectBounded("ListSamples", rpc::ToBytes(storage_.ListRequest()),
                // One of the reads before may still have its place.
                ::testing::AllOf(::testing::Ge(kPlaces - 4), Le(kPlaces)));
}

TEST_F(StalledReader, LetsTheServerStopAtOnce) {
  Serve(kFew);
  const auto reader = BeginList();
  kill(storage_.process.process(), SIGTERM);
  storage_.process.AwaitEnd();
  absl::StatusOr<std::optional<grpc::ByteBuffer>> message = reader->Next();
  while (message.ok() && message->has_value()) message = reader->Next();
  EXPECT_EQ(message.status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(StalledReader, NeedsTheTokenOfAServiceToBegin) {
  storage_.Register(testing::MakeCsv(storage_.process.data_folder(), 1));  // It serves.
  rpc::Peer peer = storage_.process.PeerAs(rpc::v1::ROLE_READER);
  for (const auto code :
       {absl::StatusCode::kPermissionDenied, absl::StatusCode::kUnauthenticated}) {
    for (const char* const method : {"ListSamples", "ReadSamples"}) {
      EXPECT_EQ(Call(method, rpc::ToBytes(storage_.ListRequest()), peer)->Next().status().code(),
                code)
          << method;
    }
    peer.token = "unknown";
  }
}

TEST_F(StalledReader, LearnsThatItsRequestIsInvalid) {
  storage_.Register(testing::MakeCsv(storage_.process.data_folder(), 1));  // It serves.
  const rpc::Peer peer = storage_.process.PeerAs(rpc::v1::ROLE_SERVICE);
  const grpc::Slice wrong(std::string("\xff\xff"));
  for (const char* const method : {"ListSamples", "ReadSamples"}) {
    EXPECT_THAT(Call(method, grpc::ByteBuffer(&wrong, 1), peer)->Next(),
                StatusIs(absl::StatusCode::kInvalidArgument, ::testing::_));
  }
}

}  // namespace
}  // namespace tidemill::storage
