#include "trainer_server/kept_folders.h"

#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "trainer_server/testing/kept_room.h"

namespace tidemill::trainer_server {
namespace {

namespace fs = std::filesystem;
using model_store::v1::JOB_KIND_TRAINING;
using model_store::v1::KeepJobRequest;
using ::testing::_;
using ::testing::UnorderedElementsAre;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

class KeptFoldersTest : public testing::KeptRoom {
 protected:
  absl::StatusOr<KeepJobRequest> Keep(const KeepJobRequest& last = {}) {
    return kept_->KeepCheckpoint(ClaimOf(1), folder_, last,
                                 [](size_t) { return absl::OkStatus(); });
  }
  static std::vector<std::string> NamesOf(const KeepJobRequest& request) {
    std::vector<std::string> names;
    for (const auto& file : request.files()) names.push_back(file.name());
    return names;
  }
  absl::Status FetchInto(const std::string& folder) {
    return kept_->FetchTraining(RunId{7}, 1, folder);
  }
};

TEST_F(KeptFoldersTest, TheNewestCheckpointIsKeptWithWhatItDependsOn) {
  EXPECT_EQ(Keep()->files_size(), 0) << "there is nothing to keep";
  WriteCheckpoint(3, "old");
  WriteCheckpoint(7, "new");
  WriteFile("downsampling/000000000.choice", "chosen");
  WriteFile("downsampling/.half.tmp", "is being written");
  const auto first = Keep();
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(NamesOf(*first),
              UnorderedElementsAre("job.json", "checkpoints/000000000007.checkpoint",
                                   "downsampling/000000000.choice"));
  EXPECT_EQ(KeptPosition(), 7);
  const int num_sent = store_.num_put();
  EXPECT_EQ(num_sent, 3);
  EXPECT_EQ(Keep(*first)->SerializeAsString(), first->SerializeAsString());
  EXPECT_EQ(store_.num_put(), num_sent) << "nothing is new";
  WriteCheckpoint(9, "newer");
  ASSERT_THAT(Keep(*first), IsOk());
  EXPECT_EQ(store_.num_put(), num_sent + 1) << "the others are kept already";
  const std::string another = root_ + "/another/7/1";
  ASSERT_THAT(FetchInto(another), IsOk());
  const auto fetched = Checkpoints(files::Join(another, kCheckpointFolder)).ReadLatest();
  ASSERT_THAT(fetched, IsOk());
  EXPECT_EQ((*fetched)->payload, "newer");
  EXPECT_THAT(files::Read(another + "/downsampling/000000000.choice"), IsOkAndHolds("chosen"));
}

TEST_F(KeptFoldersTest, ACheckpointThatIsNewerThanTheKeptOneStays) {
  WriteCheckpoint(7, "kept");
  ASSERT_THAT(Keep(), IsOk());
  WriteCheckpoint(8, "newer");
  fs::remove(files::Join(folder_, "checkpoints/000000000007.checkpoint"));
  ASSERT_THAT(FetchInto(folder_), IsOk());
  EXPECT_FALSE(fs::exists(files::Join(folder_, "checkpoints/000000000007.checkpoint")));
  fs::remove_all(files::Join(folder_, kCheckpointFolder));
  ASSERT_THAT(FetchInto(folder_), IsOk());
  EXPECT_TRUE(fs::exists(files::Join(folder_, "checkpoints/000000000007.checkpoint")));
}

// The process of a job runs what a user has written.
TEST_F(KeptFoldersTest, LinksThatAJobHasMadeAreNotFollowed) {
  std::ofstream(root_ + "/secret") << "of another job";
  WriteCheckpoint(7, "kept");
  const std::string checkpoint = files::Join(folder_, "checkpoints/000000000007.checkpoint");
  fs::remove(checkpoint);
  fs::create_symlink(root_ + "/secret", checkpoint);
  EXPECT_FALSE(Keep().ok());
  fs::remove_all(files::Join(folder_, kCheckpointFolder));
  fs::create_directory(root_ + "/elsewhere");
  std::ofstream(root_ + "/elsewhere/000000000007.checkpoint") << "of another job";
  fs::create_directory_symlink(root_ + "/elsewhere", files::Join(folder_, kCheckpointFolder));
  EXPECT_FALSE(Keep().ok());
  EXPECT_EQ(store_.num_put(), 0);
  EXPECT_EQ(KeptPosition(), -1);
}

TEST_F(KeptFoldersTest, AnErrorOfThePaceEndsTheSending) {
  WriteCheckpoint(7, std::string(size_t{3} << 20, 'x'));
  size_t num_bytes = 0;
  const auto kept =
      kept_->KeepCheckpoint(ClaimOf(1), folder_, {}, [&](size_t bytes) -> absl::Status {
        num_bytes += bytes;
        return num_bytes > size_t{2} << 20 ? Cancelled("it has ended") : absl::OkStatus();
      });
  EXPECT_THAT(kept, StatusIs(absl::StatusCode::kCancelled, _));
  EXPECT_EQ(KeptPosition(), -1);
}

}  // namespace
}  // namespace tidemill::trainer_server
