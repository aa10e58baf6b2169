#include "base/paths/local_socket.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <thread>
#include <tuple>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"

namespace tidemill {
namespace {

using ::testing::_;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;
using Kind = LocalSocket::Kind;

std::span<const std::byte> BytesOf(std::string_view text) { return std::as_bytes(std::span(text)); }

struct Received {
  std::string bytes;
  std::vector<Descriptor> descriptors;
};

// What one Receive() gives, once it gives something.
absl::StatusOr<Received> ReceiveFrom(const LocalSocket& socket, size_t max_bytes = 1 << 16) {
  Received received{.bytes = std::string(max_bytes, '\0'), .descriptors = {}};
  EXPECT_TRUE(socket.Await(std::chrono::seconds{20}));
  ASSIGN_OR_RETURN(
      const size_t count,
      socket.Receive(std::as_writable_bytes(std::span(received.bytes)), received.descriptors));
  received.bytes.resize(count);
  return received;
}

class LocalSockets : public ::testing::TestWithParam<Kind> {
 protected:
  LocalSockets() {
    std::string folder = ::testing::TempDir() + "socketXXXXXX";
    folder_ = mkdtemp(folder.data());
    auto pair = LocalSocket::MakePair(GetParam());
    EXPECT_THAT(pair, IsOk());
    if (pair.ok()) std::tie(one_, other_) = *std::move(pair);
  }
  ~LocalSockets() override { std::filesystem::remove_all(folder_); }

  std::string Path() const { return files::Join(folder_, "socket"); }

