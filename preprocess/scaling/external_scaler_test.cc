// The scaler as KEDA sees it: a client made from KEDA's own proto, over real connections.
#include "preprocess/scaling/external_scaler.h"

#include <atomic>

#include "gmock/gmock.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "base/testing/temp_folder.h"
#include "base/testing/tree.h"
#include "externalscaler/externalscaler.grpc.pb.h"
#include "rpc/access/credentials.h"
#include "rpc/testing/certificates.h"
#include "tidemill/preprocess/v1/preprocess.grpc.pb.h"

namespace tidemill::preprocess {
namespace {

namespace keda = ::externalscaler;
using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

// What KEDA sends with each question.
keda::ScaledObjectRef Reference() {
  keda::ScaledObjectRef reference;
  reference.set_name("preprocess-worker");
  reference.set_namespace_("tidemill");
  (*reference.mutable_scalermetadata())["scalerAddress"] = "preprocess:50059";
  return reference;
}

std::unique_ptr<keda::ExternalScaler::Stub> KedaAt(
    const std::string& endpoint, const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
  return keda::ExternalScaler::NewStub(grpc::CreateChannel(endpoint, credentials));
}

class ExternalScalerTest : public ::testing::Test {
 protected:
  ExternalScalerTest() {
    auto scaler = ExternalScaler::Start({.address = "127.0.0.1:0"}, DemandOf());
    EXPECT_THAT(scaler, IsOk());
    scaler_ = *std::move(scaler);
    keda_ = KedaAt(scaler_->endpoint(), grpc::InsecureChannelCredentials());
  }

  std::function<ScaleWanted()> DemandOf() {
    return [this] { return ScaleWanted{.wanted_workers = wanted_, .has_jobs = has_jobs_}; };
  }

  bool IsActive() {
    grpc::ClientContext context;
    keda::IsActiveResponse response;
    EXPECT_TRUE(keda_->IsActive(&context, Reference(), &response).ok());
    return response.result();
  }

  grpc::Status GetMetrics(const std::string& name, keda::GetMetricsResponse* response) {
    grpc::ClientContext context;
    keda::GetMetricsRequest request;
    *request.mutable_scaledobjectref() = Reference();
    request.set_metricname(name);
    return keda_->GetMetrics(&context, request, response);
  }

