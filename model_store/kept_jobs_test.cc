#include "model_store/kept_jobs.h"

#include <csignal>
#include <filesystem>
#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "base/failpoints.h"
#include "base/testing/status_matchers.h"
#include "model_store/testing/model_store_fixture.h"

namespace tidemill::model_store {
namespace {

namespace fs = std::filesystem;
using ::testing::_;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

using ::tidemill::model_store::testing::CommandOf;
using ::tidemill::model_store::testing::kParts;
using ::tidemill::model_store::testing::Life;
using ::tidemill::model_store::testing::ModelOf;
using ::tidemill::model_store::testing::ModelStoreTest;

// The files of a job: bytes by name.
using JobFiles = std::map<std::string, std::string>;

class KeptJobsTest : public ModelStoreTest {
 protected:
  absl::Status Put(const std::string& bytes, int64_t run = 1, int64_t epoch = 1) {
    v1::PutFileRequest::Header header;
    *header.mutable_command() = CommandOf(run, epoch);
    header.set_digest(Sha256(bytes));
    header.set_size_bytes(static_cast<int64_t>(bytes.size()));
    ASSIGN_OR_RETURN(const auto incoming, life_.jobs->Begin(header));
    if (incoming == nullptr) return absl::OkStatus();
    RETURN_IF_ERROR(incoming->Append(bytes));
    return incoming->Finish();
  }

  static v1::KeepJobRequest RequestOf(const JobFiles& files, int64_t position,
                                      int64_t attempt = 1) {
    v1::KeepJobRequest request;
    *request.mutable_command() = CommandOf(1);
    request.set_trigger(1);
    request.set_kind(v1::JOB_KIND_TRAINING);
    request.set_attempt(attempt);
    request.set_position(position);
    for (const auto& [name, bytes] : files) {
      v1::JobFile& file = *request.add_files();
      file.set_name(name);
      file.set_digest(Sha256(bytes));
      file.set_size_bytes(static_cast<int64_t>(bytes.size()));
    }
    return request;
  }

  // Sends the files and names them.
  absl::StatusOr<bool> Keep(const JobFiles& files, const v1::KeepJobRequest& request) {
    for (const auto& [name, bytes] : files) {
      RETURN_IF_ERROR(Put(bytes, request.command().run_id(), request.command().run_epoch()));
    }
    return life_.jobs->Keep(request);
  }
  absl::StatusOr<bool> Keep(const JobFiles& files, int64_t position, int64_t attempt = 1) {
    return Keep(files, RequestOf(files, position, attempt));
  }

  absl::StatusOr<std::string> Read(const std::string& digest, int64_t run = 1) {
    std::string bytes;
    RETURN_IF_ERROR(life_.jobs->Read(RunId{run}, digest, [&](std::string_view piece) {
      bytes += piece;
      return absl::OkStatus();
    }));
    return bytes;
  }

  // The bytes of the files of trigger 1, by name.
  absl::StatusOr<JobFiles> Kept(v1::JobKind kind = v1::JOB_KIND_TRAINING) {
    ASSIGN_OR_RETURN(const auto job, life_.jobs->Get(RunId{1}, 1, kind));
    JobFiles files;
    for (const v1::JobFile& file : job.files()) {
      ASSIGN_OR_RETURN(files[file.name()], Read(file.digest()));
    }
    return files;
  }

