// Prepared samples in an object store: a host without rows trains on what others have put there,
// and weights are the same whatever becomes of the store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "fmt/format.h"

#include "base/testing/status_matchers.h"
#include "storage/prepared_objects/row_objects.h"
#include "storage/testing/s3_server.h"
#include "tests/photos.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;
using storage::testing::S3Server;
using ::testing::Ge;
using tidemill::testing::IsOk;

constexpr int kImages = 200;
constexpr char kUrl[] = "s3://shared/rows";

// A stack that shares its rows, with photographs.
class PhotosInObjects {
 public:
  explicit PhotosInObjects(const std::string& workers = "") {
    for (int i = 0; i < kImages; ++i) {
      WritePhoto(stack_.files() + "/photos", i, static_cast<uint32_t>(i));
    }
    pipeline_ = stack_.files() + "/pipeline.yaml";
    std::ofstream(pipeline_) << PhotosPipelineText(stack_.files(), {.workers = workers});
    Succeed({"up"});
    Succeed({"down"});
    std::ofstream(stack_.state() + "/tidemill.yaml", std::ios::app)
        << fmt::format("prepared:\n  object_store: {}\n", kUrl);
    Succeed({"up"});
  }

  CommandResult Succeed(const std::vector<std::string>& words) const {
    CommandResult result = stack_.Tidemill(words, Environment());
    EXPECT_EQ(result.exit_code, 0) << result.err << stack_.Logs();
    return result;
  }
  // Leaves the host like a new one.
  void LoseRowsOfHost() const {
    Succeed({"down"});
    fs::remove_all(stack_.state() + "/prepared");
    Succeed({"up"});
  }
  int64_t Run(const std::string& cache) const {
    return Succeed({"run", pipeline_, "--json", "--set", "training.cache=" + cache})
        .Json()
        .at("run")
        .get<int64_t>();
  }
  nlohmann::json Triggers(int64_t run) const {
    return Succeed({"runs", "show", std::to_string(run), "--json"}).Json().at("triggers");
  }
  std::vector<std::string> Weights(int64_t run) const {
    std::vector<std::string> weights;
    for (const auto& trigger : Triggers(run)) weights.push_back(trigger.at("weights_digest"));
    return weights;
  }
  nlohmann::json Prepare() const {
    return Succeed(
               {"datasets", "prepare", "photos", "--graph", pipeline_, "--to", "resize", "--json"})
        .Json();
  }
  S3Server& server() { return server_; }
  const Stack& stack() const { return stack_; }

 private:
  std::map<std::string, std::string> Environment() const {
    return {{"AWS_ENDPOINT_URL", server_.endpoint()},
            {"AWS_REGION", "us-east-1"},
            {"AWS_ACCESS_KEY_ID", S3Server::kAccessKey},
            {"AWS_SECRET_ACCESS_KEY", S3Server::kSecret}};
  }

  S3Server server_{"shared"};
  Stack stack_;
  std::string pipeline_;
};

void ExpectFoundByANewHost(PhotosInObjects& photos, bool are_all_counted) {
  const std::vector<std::string> expected = photos.Weights(photos.Run("off"));
  const std::string cache = "{type: after, op: resize}";
  EXPECT_EQ(photos.Weights(photos.Run(cache)), expected);
  photos.LoseRowsOfHost();
  const int64_t again = photos.Run(cache);
  EXPECT_EQ(photos.Weights(again), expected);
  const nlohmann::json prepared = photos.Triggers(again).at(1).at("prepared");
  EXPECT_THAT(prepared.at("found").get<int64_t>(), Ge(are_all_counted ? 2 * kImages : 50));
  if (are_all_counted) {
    // Two epochs of the first hundred: what an earlier trigger has made is not what is found.
    EXPECT_EQ(photos.Triggers(again).at(0).at("prepared").at("found"), 2 * kImages / 2);
  }
  photos.server().Kill();
  EXPECT_EQ(photos.Weights(photos.Run(cache)), expected);
  photos.LoseRowsOfHost();
  EXPECT_EQ(photos.Weights(photos.Run(cache)), expected);
  photos.server().Start();
}

TEST(PreparedObjects, AreFoundByANewHostAndChangeNoWeightWithOrWithoutTheStore) {
  PhotosInObjects photos;
  ExpectFoundByANewHost(photos, true);
}

TEST(PreparedObjects, AreFoundByWorkersOfANewHostToo) {
  PhotosInObjects photos("\n  workers: {}");
  ExpectFoundByANewHost(photos, false);
}

TEST(PreparedObjects, OfAPreparedDatasetAreFoundByANewHostAndDeletedEverywhere) {
  PhotosInObjects photos;
  const std::vector<std::string> expected = photos.Weights(photos.Run("off"));
  const nlohmann::json first = photos.Prepare();
  EXPECT_EQ(first.at("prepared"), kImages);
  EXPECT_EQ(first.at("shared"), kImages);
  EXPECT_EQ(first.at("not_shared"), 0);
  photos.LoseRowsOfHost();
  EXPECT_EQ(photos.Prepare().at("prepared_before"), kImages);
  photos.LoseRowsOfHost();
  // A training uses what was asked for on another host, without being told so.
  const int64_t run = photos.Run("auto");
  EXPECT_EQ(photos.Weights(run), expected);
  EXPECT_EQ(photos.Triggers(run).at(0).at("prepared").at("kept_after"), "op 2 (resize)");
  const CommandResult records =
      photos.Succeed({"datasets", "records", "photos", "--where", "@file = '008.png'", "--json"});
  const std::string key = std::to_string(
      nlohmann::json::parse(records.out).at("records").at(0).at("key").get<int64_t>());
  photos.server().Kill();
  EXPECT_NE(
      photos.stack().Tidemill({"datasets", "delete", "photos", "--keys", key, "--yes"}).exit_code,
      0);
  photos.server().Start();
  photos.Succeed({"datasets", "delete", "photos", "--keys", key, "--yes"});
  photos.LoseRowsOfHost();
  const nlohmann::json again = photos.Prepare();
  EXPECT_EQ(again.at("samples"), kImages - 1);
  EXPECT_EQ(again.at("prepared"), 0);
}

}  // namespace
}  // namespace tidemill::tests
