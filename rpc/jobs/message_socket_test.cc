#include "rpc/jobs/message_socket.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "tidemill/rpc/v1/endpoints.pb.h"

namespace tidemill::rpc {
namespace {

using ::testing::_;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

v1::Endpoints Message(const std::string& token_file) {
  v1::Endpoints message;
  message.set_token_file(token_file);
  return message;
}

class MessageSocketTest : public ::testing::Test {
 protected:
  MessageSocketTest() {
    auto ends = LocalSocket::MakePair(LocalSocket::Kind::kStream);
    first_.emplace(std::move(ends->first));
    second_.emplace(std::move(ends->second));
  }

  std::optional<MessageSocket> first_;
  std::optional<MessageSocket> second_;
};

TEST_F(MessageSocketTest, MessagesArriveWholeAndInOrder) {
  const std::string large(3 << 20, 'x');
  std::thread sender([&] {
    for (const std::string& text : {std::string("one"), std::string(), large}) {
      ASSERT_THAT(first_->Send(Message(text)), IsOk());
    }
  });
  for (const std::string& text : {std::string("one"), std::string(), large}) {
    v1::Endpoints message;
    ASSERT_THAT(second_->Receive(message), IsOk());
    EXPECT_EQ(message.token_file(), text);
  }
  sender.join();
}

TEST_F(MessageSocketTest, TheEndOfTheOtherSideIsUnavailable) {
  first_.reset();
  v1::Endpoints message;
  EXPECT_THAT(second_->Receive(message), StatusIs(absl::StatusCode::kUnavailable, _));
  EXPECT_THAT(second_->Send(message), StatusIs(absl::StatusCode::kUnavailable, _));
}

TEST_F(MessageSocketTest, ACallerThatGivesUpEndsTheWait) {
  v1::Endpoints message;
  EXPECT_THAT(second_->Receive(message, [] { return false; }),
              StatusIs(absl::StatusCode::kCancelled, _));
}

TEST(MessageSocketInFolderTest, APathMayBeLongerThanSocketsAllow) {
  std::string scratch = (std::filesystem::temp_directory_path() / "sockets.XXXXXX").string();
  ASSERT_NE(mkdtemp(scratch.data()), nullptr);
  const std::string folder = files::Join(scratch, std::string(150, 'd'));
  std::filesystem::create_directory(folder);
  const auto listening = MessageSocket::Listen(folder, "socket");
  ASSERT_THAT(listening, IsOk());
  auto connected = MessageSocket::Connect(folder, "socket");
  ASSERT_THAT(connected, IsOk());
  MessageSocket accepted(*listening->Accept());
  ASSERT_THAT(connected->Send(Message("hello")), IsOk());
  v1::Endpoints message;
  ASSERT_THAT(accepted.Receive(message), IsOk());
  EXPECT_EQ(message.token_file(), "hello");
  EXPECT_THAT(MessageSocket::Connect(folder, "other").status(),
              StatusIs(absl::StatusCode::kUnavailable, _));
  std::filesystem::remove_all(scratch);
}

}  // namespace
}  // namespace tidemill::rpc
