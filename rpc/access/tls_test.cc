#include "rpc/access/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "base/testing/tree.h"
#include "rpc/access/own_certificate.h"
#include "rpc/channel.h"
#include "rpc/server.h"
#include "rpc/testing/certificates.h"
#include "rpc/testing/token_folder.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"

namespace tidemill::rpc {
namespace {

using storage::v1::StorageService;
using ::testing::_;
using ::testing::AllOf;
using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

class EmptyStorage : public StorageService::Service {
 public:
  grpc::Status ListDatasets(grpc::ServerContext* context, const storage::v1::ListDatasetsRequest*,
                            storage::v1::ListDatasetsResponse*) override {
    EXPECT_EQ(context->auth_context()->FindPropertyValues("transport_security_type").front(),
              "ssl");
    return grpc::Status::OK;
  }
};

class TlsTest : public ::testing::Test {
 protected:
  Tls Read(const TlsConfig& config) const {
    auto tls = ReadTls(config);
    EXPECT_THAT(tls, IsOk());
    return tls.value_or(nullptr);
  }

  // What an authority signs that only its own certificates know.
  testing::Certificates Authority(const std::string& name) const {
    return {tidemill::testing::InTree("deploy/certificates.sh"), folder_.path() + "/" + name};
  }

  void Serve(const TlsConfig& config) {
    auto server = Server::Start({.listen = "127.0.0.1:0", .tls = Read(config)}, folder_.tokens(),
                                {&storage_});
    ASSERT_THAT(server, IsOk());
    server_ = *std::move(server);
  }

  absl::Status Call(const Tls& tls, v1::Role role = v1::ROLE_READER) const {
    return CallAt(server_->endpoint(), tls, role);
  }

  absl::Status CallAt(const std::string& endpoint, const Tls& tls, v1::Role role) const {
    const Peer peer{.endpoint = endpoint,
                    .token = folder_.TokenOf(role),
                    .deadline = std::chrono::milliseconds{300},
                    .tls = tls};
    const auto stub = StorageService::NewStub(Connect(peer));
    storage::v1::ListDatasetsResponse response;
    return rpc::Call(peer, *stub, &StorageService::Stub::ListDatasets,
                     storage::v1::ListDatasetsRequest(), &response);
  }

