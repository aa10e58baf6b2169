#include "rpc/access/tokens.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "rpc/access/address.h"

namespace tidemill::rpc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

class TokensTest : public ::testing::Test {
 protected:
  TokensTest() {
    char folder[] = "/tmp/tidemill-tokens-XXXXXX";
    folder_ = ::mkdtemp(folder);
    path_ = folder_ + "/tokens";
  }
  ~TokensTest() override { EXPECT_THAT(files::Remove(folder_), IsOk()); }

  std::string folder_;
  std::string path_;
};

TEST_F(TokensTest, MakesOneTokenForEachRoleAndKeepsThem) {
  ASSERT_THAT(Tokens::Create(path_), IsOk());
  const std::string text = *files::Read(path_);
  ASSERT_THAT(Tokens::Create(path_), IsOk());
  EXPECT_EQ(*files::Read(path_), text);
  const auto tokens = Tokens::Read(path_);
  ASSERT_THAT(tokens, IsOk());
  for (const v1::Role role : {v1::ROLE_READER, v1::ROLE_OPERATOR, v1::ROLE_SERVICE}) {
    const auto token = tokens->TokenOf(role);
    ASSERT_THAT(token, IsOk());
    EXPECT_EQ(tokens->Find(*token), role);
    EXPECT_EQ(tokens->Find(*token + "0"), v1::ROLE_UNSPECIFIED);
  }
  EXPECT_EQ(tokens->Find(""), v1::ROLE_UNSPECIFIED);
}

TEST_F(TokensTest, RefusesAFileThatOthersCanRead) {
  ASSERT_THAT(Tokens::Create(path_), IsOk());
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  EXPECT_THAT(Tokens::Read(path_),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("chmod 600")));
}

TEST_F(TokensTest, NamesTheLineThatIsWrongWithoutShowingIt) {
  const std::string good = "reader 0123456789abcdef0123\n";
  for (const char* const bad :
       {"admin secret-secret-secret\n", "reader\n", "service secret\n",
        "operator secret-secret-secret more\n", "operator 0123456789abcdef0123\n"}) {
    ASSERT_THAT(files::WriteAtomically(path_, good + bad), IsOk());
    EXPECT_THAT(Tokens::Read(path_),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(path_ + ":2:"), Not(HasSubstr("secret")))));
  }
}

TEST(Address, TellsSocketsLoopbackAndNetworkApart) {
  EXPECT_EQ(ParseAddress("unix:/run/x")->kind, Address::Kind::kUnix);
  EXPECT_EQ(ParseAddress("127.0.0.1:80")->kind, Address::Kind::kLoopback);
  EXPECT_EQ(ParseAddress("[::1]:80")->kind, Address::Kind::kLoopback);
  EXPECT_EQ(ParseAddress("localhost:0")->kind, Address::Kind::kLoopback);
  EXPECT_EQ(ParseAddress("0.0.0.0:80")->kind, Address::Kind::kNetwork);
  EXPECT_EQ(ParseAddress("[::]:80")->kind, Address::Kind::kNetwork);
  EXPECT_EQ(ParseAddress("127.example.org:80")->kind, Address::Kind::kNetwork);
  EXPECT_EQ(FormatAddress(*ParseAddress("[::1]:80")), "[::1]:80");
}

TEST(Address, SaysWhatIsWrong) {
  for (const std::string& bad :
       {std::string("unix:relative"), std::string("unix:"), "unix:/" + std::string(200, 'x'),
        std::string("host"), std::string("host:"), std::string(":80"), std::string("h:65536"),
        std::string("h:8o")}) {
    EXPECT_THAT(ParseAddress(bad), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(bad)));
  }
}

}  // namespace
}  // namespace tidemill::rpc
