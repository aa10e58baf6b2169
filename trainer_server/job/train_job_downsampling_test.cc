// Trainings that downsample, through the trainer server.
#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "trainer_server/testing/train_job_room.h"

namespace tidemill::trainer_server {
namespace {

using testing::kSamples;
using testing::kTraining;
using testing::TrainJob;

std::string Training(const std::string& downsampling, const std::string& more = "") {
  return std::string(kTraining) + "downsampling: " + downsampling + "\n" + more;
}

class DownsampledJob : public TrainJob {
 protected:
  v1::WatchTrainingResponse Done(const std::string& training) {
    EXPECT_TRUE(Fit(1).ok());
    const auto done = Train(Request(1, 0, training));
    EXPECT_TRUE(done.ok()) << training << ": " << done.status().ToString();
    return done.value_or(v1::WatchTrainingResponse());
  }
};

TEST_F(DownsampledJob, TellsWhatItDid) {
  const auto done = Done(Training("{type: margin, fraction: 0.25}"));
  EXPECT_EQ(done.result().samples_done(), 3 * kSamples / 4);
  EXPECT_EQ(done.result().samples_total(), 3 * kSamples / 4);
  ASSERT_TRUE(done.result().has_downsampling());
  EXPECT_EQ(done.result().downsampling().method(), "margin");
  EXPECT_EQ(done.result().downsampling().num_samples(), kSamples);
  ASSERT_EQ(done.result().downsampling().epochs_size(), 3);
  const int64_t num_read = done.result().downsampling().epochs(0).num_scored();
  EXPECT_LT(num_read, kSamples) << "some samples are broken or missing";
  for (const auto& epoch : done.result().downsampling().epochs()) {
    EXPECT_EQ(epoch.num_chosen(), kSamples / 4);
    EXPECT_EQ(epoch.effective_size(), kSamples / 4);
    EXPECT_EQ(epoch.num_scored(), num_read);
  }
  EXPECT_EQ(done.result().num_skipped(), 3 * (kSamples - num_read))
      << "holes are met while scoring";
  EXPECT_EQ(done.result().num_bad(), kSamples - num_read);
  EXPECT_GT(done.result().downsampling().scoring_seconds(), 0);
}

TEST_F(DownsampledJob, WithoutDownsamplingThereIsNoSummary) {
  EXPECT_FALSE(Done(Training("none")).result().has_downsampling());
  EXPECT_FALSE(Done(Training("{type: margin, fraction: 0.5, warmup_triggers: 1}"))
                   .result()
                   .has_downsampling());
}

// Killed at every kind of place; and whether its methods pass the places of a pass that scores.
struct KilledCase {
  std::string downsampling;
  int num_scoring = 0;  // Places scored among the first three.
};
class KilledOnce : public DownsampledJob {
 protected:
  // How many of the places the training came by.
  int KillAt(const std::vector<std::string>& places, const std::string& training,
             const std::string& expected) {
    int num_killed = 0;
    for (const std::string& place : places) {
      EXPECT_EQ(DigestOfTraining("trainer_server." + place, training), expected) << place;
      if (!std::filesystem::is_empty(folder_ + "/once")) ++num_killed;
    }
    return num_killed;
  }
};

class KilledJob : public KilledOnce, public ::testing::WithParamInterface<KilledCase> {};

TEST_P(KilledJob, EndsWithTheWeightsOfAnUndisturbedOne) {
  const std::string training = Training(GetParam().downsampling, "max_bad_fraction: 0.2\n");
  std::string often = training;
  often.replace(often.find("checkpoint_every: 200"), 21, "checkpoint_every: 40");
  const std::string expected = DigestOfTraining("", training);
  EXPECT_EQ(KillAt({"mid_scoring=kill:1", "before_choice=kill:1", "after_choice=kill:1"}, often,
                   expected),
            GetParam().num_scoring);
  EXPECT_EQ(KillAt({"mid_training=kill:1", "mid_training=kill:6", "before_checkpoint_rename=kill:2",
                    "after_checkpoint=kill:1", "after_checkpoint=kill:3", "after_artefact=kill"},
                   often, expected),
            6);
  // Chosen by a process that left no checkpoint.
  EXPECT_EQ(KillAt({"mid_training=kill:6"}, training, expected), 1);
}

TEST_F(KilledOnce, InALaterPeriodItEndsWithTheSameWeights) {
  const std::string training =
      Training("{type: margin, fraction: 0.25}", "max_bad_fraction: 0.2\n");
  const std::string expected = DigestOfTraining("", training);
  EXPECT_EQ(KillAt({"mid_scoring=kill:3", "before_choice=kill:3", "after_choice=kill:2"}, training,
                   expected),
            3);
}

TEST_F(KilledOnce, WhileItTrainsAnotherModelItEndsWithTheSameWeights) {
  const std::string training =
      Training("{type: rho_loss, fraction: 0.25, twin: true}", "max_bad_fraction: 0.2\n");
  const std::string expected = DigestOfTraining("", training);
  EXPECT_EQ(KillAt({"mid_auxiliary=kill:2", "mid_auxiliary=kill:9", "after_auxiliary=kill"},
                   training, expected),
            3);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, KilledJob,
    ::testing::Values(
        KilledCase{"{type: rs2, fraction: 0.25}"}, KilledCase{"{type: uniform, fraction: 0.25}"},
        KilledCase{"{type: margin, fraction: 0.25}", 3},
        KilledCase{"{type: loss, fraction: 0.25, period: 2, sampling: poisson}", 3},
        KilledCase{"{type: loss, fraction: 0.25, when: batch_then_sample}"},
        KilledCase{"{type: grad_match, fraction: 0.25, part: 64}", 3},
        KilledCase{"{type: rho_loss, fraction: 0.25, twin: true}", 1},
        KilledCase{"{type: rho_loss, fraction: 0.25, when: sample_then_batch, period: 0}", 3},
        KilledCase{"{type: info_batch}", 2}));

TEST_F(DownsampledJob, DecodedSamplesChangeNoBit) {
  for (const char* const method : {"{type: rs2, fraction: 0.25}", "{type: loss, fraction: 0.25}",
                                   "{type: rho_loss, fraction: 0.25, holdout: 0.25}"}) {
    const std::string expected = DigestOfTraining("", Training(method, "decoded_budget: 0B\n"));
    for (const char* const budget : {"3KiB", "1GiB"}) {
      const std::string more = std::string("decoded_budget: ") + budget + "\n";
      EXPECT_EQ(DigestOfTraining("", Training(method, more)), expected) << method << ", " << budget;
    }
  }
}

TEST_F(DownsampledJob, AnotherSpecForgetsWhatWasChosen) {
  StopServer();
  StartServer("trainer_server.mid_training=delay:60s");
  ASSERT_TRUE(Fit(1).ok());
  ASSERT_TRUE(client_->StartTraining(Request(1, 0, Training("{type: el2n, fraction: 0.1}"))).ok());
  while (!files::Exists(folder_ + "/state/runs/7/1/downsampling/000000000.choice")) sched_yield();
  StopServer();
  StartServer("");
  const auto done = Train(Request(1, 0, Training("{type: el2n, fraction: 0.5}")));
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(done->result().downsampling().epochs(0).num_chosen(), kSamples / 2);
  EXPECT_FALSE(files::Exists(folder_ + "/state/runs/7/1/downsampling"));
}

}  // namespace
}  // namespace tidemill::trainer_server