  const testing::TokenFolder folder_;
  EmptyStorage storage_;
  std::unique_ptr<Server> server_;
};

TEST_F(TlsTest, ACertificateOfAServiceServesWhateverItsHostIs) {
  const auto own = MakeOwnCertificate({"model-store", "storage"});
  ASSERT_THAT(own, IsOk());
  TlsConfig config;
  config.certificate = folder_.path() + "/own.pem";
  config.key = folder_.path() + "/own.key";
  config.ca = config.certificate;
  config.verify = VerifiedName::kService;
  ASSERT_THAT(files::WriteAtomically(config.certificate, own->certificate), IsOk());
  ASSERT_THAT(files::WriteAtomically(config.key, own->key), IsOk());
  Serve(config);
  const auto call = [&](const std::string& service, VerifiedName verify) {
    config.verify = verify;
    const Peer peer{.endpoint = server_->endpoint(),
                    .token = folder_.TokenOf(v1::ROLE_READER),
                    .deadline = std::chrono::milliseconds{300},
                    .tls = Read(config),
                    .service = service};
    const auto stub = StorageService::NewStub(Connect(peer));
    storage::v1::ListDatasetsResponse response;
    return rpc::Call(peer, *stub, &StorageService::Stub::ListDatasets,
                     storage::v1::ListDatasetsRequest(), &response);
  };
  const auto refused = StatusIs(absl::StatusCode::kUnavailable, _);
  EXPECT_THAT(call("model_store", VerifiedName::kService), IsOk());
  EXPECT_THAT(call("storage", VerifiedName::kService), IsOk());
  EXPECT_THAT(call("preprocess_worker", VerifiedName::kService), refused);
  EXPECT_THAT(call("model_store", VerifiedName::kHost), refused);
}

TEST_F(TlsTest, ACallGoesThroughWhenTheAuthoritySignedTheServersCertificate) {
  const testing::Certificates ours = Authority("ours");
  Serve(ours.Issue("server"));
  EXPECT_THAT(Call(Read({.certificate = {}, .key = {}, .ca = ours.ca(), .client_ca = {}})), IsOk());
}

TEST_F(TlsTest, ATokenStillDecidesWhatACallerMayDo) {
  const testing::Certificates ours = Authority("ours");
  Serve(ours.Issue("server"));
  const Peer peer{.endpoint = server_->endpoint(),
                  .token = "no-token-of-this-server",
                  .tls = Read(ours.Issue("client"))};
  const auto stub = StorageService::NewStub(Connect(peer));
  storage::v1::ListDatasetsResponse response;
  EXPECT_THAT(rpc::Call(peer, *stub, &StorageService::Stub::ListDatasets,
                        storage::v1::ListDatasetsRequest(), &response),
              StatusIs(absl::StatusCode::kUnauthenticated, _));
}

TEST_F(TlsTest, AServerOfAnotherAuthorityIsRefused) {
  Serve(Authority("ours").Issue("server"));
  EXPECT_THAT(Call(Read(Authority("theirs").Issue("client"))),
              StatusIs(absl::StatusCode::kUnavailable, _));
}

TEST_F(TlsTest, AnExpiredCertificateIsRefused) {
  const testing::Certificates ours = Authority("ours");
  Serve(ours.Issue("server", /*days=*/-1));
  EXPECT_THAT(Call(Read(ours.Issue("client"))), StatusIs(absl::StatusCode::kUnavailable, _));
}

TEST_F(TlsTest, ACertificateOfAnotherHostIsRefused) {
  const testing::Certificates ours = Authority("ours");
  Serve(ours.Issue("server"));  // For 127.0.0.1, localhost and a host called server.
  const std::string port = server_->endpoint().substr(server_->endpoint().rfind(':'));
  const Tls client = Read(ours.Issue("client"));
  EXPECT_THAT(CallAt("localhost" + port, client, v1::ROLE_READER), IsOk());
  EXPECT_THAT(CallAt("127.0.0.2" + port, client, v1::ROLE_READER),
              StatusIs(absl::StatusCode::kUnavailable, _));
}

TEST_F(TlsTest, PlaintextIsRefused) {
  Serve(Authority("ours").Issue("server"));
  EXPECT_THAT(Call(nullptr), StatusIs(absl::StatusCode::kUnavailable, _));
}

TEST_F(TlsTest, AClientNeedsACertificateWhereTheServerAsksForOne) {
  const testing::Certificates ours = Authority("ours");
  TlsConfig server = ours.Issue("server");
  server.client_ca = server.ca;
  Serve(server);
  EXPECT_THAT(Call(Read(ours.Issue("client"))), IsOk());
  EXPECT_THAT(Call(Read({.certificate = {}, .key = {}, .ca = ours.ca(), .client_ca = {}})),
              StatusIs(absl::StatusCode::kUnavailable, _));
  TlsConfig stranger = Authority("theirs").Issue("client");
  stranger.ca = ours.ca();
  EXPECT_THAT(Call(Read(stranger)), StatusIs(absl::StatusCode::kUnavailable, _));
}

TEST_F(TlsTest, AnAddressOffLoopbackIsServedWithACertificateAndNotWithout) {
  EXPECT_THAT(Server::Start({.listen = "0.0.0.0:0"}, folder_.tokens(), {&storage_}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tls")));
  const testing::Certificates ours = Authority("ours");
  EXPECT_THAT(Server::Start({.listen = "0.0.0.0:0", .tls = Read(ours.Issue("server"))},
                            folder_.tokens(), {&storage_}),
              IsOk());
  const Tls only_ca = Read({.certificate = {}, .key = {}, .ca = ours.ca(), .client_ca = {}});
  EXPECT_THAT(
      Server::Start({.listen = "127.0.0.1:0", .tls = only_ca}, folder_.tokens(), {&storage_}),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("certificate")));
}

TEST_F(TlsTest, FilesThatCannotServeAreNamed) {
  const testing::Certificates ours = Authority("ours");
  const TlsConfig good = ours.Issue("one");
  TlsConfig other_key = good;
  other_key.key = ours.Issue("two").key;
  EXPECT_THAT(ReadTls(other_key), StatusIs(absl::StatusCode::kInvalidArgument,
                                           AllOf(HasSubstr("two.key"), HasSubstr("one.pem"))));
  TlsConfig no_certificate = good;
  no_certificate.certificate = good.key;
  EXPECT_THAT(ReadTls(no_certificate),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no certificate")));
  TlsConfig missing = good;
  missing.ca = folder_.path() + "/none.pem";
  EXPECT_THAT(ReadTls(missing), StatusIs(absl::StatusCode::kNotFound, HasSubstr("none.pem")));
  ASSERT_EQ(::chmod(good.key.c_str(), 0644), 0);
  EXPECT_THAT(ReadTls(good),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("chmod 600")));
}

TEST_F(TlsTest, TellsWhenACertificateExpires) {
  const testing::Certificates ours = Authority("ours");
  const auto past = ExpiryOf(ours.Issue("old", /*days=*/-1).certificate);
  const auto future = ExpiryOf(ours.Issue("new", /*days=*/40).certificate);
  ASSERT_THAT(past, IsOk());
  ASSERT_THAT(future, IsOk());
  constexpr int64_t kDay = int64_t{86'400} * 1'000'000;
  EXPECT_LT(past->micros, Now().micros);
  EXPECT_EQ((future->micros - past->micros + kDay / 2) / kDay, 41);
}

TEST(TlsConfig, SaysWhatIsMissing) {
  const auto read = [](const char* text) { return config::Read<TlsConfig>(text, "tls"); };
  EXPECT_THAT(read("{}"), IsOk());
  EXPECT_THAT(read("{ca: a.pem}"), IsOk());
  EXPECT_THAT(read("{certificate: a.pem, ca: c.pem}"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("key")));
  EXPECT_THAT(read("{certificate: a.pem, key: a.key}"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("ca")));
  EXPECT_THAT(read("{client_ca: c.pem}"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("ca")));
}

}  // namespace
}  // namespace tidemill::rpc