  std::string folder_;
  LocalSocket one_;
  LocalSocket other_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, LocalSockets, ::testing::Values(Kind::kStream, Kind::kPackets));

TEST_P(LocalSockets, ConnectByTheirPath) {
  const auto listening = LocalSocket::Listen(Path(), GetParam());
  ASSERT_THAT(listening, IsOk());
  EXPECT_FALSE(listening->Accept().has_value());
  const auto client = LocalSocket::Connect(Path(), GetParam());
  ASSERT_THAT(client, IsOk());
  ASSERT_TRUE(listening->Await(std::chrono::seconds{20}));
  const auto server = listening->Accept();
  ASSERT_TRUE(server.has_value());
  EXPECT_EQ(client->PeerUid(), geteuid());
  EXPECT_EQ(server->PeerUid(), geteuid());
  ASSERT_THAT(client->Send(BytesOf("good day")), IsOk());
  const auto received = ReceiveFrom(*server);
  ASSERT_THAT(received, IsOk());
  EXPECT_EQ(received->bytes, "good day");
  EXPECT_THAT(received->descriptors, IsEmpty());
}

TEST_P(LocalSockets, TakeThePlaceOfADeadProcessOnly) {
  EXPECT_THAT(LocalSocket::Connect(Path(), GetParam()),
              StatusIs(absl::StatusCode::kUnavailable, _));
  ASSERT_THAT(LocalSocket::Listen(Path(), GetParam()), IsOk());  // It ends here; its file stays.
  const auto listening = LocalSocket::Listen(Path(), GetParam());
  ASSERT_THAT(listening, IsOk());
  EXPECT_THAT(LocalSocket::Listen(Path(), GetParam()), StatusIs(absl::StatusCode::kUnavailable, _));
}

TEST_P(LocalSockets, LeaveAFileInTheirPlaceAlone) {
  ASSERT_THAT(files::WriteAtomically(Path(), "text"), IsOk());
  EXPECT_THAT(LocalSocket::Listen(Path(), GetParam()), StatusIs(absl::StatusCode::kUnavailable, _));
  EXPECT_THAT(files::Read(Path()), IsOk());
}

TEST_P(LocalSockets, RefuseAPathThatIsTooLong) {
  for (const std::string& path : {std::string(), std::string(200, 'x')}) {
    EXPECT_THAT(LocalSocket::Listen(path, GetParam()),
                StatusIs(absl::StatusCode::kInvalidArgument, _));
  }
}

TEST_P(LocalSockets, CarryDescriptors) {
  const Descriptor counter(eventfd(7, EFD_CLOEXEC));
  const int numbers[] = {counter.number(), STDIN_FILENO};
  ASSERT_THAT(one_.Send(BytesOf("two"), numbers), IsOk());
  const auto received = ReceiveFrom(other_);
  ASSERT_THAT(received, IsOk());
  EXPECT_EQ(received->bytes, "two");
  ASSERT_THAT(received->descriptors, SizeIs(2));
  const int copy = received->descriptors[0].number();
  EXPECT_NE(copy, counter.number());
  EXPECT_EQ(fcntl(copy, F_GETFD), FD_CLOEXEC);
  eventfd_t value = 0;
  EXPECT_EQ(eventfd_read(copy, &value), 0);
  EXPECT_EQ(value, 7U);
}

TEST_P(LocalSockets, CarryAsManyDescriptorsAsLinuxLets) {
  const Descriptor file(eventfd(0, EFD_CLOEXEC));
  const std::vector<int> most(LocalSocket::kMaxDescriptors, file.number());
  ASSERT_THAT(one_.Send(BytesOf("x"), most), IsOk());
  const auto received = ReceiveFrom(other_);
  ASSERT_THAT(received, IsOk());
  EXPECT_THAT(received->descriptors, SizeIs(LocalSocket::kMaxDescriptors));
  const std::vector<int> more(LocalSocket::kMaxDescriptors + 1, file.number());
  EXPECT_THAT(one_.Send(BytesOf("x"), more), StatusIs(absl::StatusCode::kInvalidArgument, _));
}

TEST_P(LocalSockets, SayWhenDescriptorsAreLost) {
  const Descriptor file(eventfd(0, EFD_CLOEXEC));
  ASSERT_THAT(one_.Send(BytesOf("x"), std::vector<int>(1, file.number())), IsOk());
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none = {.rlim_cur = 0, .rlim_max = limit.rlim_max};
  std::byte byte;
  std::vector<Descriptor> descriptors;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto received = other_.Receive({&byte, 1}, descriptors);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_THAT(received, StatusIs(absl::StatusCode::kDataLoss, _));
  EXPECT_THAT(descriptors, IsEmpty());
}

TEST_P(LocalSockets, NeverWaitUnlessAsked) {
  std::byte byte;
  std::vector<Descriptor> descriptors;
  EXPECT_THAT(other_.Receive({&byte, 1}, descriptors), IsOkAndHolds(0U));
  EXPECT_FALSE(other_.Await(std::chrono::milliseconds{0}));
  EXPECT_TRUE(other_.Await(std::chrono::milliseconds{0}, /*to_send=*/true));
  const std::string piece(10'000, 'x');
  size_t sent = 1;
  while (sent > 0) {
    const auto more = one_.Send(BytesOf(piece));
    ASSERT_THAT(more, IsOk());
    sent = *more;
  }
  EXPECT_FALSE(one_.Await(std::chrono::milliseconds{0}, /*to_send=*/true));
}

TEST_P(LocalSockets, SendAllWhenTheyWaitForRoom) {
  const std::string piece(50'000, 'x');
  constexpr size_t kPieces = 100;
  const Descriptor file(eventfd(0, EFD_CLOEXEC));
  std::thread sender([&] {
    const int numbers[] = {file.number()};
    for (size_t i = 0; i < kPieces; ++i) {
      EXPECT_THAT(one_.SendAndWait(BytesOf(piece), numbers), IsOk());
    }
    one_ = LocalSocket();
  });
  size_t num_bytes = 0;
  size_t num_descriptors = 0;
  while (true) {
    const auto received = ReceiveFrom(other_);
    if (!received.ok()) break;
    num_bytes += received->bytes.size();
    num_descriptors += received->descriptors.size();
  }
  sender.join();
  EXPECT_EQ(num_bytes, kPieces * piece.size());
  EXPECT_EQ(num_descriptors, kPieces);
}

TEST_P(LocalSockets, SayWhenTheOtherEndIsGone) {
  ASSERT_THAT(one_.Send(BytesOf("last words")), IsOk());
  one_ = LocalSocket();
  EXPECT_THAT(other_.Send(BytesOf("x")), StatusIs(absl::StatusCode::kUnavailable, _));
  EXPECT_THAT(other_.SendAndWait(BytesOf("x")), StatusIs(absl::StatusCode::kUnavailable, _));
  const auto received = ReceiveFrom(other_);
  ASSERT_THAT(received, IsOk());
  EXPECT_EQ(received->bytes, "last words");
  EXPECT_THAT(ReceiveFrom(other_), StatusIs(absl::StatusCode::kUnavailable, _));
}

TEST_P(LocalSockets, EndTheWaitOfASenderWhenTheOtherEndGoes) {
  const std::string much(10'000'000, 'x');
  const bool is_stream = GetParam() == Kind::kStream;
  const std::string_view piece = std::string_view(much).substr(0, is_stream ? much.size() : 10'000);
  std::thread sender([&] {
    absl::Status status = absl::OkStatus();
    while (status.ok()) status = one_.SendAndWait(BytesOf(piece));
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable, _));
  });
  EXPECT_THAT(ReceiveFrom(other_), IsOk());
  other_ = LocalSocket();
  sender.join();
}

TEST_P(LocalSockets, WithoutAConnectionFail) {
  const LocalSocket none;
  std::byte byte;
  std::vector<Descriptor> descriptors;
  EXPECT_THAT(none.Send(BytesOf("x")), StatusIs(absl::StatusCode::kUnavailable, _));
  EXPECT_THAT(none.Receive({&byte, 1}, descriptors), StatusIs(absl::StatusCode::kUnavailable, _));
  EXPECT_FALSE(none.Accept().has_value());
  EXPECT_EQ(none.PeerUid(), static_cast<uid_t>(-1));
}

TEST(PacketSockets, KeepPacketsApart) {
  const auto pair = LocalSocket::MakePair(Kind::kPackets);
  ASSERT_THAT(pair, IsOk());
  ASSERT_THAT(pair->first.Send(BytesOf("one")), IsOk());
  ASSERT_THAT(pair->first.Send(BytesOf("two")), IsOk());
  EXPECT_EQ(ReceiveFrom(pair->second)->bytes, "one");
  EXPECT_EQ(ReceiveFrom(pair->second)->bytes, "two");
}

TEST(PacketSockets, RefuseAPacketThatIsTooLong) {
  const auto pair = LocalSocket::MakePair(Kind::kPackets);
  ASSERT_THAT(pair, IsOk());
  ASSERT_THAT(pair->first.Send(BytesOf("longer")), IsOk());
  ASSERT_THAT(pair->first.Send(BytesOf("fits")), IsOk());
  EXPECT_THAT(ReceiveFrom(pair->second, 4), StatusIs(absl::StatusCode::kDataLoss, _));
  EXPECT_EQ(ReceiveFrom(pair->second, 4)->bytes, "fits");
}

TEST(StreamSockets, GiveBytesInPieces) {
  const auto pair = LocalSocket::MakePair(Kind::kStream);
  ASSERT_THAT(pair, IsOk());
  ASSERT_THAT(pair->first.Send(BytesOf("longer")), IsOk());
  EXPECT_EQ(ReceiveFrom(pair->second, 4)->bytes, "long");
  EXPECT_EQ(ReceiveFrom(pair->second, 4)->bytes, "er");
}

}  // namespace
}  // namespace tidemill
