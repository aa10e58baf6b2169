#include "trainer_server/folders/job_folder.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "trainer_server/folders/old_folder.h"

namespace tidemill::trainer_server {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

class JobFolder : public ::testing::Test {
 protected:
  JobFolder() {
    char pattern[] = "/tmp/job-folder-XXXXXX";
    folder_ = mkdtemp(pattern);
  }
  ~JobFolder() override { std::filesystem::remove_all(folder_); }

  void Write(std::string_view name, const std::string& text) {
    EXPECT_THAT(files::WriteAtomically(files::Join(folder_, name), text), IsOk());
  }

  std::string folder_;
};

v1::TrainingJob Job() {
  v1::TrainingJob job;
  v1::StartTrainingRequest& request = *job.mutable_request();
  request.mutable_command()->set_run_id(7);
  request.set_trigger(2);
  request.set_dataset_id(3);
  request.set_dataset_spec("path: \"/data/$${x}\"\nformat: csv\n");
  request.set_fitted_trigger(1);
  request.set_parent_model_id(71);
  request.set_training("epochs: 3\n");
  (*job.mutable_endpoints()->mutable_services())["storage"] = "unix:/run/storage";
  job.mutable_endpoints()->set_token_file("/run/tokens");
  job.mutable_preparation()->set_threads(2);
  job.mutable_preparation()->set_bytes_ahead(int64_t{1} << 40);
  return job;
}

v1::WatchTrainingResponse Done() {
  v1::WatchTrainingResponse last;
  last.set_state(v1::TRAINING_STATE_DONE);
  rpc::v1::TrainingResult& result = *last.mutable_result();
  result.set_samples_done(int64_t{1} << 60);
  result.set_num_samples(40);
  result.set_epochs(3);
  result.set_loss(1.0 / 3);
  result.set_verdict("1 % of the time waiting for data; limit: the training itself");
  result.set_weights_digest("weights");
  result.set_training_set_digest("set");
  result.add_loss_curve()->set_loss(0.5);
  result.add_loss_curve()->set_validation_loss(0.25);
  result.mutable_downsampling()->set_method("margin");
  result.mutable_downsampling()->add_epochs()->set_num_chosen(10);
  return last;
}

TEST_F(JobFolder, RefusesEveryFlippedBit) {
  ASSERT_THAT(WriteMessage(folder_, kJobFile, Job()), IsOk());
  const std::string whole = files::Read(files::Join(folder_, kJobFile)).value();
  for (size_t byte = 0; byte < whole.size(); ++byte) {
    std::string flipped = whole;
    flipped[byte] = static_cast<char>(flipped[byte] ^ 1 << byte % 8);
    Write(kJobFile, flipped);
    EXPECT_THAT(ReadTraining(folder_), StatusIs(absl::StatusCode::kDataLoss, _)) << byte;
  }
}

TEST_F(JobFolder, TheDigestsOfAnArtefactAreThoseOfWhatWasWritten) {
  ASSERT_THAT(WriteArtefact(folder_, {{"weights", "w"}, {"spec", "s"}}), IsOk());
  EXPECT_EQ(files::Read(files::Join(folder_, "artefact/weights")).value(), "w");
  Write("artefact/weights", "v");  // A bit turns before it is stored.
  model_store::v1::Model model;
  model.add_parts()->set_name("spec");
  model.add_parts()->set_name("weights");
  ASSERT_THAT(AddDigests(folder_, model), IsOk());
  EXPECT_EQ(model.parts(0).digest(), Sha256("s"));
  EXPECT_EQ(model.parts(1).digest(), Sha256("w"));
  std::filesystem::remove(files::Join(folder_, kPartsFile));
  model.mutable_parts(0)->clear_digest();
  ASSERT_THAT(AddDigests(folder_, model), IsOk()) << "of a version that wrote none";
  EXPECT_EQ(model.parts(0).digest(), "");
}

TEST_F(JobFolder, GivesBackWhatWasWritten) {
  ASSERT_THAT(WriteMessage(folder_, kJobFile, Job()), IsOk());
  EXPECT_EQ(ReadMessage<v1::TrainingJob>(folder_, kJobFile)->DebugString(), Job().DebugString());
  EXPECT_EQ(ReadTraining(folder_)->DebugString(), Job().request().DebugString());
  ASSERT_THAT(WriteMessage(folder_, kResultFile, Done()), IsOk());
  EXPECT_EQ(ReadResult(folder_)->DebugString(), Done().DebugString());
  v1::StoreModelResponse stored;
  stored.set_model_id(72);
  ASSERT_THAT(WriteMessage(folder_, kStoredFile, stored), IsOk());
  EXPECT_EQ(ReadStored(folder_)->model_id(), 72);
}

TEST_F(JobFolder, IsForPeopleToReadByTheNamesOfTheProtos) {
  ASSERT_THAT(WriteMessage(folder_, kJobFile, Job()), IsOk());
  EXPECT_THAT(*files::Read(files::Join(folder_, kJobFile)),
              HasSubstr("\n  \"fitted_trigger\": \"1\""));
}

TEST_F(JobFolder, SaysWhatIsMissingOrDamaged) {
  EXPECT_THAT(ReadResult(folder_), StatusIs(absl::StatusCode::kNotFound, _));
  EXPECT_THAT(ReadTraining(folder_), StatusIs(absl::StatusCode::kNotFound, _));
  EXPECT_THAT(ReadStored(folder_), StatusIs(absl::StatusCode::kNotFound, _));
  Write(kResultFile, "{\"state\": \"TRAINING_STATE_DO");
  EXPECT_THAT(ReadResult(folder_), StatusIs(absl::StatusCode::kDataLoss, _));
  Write(kOldResultFile, "error: \"\"\n");
  EXPECT_THAT(ReadResult(folder_), StatusIs(absl::StatusCode::kDataLoss, _))
      << "an older file does not stand for a damaged one";
  EXPECT_THAT(ForgetResult(folder_), IsOk());
  EXPECT_THAT(ReadResult(folder_), StatusIs(absl::StatusCode::kNotFound, _));
}

// The process of a training runs what a user has written.
TEST_F(JobFolder, ALinkedOrTooLargeFileIsRefusedImmediately) {
  constexpr auto kPrecondition = absl::StatusCode::kFailedPrecondition;
  for (const std::string_view name : {kResultFile, kJobFile, kOldResultFile}) {
    const std::string path = files::Join(folder_, name);
    const auto read = [&] {
      return name == kJobFile ? ReadTraining(folder_).status() : ReadResult(folder_).status();
    };
    std::filesystem::create_symlink("/dev/zero", path);
    EXPECT_THAT(read(), StatusIs(kPrecondition, HasSubstr("is a link")));
    std::filesystem::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_THAT(read(), StatusIs(kPrecondition, HasSubstr("is not a regular file")));
    std::filesystem::remove(path);
    Write(name, "");
    std::filesystem::resize_file(path, uint64_t{6} << 30);
    EXPECT_THAT(read(), StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("6442450944")));
    std::filesystem::remove(path);
  }
}

