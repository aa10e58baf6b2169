#include "storage/filesystems/object_store_config.h"

#include <cstdlib>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"

namespace tidemill::storage {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using ::testing::Not;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

class ObjectStoreConfigTest : public ::testing::Test {
 protected:
  ObjectStoreConfigTest() {
    for (const char* name :
         {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION",
          "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"}) {
      unsetenv(name);
    }
  }
};

TEST_F(ObjectStoreConfigTest, TheEnvironmentFillsInWhatIsNotGiven) {
  setenv("AWS_ACCESS_KEY_ID", "key", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
  setenv("AWS_SESSION_TOKEN", "token", 1);
  setenv("AWS_DEFAULT_REGION", "eu-central-1", 1);
  const auto completed = CompletedByEnvironment({});
  ASSERT_THAT(completed, IsOk());
  EXPECT_EQ(completed->endpoint, "https://s3.eu-central-1.amazonaws.com");
  EXPECT_EQ(completed->session_token, "token");
  // Credentials are taken together or not at all.
  const auto own = CompletedByEnvironment({.access_key_id = "mine", .secret_access_key = "mine"});
  ASSERT_THAT(own, IsOk());
  EXPECT_EQ(own->secret_access_key, "mine");
  EXPECT_EQ(own->session_token, "");
  EXPECT_EQ(CompletedByEnvironment({.endpoint = "https://h:9000/"})->endpoint, "https://h:9000");
}

TEST_F(ObjectStoreConfigTest, HalfAPairOfCredentialsIsRefused) {
  setenv("AWS_ACCESS_KEY_ID", "key", 1);
  EXPECT_THAT(CompletedByEnvironment({}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("AWS_SECRET_ACCESS_KEY")));
  EXPECT_THAT(config::Read<ObjectStoreConfig>("access_key_id: x\n", "section"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("secret_access_key")));
}

TEST_F(ObjectStoreConfigTest, PlainHttpIsForLoopbackUnlessAllowed) {
  for (const char* endpoint : {"http://localhost:9000", "http://127.0.0.1:9000",
                               "http://[::1]:9000", "https://store.example.com"}) {
    EXPECT_THAT(CompletedByEnvironment({.endpoint = endpoint}), IsOk()) << endpoint;
  }
  for (const char* endpoint : {"http://store.example.com", "http://127.0.0.1.example.com",
                               "http://localhost.example.com:80", "store.example.com", "https://",
                               "https://host/bucket", "https://user@host", "ftp://host"}) {
    EXPECT_THAT(CompletedByEnvironment({.endpoint = endpoint}),
                StatusIs(absl::StatusCode::kInvalidArgument, _))
        << endpoint;
  }
  EXPECT_THAT(CompletedByEnvironment({.endpoint = "http://store", .plain_http = true}), IsOk());
}

TEST_F(ObjectStoreConfigTest, SecretsAreNotShown) {
  for (const char* yaml : {"secret_access_key: [hush]\n", "session_token: [hush]\n"}) {
    EXPECT_THAT(config::Read<ObjectStoreConfig>(yaml, "section"),
                StatusIs(absl::StatusCode::kInvalidArgument, Not(HasSubstr("hush"))));
  }
}

}  // namespace
}  // namespace tidemill::storage
