#include "loader/training_set_cache.h"

#include <gmock/gmock.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "fmt/format.h"

#include "base/testing/status_matchers.h"
#include "batch/wire.h"
#include "rpc/channel.h"
#include "selector/client/selector_client.h"

namespace tidemill::loader {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

// Trigger t of any run has the keys 10 t, 10 t + 1 and 10 t + 2.
class ThreeKeys final : public selector::v1::SelectorService::Service {
 public:
  grpc::Status GetTrainingSet(grpc::ServerContext*,
                              const selector::v1::GetTrainingSetRequest* request,
                              selector::v1::GetTrainingSetResponse* response) override {
    selector::v1::TrainingSet& set = *response->mutable_training_set();
    set.set_num_samples(3);
    set.set_digest(fmt::format("{} of {}", seal, request->trigger()));
    set.set_removed(is_removed);
    return grpc::Status::OK;
  }
  grpc::Status ReadTrainingSet(
      grpc::ServerContext*, const selector::v1::ReadTrainingSetRequest* request,
      grpc::ServerWriter<selector::v1::ReadTrainingSetResponse>* writer) override {
    ++num_reads;
    if (is_removed) return {grpc::StatusCode::NOT_FOUND, "removed"};
    for (int64_t i = 0; i < 3; ++i) {
      const std::vector<int64_t> keys = {10 * request->trigger() + i};
      batch::Batch piece(1);
      EXPECT_TRUE(piece.Set(batch::MakeColumn<int64_t>("key", keys)).ok());
      selector::v1::ReadTrainingSetResponse response;
      response.set_batch(batch::Encode(piece));
      writer->Write(response);
    }
    return grpc::Status::OK;
  }

  int seal = 1;
  bool is_removed = false;
  int num_reads = 0;
};

class TrainingSetCacheTest : public ::testing::Test {
 protected:
  TrainingSetCacheTest() {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&sets_);
    server_ = builder.BuildAndStart();
    client_.emplace(rpc::Peer{.endpoint = fmt::format("127.0.0.1:{}", port), .token = "any"});
  }

  std::vector<int64_t> Keys(TrainingSetCache& cache, int64_t trigger) {
    const auto set = cache.Read(*client_, RunId{1}, trigger);
    EXPECT_THAT(set, IsOk());
    return (*set)->keys;
  }

  ThreeKeys sets_;
  std::unique_ptr<grpc::Server> server_;
  std::optional<selector::SelectorClient> client_;
};

TEST_F(TrainingSetCacheTest, ReadsASetOnce) {
  TrainingSetCache cache(1000);
  EXPECT_THAT(Keys(cache, 4), ElementsAre(40, 41, 42));
  EXPECT_THAT(Keys(cache, 4), ElementsAre(40, 41, 42));
  EXPECT_EQ(sets_.num_reads, 1);
  EXPECT_THAT(Keys(cache, 5), ElementsAre(50, 51, 52));
  EXPECT_EQ(sets_.num_reads, 2);
}

TEST_F(TrainingSetCacheTest, ReadsASetAgainThatWasSealedAgain) {
  TrainingSetCache cache(1000);
  Keys(cache, 4);
  sets_.seal = 2;
  Keys(cache, 4);
  EXPECT_EQ(sets_.num_reads, 2);
}

TEST_F(TrainingSetCacheTest, DoesNotServeASetThatWasRemoved) {
  TrainingSetCache cache(1000);
  Keys(cache, 4);
  sets_.is_removed = true;
  EXPECT_THAT(cache.Read(*client_, RunId{1}, 4).status(), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(TrainingSetCacheTest, DropsWhatWasNotUsedForLongestWhenThereIsNoRoom) {
  TrainingSetCache cache(2 * 3 * 8);
  Keys(cache, 1);
  Keys(cache, 2);
  Keys(cache, 1);
  Keys(cache, 3);  // In the place of 2.
  Keys(cache, 1);
  EXPECT_EQ(sets_.num_reads, 3);
  Keys(cache, 2);
  EXPECT_EQ(sets_.num_reads, 4);
}

TEST_F(TrainingSetCacheTest, KeepsNoSetThatIsLargerThanItsRoom) {
  TrainingSetCache cache(23);
  Keys(cache, 1);
  Keys(cache, 1);
  EXPECT_EQ(sets_.num_reads, 2);
}

}  // namespace
}  // namespace tidemill::loader