TEST_F(JobFolder, ReadsOldNumbersThatAreNone) {
  Write(kOldResultFile, "error: \"\"\nloss: .nan\nseconds: .inf\nwait_share: -.inf\n");
  const auto last = ReadResult(folder_);
  ASSERT_THAT(last, IsOk());
  EXPECT_TRUE(std::isnan(last->result().loss()));
  EXPECT_EQ(last->result().seconds(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(last->result().wait_share(), -std::numeric_limits<double>::infinity());
}

// As version 0.7 wrote them.
constexpr char kOldResult[] = R"(error: ""
samples_done: 1152921504606846976
samples_total: 0
num_samples: 40
num_skipped: 0
epochs: 3
loss: 0.3333333333333333
seconds: 0.0
samples_per_second: 0.0
wait_share: 0.0
verdict: "1 % of the time waiting for data; limit: the training itself"
device: ""
training_set_digest: set
weights_digest: weights
loss_curve:
  - num_samples: 0
    loss: 0.5
    validation_loss: null
  - num_samples: 0
    loss: 0.0
    validation_loss: 0.25
downsampling:
  method: margin
  num_samples: 0
  epochs:
    - num_chosen: 10
      effective_size: 0.0
      num_scored: 0
  scoring_seconds: 0.0
  auxiliary_seconds: 0.0
  num_not_finite: 0
)";
constexpr char kOldJob[] = R"(run_id: 7
trigger: 2
dataset_id: 3
dataset: |
  path: "/data/$$${x}"
  format: csv
graph: ""
endpoints:
  storage: unix:/run/storage
  tls:
    certificate: ""
preparation:
  threads: 2
fitted_trigger: 1
parent_model_id: 71
model: ""
training: |
  epochs: 3
workers: ""
)";

