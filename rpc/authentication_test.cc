// Calls every method that is linked in, as clients that may not, on both kinds of connection.
#include "rpc/authentication.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor_database.h"
#include "grpcpp/generic/generic_stub.h"

#include "base/metrics.h"
#include "base/testing/status_matchers.h"
#include "base/time.h"
#include "rpc/callers/job_token.h"
#include "rpc/channel.h"
#include "rpc/server.h"
#include "rpc/testing/token_folder.h"
#include "tidemill/evaluator/v1/evaluator.grpc.pb.h"
#include "tidemill/model_store/v1/model_store.grpc.pb.h"
#include "tidemill/selector/v1/selector.grpc.pb.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"
#include "tidemill/trainer_server/v1/trainer_server.grpc.pb.h"

namespace tidemill::rpc {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::MethodDescriptor;
using grpc::StatusCode;
using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr v1::Role kRoles[] = {v1::ROLE_READER, v1::ROLE_OPERATOR, v1::ROLE_SERVICE};

// The methods of every service of this project whose proto is linked in.
std::vector<const MethodDescriptor*> AllMethods() {
  std::vector<std::string> names;
  DescriptorPool::internal_generated_database()->FindAllFileNames(&names);
  std::vector<const MethodDescriptor*> methods;
  for (const std::string& name : names) {
    if (!name.starts_with("tidemill/")) continue;
    const auto* const file = DescriptorPool::generated_pool()->FindFileByName(name);
    for (int i = 0; i < file->service_count(); ++i) {
      for (int j = 0; j < file->service(i)->method_count(); ++j) {
        methods.push_back(file->service(i)->method(j));
      }
    }
  }
  return methods;
}

bool Allows(const MethodDescriptor& method, v1::Role role) {
  const auto& allowed = method.options().GetRepeatedExtension(v1::allowed);
  return std::find(allowed.begin(), allowed.end(), role) != allowed.end();
}

// The parameter: what to listen on, after the test's folder where it begins with a slash.
class AuthenticationTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string listen = GetParam();
    if (listen.starts_with('/')) listen = "unix:" + folder_.path() + listen;
    auto server = Server::Start(
        {.listen = listen, .insecure = true}, folder_.tokens(),
        {&evaluator_, &model_store_, &selector_, &storage_, &supervisor_, &trainer_server_});
    ASSERT_THAT(server, IsOk());
    server_ = *std::move(server);
    stub_ = std::make_unique<grpc::GenericStub>(
        Connect({.endpoint = server_->endpoint(), .token = ""}));
  }

  // `header` is the value of `authorization`, none when empty.
  StatusCode Call(const std::string& path, const std::string& header) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds{30});
    if (!header.empty()) context.AddMetadata("authorization", header);
    grpc::CompletionQueue queue;
    const grpc::Slice empty_message;
    const grpc::ByteBuffer request(&empty_message, 1);
    const auto call = stub_->PrepareUnaryCall(&context, path, request, &queue);
    grpc::ByteBuffer response;
    grpc::Status status;
    call->StartCall();
    call->Finish(&response, &status, this);
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue.Next(&tag, &ok));
    return status.error_code();
  }

  StatusCode Call(const MethodDescriptor& method, const std::string& header) {
    return Call(fmt::format("/{}/{}", method.service()->full_name(), method.name()), header);
  }

  testing::TokenFolder folder_;
  evaluator::v1::EvaluatorService::Service evaluator_;
  model_store::v1::ModelStoreService::Service model_store_;
  selector::v1::SelectorService::Service selector_;
  storage::v1::StorageService::Service storage_;
  supervisor::v1::SupervisorService::Service supervisor_;
  trainer_server::v1::TrainerService::Service trainer_server_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<grpc::GenericStub> stub_;
};

INSTANTIATE_TEST_SUITE_P(Connections, AuthenticationTest,
                         ::testing::Values("/socket", "127.0.0.1:0", "0.0.0.0:0"));

TEST_P(AuthenticationTest, RefusesEveryMethodToCallersWithoutAKnownToken) {
  const std::string token = folder_.TokenOf(v1::ROLE_SERVICE);
  std::string altered = token;
  altered.back() = altered.back() == '0' ? '1' : '0';
  ASSERT_GE(AllMethods().size(), 30);
  for (const MethodDescriptor* const method : AllMethods()) {
    EXPECT_EQ(Call(*method, ""), StatusCode::UNAUTHENTICATED) << method->full_name();
    for (const std::string& header : {"Bearer " + altered, std::string("Bearer "), token,
                                      "Basic " + token, "Bearer " + token + " "}) {
      EXPECT_EQ(Call(*method, header), StatusCode::UNAUTHENTICATED) << method->full_name();
    }
  }
}