  std::atomic<int64_t> wanted_ = 0;
  std::atomic<bool> has_jobs_ = false;
  std::unique_ptr<ExternalScaler> scaler_;
  std::unique_ptr<keda::ExternalScaler::Stub> keda_;
};

TEST_F(ExternalScalerTest, IsActiveWhileWorkersAreWantedOrThereAreJobs) {
  EXPECT_FALSE(IsActive());
  has_jobs_ = true;
  EXPECT_TRUE(IsActive());
  has_jobs_ = false;
  wanted_ = 2;
  EXPECT_TRUE(IsActive());
}

TEST_F(ExternalScalerTest, OneWorkerTakesCareOfOneOfTheMetric) {
  grpc::ClientContext context;
  keda::GetMetricSpecResponse response;
  ASSERT_TRUE(keda_->GetMetricSpec(&context, Reference(), &response).ok());
  ASSERT_EQ(response.metricspecs_size(), 1);
  EXPECT_EQ(response.metricspecs(0).metricname(), "wanted_workers");
  EXPECT_EQ(response.metricspecs(0).targetsize(), 1);
  EXPECT_EQ(response.metricspecs(0).targetsizefloat(), 1);
}

TEST_F(ExternalScalerTest, TheMetricIsTheNumberOfWantedWorkers) {
  for (const int64_t wanted : {int64_t{7}, int64_t{0}}) {
    wanted_ = wanted;
    keda::GetMetricsResponse response;
    ASSERT_TRUE(GetMetrics("wanted_workers", &response).ok());
    ASSERT_EQ(response.metricvalues_size(), 1);
    EXPECT_EQ(response.metricvalues(0).metricname(), "wanted_workers");
    EXPECT_EQ(response.metricvalues(0).metricvalue(), wanted);
    EXPECT_EQ(response.metricvalues(0).metricvaluefloat(), static_cast<double>(wanted));
  }
}

TEST_F(ExternalScalerTest, RefusesAMetricThatItDoesNotHave) {
  keda::GetMetricsResponse response;
  const grpc::Status status = GetMetrics("queue_length", &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("the only metric is wanted_workers"));
}

TEST_F(ExternalScalerTest, AStreamTellsWhatIsSoAndThenEachChange) {
  grpc::ClientContext context;
  const auto stream = keda_->StreamIsActive(&context, Reference());
  keda::IsActiveResponse response;
  for (const bool active : {false, true, false}) {
    has_jobs_ = active;
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.result(), active);
  }
  context.TryCancel();
  EXPECT_FALSE(stream->Read(&response));
}

TEST_F(ExternalScalerTest, StreamsBeyondTheMostAreRefused) {
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<grpc::ClientReader<keda::IsActiveResponse>>> streams;
  keda::IsActiveResponse response;
  for (int i = 0; i < ExternalScaler::kMaxStreams; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(keda_->StreamIsActive(contexts.back().get(), Reference()));
    ASSERT_TRUE(streams.back()->Read(&response));
  }
  grpc::ClientContext context;
  const auto refused = keda_->StreamIsActive(&context, Reference());
  EXPECT_FALSE(refused->Read(&response));
  EXPECT_EQ(refused->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_FALSE(IsActive());
}

TEST_F(ExternalScalerTest, StreamsEndWhenItStops) {
  grpc::ClientContext context;
  const auto stream = keda_->StreamIsActive(&context, Reference());
  keda::IsActiveResponse response;
  ASSERT_TRUE(stream->Read(&response));
  scaler_.reset();
  EXPECT_FALSE(stream->Read(&response));
}

TEST_F(ExternalScalerTest, AnswersNothingOfTheDispatcherItself) {
  const auto dispatcher = v1::DispatcherService::NewStub(
      grpc::CreateChannel(scaler_->endpoint(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  v1::ListJobsResponse response;
  EXPECT_EQ(dispatcher->ListJobs(&context, {}, &response).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(ExternalScalerTest, OffLoopbackItNeedsCertificates) {
  EXPECT_THAT(ExternalScaler::Start({.address = "0.0.0.0:0"}, DemandOf()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("set cluster.tls")));
  EXPECT_THAT(ExternalScaler::Start({.address = "unix:/tmp/scaler"}, DemandOf()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a host and a port")));
}

TEST_F(ExternalScalerTest, WithCertificatesOnlyKedaIsAnswered) {
  const ::tidemill::testing::TempFolder folder;
  const rpc::testing::Certificates authority(::tidemill::testing::InTree("deploy/certificates.sh"),
                                             folder.path());
  rpc::TlsConfig own = authority.Issue("preprocess");
  own.client_ca = own.ca;
  const auto tls = rpc::ReadTls(own);
  ASSERT_THAT(tls, IsOk());
  const auto scaler = ExternalScaler::Start({.address = "0.0.0.0:0", .tls = *tls}, DemandOf());
  ASSERT_THAT(scaler, IsOk());
  const std::string port = (*scaler)->endpoint().substr((*scaler)->endpoint().rfind(':'));
  wanted_ = 3;

  const auto of_keda = rpc::ReadTls(authority.Issue("keda"));
  ASSERT_THAT(of_keda, IsOk());
  keda_ =
      KedaAt("localhost" + port, grpc::SslCredentials({.pem_root_certs = (*of_keda)->ca,
                                                       .pem_private_key = (*of_keda)->key,
                                                       .pem_cert_chain = (*of_keda)->certificate}));
  EXPECT_TRUE(IsActive());

  keda_ = KedaAt("localhost" + port, grpc::SslCredentials({.pem_root_certs = (*of_keda)->ca,
                                                           .pem_private_key = "",
                                                           .pem_cert_chain = ""}));
  keda::GetMetricsResponse response;
  EXPECT_EQ(GetMetrics("wanted_workers", &response).error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace tidemill::preprocess