TEST_F(JobFolder, OfAnEarlierVersionSaysTheSame) {
  Write(kOldJobFile, kOldJob);
  Write(kOldResultFile, kOldResult);
  const auto training = ReadTraining(folder_);
  ASSERT_THAT(training, IsOk());
  EXPECT_EQ(training->DebugString(), Job().request().DebugString());
  const auto last = ReadResult(folder_);
  ASSERT_THAT(last, IsOk());
  EXPECT_EQ(last->DebugString(), Done().DebugString());
  Write(kOldStoredFile, "model_id: 72\n");
  const auto stored = ReadStored(folder_);
  ASSERT_THAT(stored, IsOk());
  EXPECT_EQ(stored->model_id(), 72);
  EXPECT_EQ(stored->weights_digest(), "weights");
}

TEST_F(JobFolder, TriggersAreFoundByWhatIsThereHoweverManyAreAskedFor) {
  constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  for (const char* const name : {"1", "2", "11", "networks", "-3", "0", "4x"}) {
    std::filesystem::create_directory(files::Join(folder_, name));
  }
  Write("fence", "1");
  EXPECT_THAT(NumbersBefore(folder_, kAll), IsOkAndHolds(ElementsAre(11, 2, 1)));
  EXPECT_THAT(NumbersBefore(folder_, 11), IsOkAndHolds(ElementsAre(2, 1)));
  EXPECT_THAT(NumbersBefore(folder_, -kAll), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(NumbersBefore(files::Join(folder_, "none"), kAll), IsOkAndHolds(IsEmpty()));
}

TEST_F(JobFolder, RetiredTrainingsLeaveNothingButTheFittedStateThatIsUsed) {
  const auto folder_of = [&](int64_t trigger) {
    return files::Join(folder_, std::to_string(trigger));
  };
  const auto write = [&](int64_t trigger, int64_t fitted_trigger) {
    const std::string folder = folder_of(trigger);
    for (const std::string_view part : {kCheckpointFolder, kArtefactFolder}) {
      EXPECT_THAT(files::CreateFolder(files::Join(folder, part)), IsOk());
    }
    v1::TrainingJob job = Job();
    job.mutable_request()->set_fitted_trigger(fitted_trigger);
    EXPECT_THAT(WriteMessage(folder, kJobFile, job), IsOk());
    EXPECT_THAT(WriteMessage(folder, kResultFile, Done()), IsOk());
    EXPECT_THAT(WriteMessage(folder, kStoredFile, v1::StoreModelResponse()), IsOk());
    EXPECT_THAT(files::WriteAtomically(files::Join(folder, kFittedFile), "fitted"), IsOk());
  };
  constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  for (int64_t trigger = 1; trigger <= 6; ++trigger) write(trigger, /*fitted_trigger=*/1);
  EXPECT_THAT(files::CreateFolder(folder_of(7)),
              IsOk());  // The folder of a training that is about to begin.
  ASSERT_THAT(RetireFolders(folder_, 5), IsOk());
  ASSERT_THAT(RetireFolders(folder_, 5), IsOk());
  EXPECT_THAT(NumbersBefore(folder_, kAll), IsOkAndHolds(ElementsAre(7, 6, 5, 1)));
  EXPECT_TRUE(files::Exists(files::Join(folder_of(1), kFittedFile)));
  EXPECT_FALSE(files::Exists(files::Join(folder_of(1), kCheckpointFolder)));
  EXPECT_TRUE(files::Exists(files::Join(folder_of(5), kCheckpointFolder)));

  // Each trigger fits again.
  for (int64_t trigger = 7; trigger <= 9; ++trigger) write(trigger, trigger);
  ASSERT_THAT(RetireFolders(folder_, 8), IsOk());
  EXPECT_THAT(NumbersBefore(folder_, kAll), IsOkAndHolds(ElementsAre(9, 8)));
  EXPECT_THAT(RetireFolders(files::Join(folder_, "none"), 3), IsOk());
}

TEST_F(JobFolder, OfAnEarlierVersionWhoseTrainingFailed) {
  Write(kOldResultFile, "error: \"the loss was not a finite number\"\nsamples_done: 0\n");
  const auto last = ReadResult(folder_);
  ASSERT_THAT(last, IsOk());
  EXPECT_EQ(last->state(), v1::TRAINING_STATE_FAILED);
  EXPECT_EQ(last->error(), "the loss was not a finite number");
}

}  // namespace
}  // namespace tidemill::trainer_server