TEST_P(AuthenticationTest, LogsRefusalsOnceASecondAndCountsThemAll) {
  using SteadyClock = std::chrono::steady_clock;
  const auto num_refused = [] {
    const std::string text = metrics::Process().Text();
    const std::string name = "tidemill_rpc_refused_calls_total{code=\"UNAUTHENTICATED\"} ";
    const size_t at = text.find(name);
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + name.size()));
  };
  const int before = num_refused();
  ::testing::internal::CaptureStderr();
  const SteadyClock::time_point begin = SteadyClock::now();
  for (int i = 0; i < 500; ++i) Call(*AllMethods().front(), "");
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(SteadyClock::now() - begin).count();
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(num_refused() - before, 500);
  // Each with a line about those that were left out before it.
  EXPECT_LE(std::count(log.begin(), log.end(), '\n'), 2 * (seconds + 2));
}

TEST_P(AuthenticationTest, AdmitsToEveryMethodTheRolesItLists) {
  int refused = 0;
  for (const MethodDescriptor* const method : AllMethods()) {
    int admitted = 0;
    for (const v1::Role role : kRoles) {
      const StatusCode code = Call(*method, "Bearer " + folder_.TokenOf(role));
      if (Allows(*method, role)) {
        // The handler of the generated class ran; it has no answer.
        EXPECT_EQ(code, StatusCode::UNIMPLEMENTED) << method->full_name();
        ++admitted;
      } else {
        EXPECT_EQ(code, StatusCode::PERMISSION_DENIED) << method->full_name();
        ++refused;
      }
    }
    EXPECT_GT(admitted, 0) << method->full_name();
  }
  EXPECT_GT(refused, 0);
}

TEST_P(AuthenticationTest, AdmitsJobsOnlyToTheMethodsOfJobs) {
  v1::JobClaims claims;
  claims.set_holder("train-3-7");
  claims.set_expires_at(Now().micros + int64_t{60} * 1'000'000);
  const std::string token = folder_.tokens().SignForJob(claims).value();
  claims.set_expires_at(Now().micros - 1);
  const std::string expired = folder_.tokens().SignForJob(claims).value();
  const std::string forged = SignJobToken(claims, folder_.TokenOf(v1::ROLE_OPERATOR));
  std::string altered = token;
  altered[6] = altered[6] == 'a' ? 'b' : 'a';
  int admitted = 0;
  for (const MethodDescriptor* const method : AllMethods()) {
    const bool is_open = Allows(*method, v1::ROLE_JOB);
    admitted += is_open ? 1 : 0;
    EXPECT_EQ(Call(*method, "Bearer " + token),
              is_open ? StatusCode::UNIMPLEMENTED : StatusCode::PERMISSION_DENIED)
        << method->full_name();
    for (const std::string& bad : {expired, forged, altered, token + ".", std::string("job."),
                                   std::string("job.."), std::string("job.!.!")}) {
      EXPECT_EQ(Call(*method, "Bearer " + bad), StatusCode::UNAUTHENTICATED)
          << method->full_name() << " " << bad;
    }
  }
  EXPECT_GT(admitted, 5);
}

TEST_P(AuthenticationTest, RefusesMethodsThatDoNotExist) {
  const std::string header = "Bearer " + folder_.TokenOf(v1::ROLE_SERVICE);
  EXPECT_EQ(Call("/tidemill.storage.v1.StorageService/Nothing", header),
            StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Call("/tidemill.storage.v1.StorageService/GetDataset/", header),
            StatusCode::PERMISSION_DENIED);
}

TEST(Authentication, WantsRolesForEveryMethodOfAService) {
  EXPECT_THAT(CheckAllMethodsHaveRoles("tidemill.storage.v1.StorageService"), IsOk());
  EXPECT_THAT(CheckAllMethodsHaveRoles("tidemill.storage.v1.Unknown"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no descriptor")));
}

class ServerTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<Server>> Start(const std::string& listen) {
    return Server::Start({.listen = listen}, folder_.tokens(), {&selector_});
  }

  testing::TokenFolder folder_;
  selector::v1::SelectorService::Service selector_;
};

TEST_F(ServerTest, RefusesANetworkAddressUnlessInsecure) {
  EXPECT_THAT(Start("0.0.0.0:0"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not a loopback address")));
}

TEST_F(ServerTest, RefusesAnAddressThatIsTaken) {
  for (const std::string& listen :
       {"unix:" + folder_.path() + "/socket", std::string("127.0.0.1:0")}) {
    const auto first = Start(listen);
    ASSERT_THAT(first, IsOk());
    EXPECT_THAT(Start((*first)->endpoint()),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr((*first)->endpoint())));
  }
}

TEST_F(ServerTest, KeepsItsSocketFromOthersAndReplacesAStaleOne) {
  const std::string path = folder_.path() + "/below/socket";
  {
    const auto server = Start("unix:" + path);
    ASSERT_THAT(server, IsOk());
    struct stat info = {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600);
    // A second name keeps the file as a killed server would.
    ASSERT_EQ(::link(path.c_str(), (path + ".kept").c_str()), 0);
  }
  ASSERT_EQ(::rename((path + ".kept").c_str(), path.c_str()), 0);
  EXPECT_THAT(Start("unix:" + path), IsOk());
}

}  // namespace
}  // namespace tidemill::rpc