  Life life_ = NewLife();
};

TEST_F(KeptJobsTest, GivesBackTheFilesOfAJobInALaterLife) {
  const JobFiles files = {{"checkpoints/00.checkpoint", "weights"}, {"job.json", "{}"}};
  EXPECT_THAT(Kept(), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(Keep(files, 7), IsOkAndHolds(true));
  life_ = NewLife();
  EXPECT_THAT(Kept(), IsOkAndHolds(files));
  EXPECT_THAT(Kept(v1::JOB_KIND_FIT), IsOkAndHolds(IsEmpty()));
  const auto job = life_.jobs->Get(RunId{1}, 1, v1::JOB_KIND_TRAINING);
  EXPECT_EQ(job->position(), 7);
}

TEST_F(KeptJobsTest, NewFilesReplaceTheOldOnesWhoseBytesGo) {
  ASSERT_THAT(Keep({{"a", "first"}, {"both", "stays"}}, 1), IsOkAndHolds(true));
  ASSERT_THAT(Keep({{"b", "second"}, {"both", "stays"}}, 2), IsOkAndHolds(true));
  EXPECT_THAT(Files(), UnorderedElementsAre(Sha256("second"), Sha256("stays")));
  // The same again changes nothing.
  ASSERT_THAT(Keep({{"b", "second"}, {"both", "stays"}}, 2), IsOkAndHolds(true));
  EXPECT_THAT(Kept(), IsOkAndHolds(JobFiles{{"b", "second"}, {"both", "stays"}}));
}

TEST_F(KeptJobsTest, AnEarlierPositionReplacesNothingAndAnEarlierAttemptIsRefused) {
  ASSERT_THAT(Keep({{"a", "ten"}}, 10, /*attempt=*/2), IsOkAndHolds(true));
  EXPECT_THAT(Keep({{"a", "nine"}}, 9, 2), IsOkAndHolds(false));
  EXPECT_THAT(Keep({{"a", "far"}}, 99, 1),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another trainer server")));
  EXPECT_THAT(Kept(), IsOkAndHolds(JobFiles{{"a", "ten"}}));
  // A later attempt may have begun with less, and a later epoch counts its attempts from the start.
  EXPECT_THAT(Keep({{"a", "one"}}, 1, 3), IsOkAndHolds(true));
  v1::KeepJobRequest next = RequestOf({{"a", "zero"}}, 0, 1);
  next.mutable_command()->set_run_epoch(2);
  EXPECT_THAT(Keep({{"a", "zero"}}, next), IsOkAndHolds(true));
  EXPECT_THAT(Kept(), IsOkAndHolds(JobFiles{{"a", "zero"}}));
  EXPECT_THAT(Put("late", 1, 1), StatusIs(absl::StatusCode::kFailedPrecondition, _));
  EXPECT_THAT(Keep({}, 100, 9), StatusIs(absl::StatusCode::kFailedPrecondition, _));
}

TEST_F(KeptJobsTest, NamesOnlyFilesThatAreThereAndWhoseNamesLeadNowhereElse) {
  EXPECT_THAT(life_.jobs->Keep(RequestOf({{"a", "never sent"}}, 1)),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(Sha256("never sent"))));
  for (const char* const name : {"", "../a", "a/../b", "/a", "a/", ".a", "a/.b", "a/b/c", "A b"}) {
    EXPECT_THAT(Keep({{name, "x"}}, 1), StatusIs(absl::StatusCode::kInvalidArgument, _)) << name;
  }
  v1::KeepJobRequest twice = RequestOf({{"a", "x"}}, 1);
  *twice.add_files() = twice.files(0);
  EXPECT_THAT(life_.jobs->Keep(twice), StatusIs(absl::StatusCode::kInvalidArgument, _));
  v1::KeepJobRequest unkind = RequestOf({}, 1);
  unkind.clear_kind();
  EXPECT_THAT(life_.jobs->Keep(unkind), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(Put("x", /*run=*/0), StatusIs(absl::StatusCode::kInvalidArgument, _));
}

TEST_F(KeptJobsTest, AModelWhoseFilesAreKeptNeedsNoBytes) {
  JobFiles files;
  for (const auto& [name, bytes] : kParts) files["artefact/" + name] = bytes;
  ASSERT_THAT(Keep(files, 1), IsOkAndHolds(true));
  const auto upload = life_.store->Begin(CommandOf(1), ModelOf(1, 1));
  ASSERT_THAT(upload, IsOk());
  EXPECT_TRUE((*upload)->is_whole());
  const auto id = (*upload)->Finish();
  ASSERT_THAT(id, IsOk());
  for (const auto& [name, bytes] : kParts) EXPECT_THAT(life_.Read(*id, name), IsOkAndHolds(bytes));
  EXPECT_EQ(Files().size(), kParts.size()) << "bytes are stored once";
  // The job has other files now, the model keeps its own.
  ASSERT_THAT(Keep({{"a", "other"}}, 2), IsOkAndHolds(true));
  for (const auto& [name, bytes] : kParts) EXPECT_THAT(life_.Read(*id, name), IsOkAndHolds(bytes));
}

TEST_F(KeptJobsTest, AModelIsNotStoredOnceAJobHasTakenItsFilesAway) {
  JobFiles files;
  for (const auto& [name, bytes] : kParts) files["artefact/" + name] = bytes;
  ASSERT_THAT(Keep(files, 1), IsOk());
  const auto upload = life_.store->Begin(CommandOf(1), ModelOf(1, 1));
  ASSERT_THAT(upload, IsOk());
  ASSERT_THAT(Keep({{"a", "other"}}, 2), IsOkAndHolds(true));
  EXPECT_THAT((*upload)->Finish(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("removed")));
  EXPECT_THAT(life_.Put(ModelOf(1, 1)), IsOk());
}

TEST_F(KeptJobsTest, RetentionTakesJobsWithTheirTriggersButNotWhatALaterModelHasLearned) {
  v1::KeepJobRequest fit = RequestOf({{"fitted.batch", kParts[1].second}}, 0);
  fit.set_kind(v1::JOB_KIND_FIT);
  ASSERT_THAT(Keep({{"fitted.batch", kParts[1].second}}, fit), IsOkAndHolds(true));
  ASSERT_THAT(Keep({{"a", "checkpoint of 1"}}, 1), IsOkAndHolds(true));
  v1::KeepJobRequest later = RequestOf({{"a", "checkpoint of 3"}}, 1);
  later.set_trigger(3);
  ASSERT_THAT(Keep({{"a", "checkpoint of 3"}}, later), IsOkAndHolds(true));
  ASSERT_THAT(life_.Put(ModelOf(1, 1, {kParts[1]}), {kParts[1]}), IsOk());
  ASSERT_THAT(life_.Put(ModelOf(1, 2)), IsOk());
  ASSERT_THAT(life_.store->Retire(CommandOf(1), 2), IsOkAndHolds(1));
  EXPECT_THAT(Kept(), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(Kept(v1::JOB_KIND_FIT), IsOkAndHolds(SizeIs(1))) << "model 2 has the same";
  EXPECT_THAT(Files(), UnorderedElementsAre(Sha256(kParts[0].second), Sha256(kParts[1].second),
                                            Sha256(kParts[2].second), Sha256("checkpoint of 3")));
  ASSERT_THAT(life_.Put(ModelOf(1, 3, {kParts[0]}), {kParts[0]}), IsOk());
  ASSERT_THAT(life_.store->Retire(CommandOf(1), 3), IsOkAndHolds(1));
  EXPECT_THAT(Kept(v1::JOB_KIND_FIT), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(Files(), UnorderedElementsAre(Sha256(kParts[0].second), Sha256("checkpoint of 3")));
}

TEST_F(KeptJobsTest, ADeletedRunLeavesNothingAndTakesNothingFromAServerThatComesLate) {
  ASSERT_THAT(Keep({{"a", "checkpoint"}}, 1), IsOk());
  ASSERT_THAT(life_.store->DeleteRun(CommandOf(1, /*epoch=*/2)), IsOkAndHolds(0));
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_THAT(Kept(), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(Keep({{"a", "late"}}, 2), StatusIs(absl::StatusCode::kFailedPrecondition, _));
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_FALSE(fs::exists(folder_ + "/models/1"));
}

TEST_F(KeptJobsTest, WhatNobodyHasNamedForAnHourIsRemovedAndCountedUntilThen) {
  ASSERT_THAT(Keep({{"a", "named"}}, 1), IsOk());
  ASSERT_THAT(Put("not named"), IsOk());
  ASSERT_THAT(Put("of a deleted run", /*run=*/9), IsOk());
  ASSERT_THAT(life_.Put(ModelOf(2, 1)), IsOk());
  auto bytes = life_.jobs->CountBytes();
  ASSERT_THAT(bytes, IsOk());
  EXPECT_EQ(bytes->jobs(), 5);
  EXPECT_EQ(bytes->unnamed(), 9 + 16);
  EXPECT_EQ(bytes->models(), 12 + 19);
  life_ = NewLife();
  EXPECT_THAT(life_.jobs->CountBytes()->unnamed(), 9 + 16) << "their names may be on their way";
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours{2};
  for (const auto& entry : fs::recursive_directory_iterator(folder_ + "/models")) {
    if (entry.is_regular_file()) fs::last_write_time(entry.path(), long_ago);
  }
  life_ = NewLife();
  bytes = life_.jobs->CountBytes();
  EXPECT_EQ(bytes->unnamed(), 0);
  EXPECT_EQ(bytes->jobs(), 5);
  EXPECT_EQ(bytes->models(), 12 + 19);
  EXPECT_FALSE(fs::exists(folder_ + "/models/9"));
}

class JobKilledAt : public KeptJobsTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(JobKilledAt, ThereTheJobHasTheOldFilesOrTheNewOnesAndTheNextTryEndsIt) {
  ASSERT_THAT(Keep({{"a", "old"}}, 1), IsOk());
  const auto keep_and_die = [&] {
    // With connections of its own, and without ending those of the test.
    const Life& parents = *new Life(std::move(life_));
    life_ = NewLife();
    failpoints::Arm(std::string(GetParam()) + "=kill").IgnoreError();
    Keep({{"a", "new"}}, 2).status().IgnoreError();
    EXPECT_NE(parents.database, nullptr);
  };
  EXPECT_EXIT(keep_and_die(), ::testing::KilledBySignal(SIGKILL), "");
  life_ = NewLife();
  const bool has_new = std::string(GetParam()) == "model_store.after_keep";
  EXPECT_THAT(Kept(), IsOkAndHolds(JobFiles{{"a", has_new ? "new" : "old"}}));
  ASSERT_THAT(Keep({{"a", "new"}}, 2), IsOkAndHolds(true));
  EXPECT_THAT(Kept(), IsOkAndHolds(JobFiles{{"a", "new"}}));
}

INSTANTIATE_TEST_SUITE_P(Failpoints, JobKilledAt,
                         ::testing::Values("model_store.before_keep", "model_store.after_keep"));

}  // namespace
}  // namespace tidemill::model_store
