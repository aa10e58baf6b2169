// Trainings of several ranks through the trainer server.
#include <cmath>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "gtest/gtest.h"

#include "trainer_server/testing/train_job_room.h"

namespace tidemill::trainer_server {
namespace {

using testing::kRun;
using testing::kSamples;
using testing::kTraining;

constexpr char kWithoutDropout[] = "{type: mlp, hidden: [16], outputs: 2}";

class RankedJob : public testing::TrainJob {
 protected:
  // Trains trigger 1 with this number of ranks.
  rpc::v1::TrainingResult TrainRanks(int ranks, const std::string& more = "",
                                     const std::string& model = kWithoutDropout) {
    return TrainRanksOf(ranks, kTraining + more, model, testing::kGraph);
  }
  rpc::v1::TrainingResult TrainRanksOf(int ranks, const std::string& training,
                                       const std::string& model, const std::string& graph) {
    EXPECT_TRUE(FitGraph(graph).ok());
    v1::StartTrainingRequest request = Request(1, 0, fmt::format("{}ranks: {}\n", training, ranks));
    request.set_model(model);
    request.set_graph(graph);
    const auto done = Train(request);
    EXPECT_TRUE(done.ok()) << ranks << " ranks: " << done.status().ToString();
    DeleteRun();
    return done.ok() ? done->result() : rpc::v1::TrainingResult();
  }
};

TEST_F(RankedJob, TheLossesOfEachStepAreThoseOfOneProcess) {
  for (const char* const more :
       {"", "accumulate: 3\n", "last_batch: drop\n", "last_batch: wrap\nmax_samples: 1000\n",
        "gradient_clipping: {norm: 0.1}\n", "early_stopping: {held_out: 0.2, patience: 1}\n"}) {
    const rpc::v1::TrainingResult alone = TrainRanks(1, more);
    ASSERT_GT(alone.loss_curve_size(), 10);
    for (const int ranks : {2, 4}) {
      const rpc::v1::TrainingResult together = TrainRanks(ranks, more);
      ASSERT_EQ(together.loss_curve_size(), alone.loss_curve_size()) << ranks << more;
      for (int i = 0; i < alone.loss_curve_size(); ++i) {
        const rpc::v1::LossPoint& point = alone.loss_curve(i);
        EXPECT_NEAR(together.loss_curve(i).loss(), point.loss(), 1e-6 * point.loss())
            << ranks << " ranks, step " << i << ", " << more;
        EXPECT_EQ(together.loss_curve(i).num_samples(), point.num_samples());
      }
      EXPECT_EQ(together.samples_done(), alone.samples_done());
      EXPECT_EQ(together.samples_total(), alone.samples_total());
      EXPECT_EQ(together.num_skipped(), alone.num_skipped());
      EXPECT_EQ(together.num_bad(), alone.num_bad());
    }
  }
}

TEST_F(RankedJob, BatchNormalisationSeesTheBatchesOfAllRanks) {
  const auto train = [&](int ranks) {
    return TrainRanksOf(
        ranks,
        "device: cpu\nepochs: 1\nbatch_size: 32\noptimizer: {type: sgd, lr: 0.001}\nseed: 42\n"
        "num_threads: 1\n",
        "{type: resnet18, width: 4, outputs: 2}",
        "- parse_csv: {columns: [a, b], dtype: int64}\n- one_hot: {column: a, classes: 256}\n"
        "- reshape: {column: a, shape: [1, 16, 16], into: input}\n- label: {into: target}\n");
  };
  // In the last batch, of 16 samples, two of four ranks have no row.
  const rpc::v1::TrainingResult alone = train(1);
  ASSERT_GT(alone.loss_curve_size(), kSamples / 32);
  for (const int ranks : {2, 4}) {
    const rpc::v1::TrainingResult together = train(ranks);
    ASSERT_EQ(together.loss_curve_size(), alone.loss_curve_size());
    for (int i = 0; i < alone.loss_curve_size(); ++i) {
      // Normalisation lets what is rounded in another way grow from step to step.
      const double loss = alone.loss_curve(i).loss();
      EXPECT_NEAR(together.loss_curve(i).loss(), loss, 1e-3 * loss) << ranks << ", step " << i;
    }
    EXPECT_EQ(train(ranks).weights_digest(), together.weights_digest());
  }
}

TEST_F(RankedJob, TheWeightsAreTheSameEachTime) {
  const std::string model = "{type: mlp, hidden: [16], outputs: 2, dropout: 0.2}";
  for (const int ranks : {2, 4}) {
    const std::string first = TrainRanks(ranks, "", model).weights_digest();
    EXPECT_EQ(TrainRanks(ranks, "", model).weights_digest(), first) << ranks;
  }
}

TEST_F(RankedJob, ARankThatIsKilledCostsNothingButItsStep) {
  const std::string model = "{type: mlp, hidden: [16], outputs: 2, dropout: 0.2}";
  const std::string expected = TrainRanks(2, "", model).weights_digest();
  for (const char* const failpoint :
       {"mid_training=kill:1", "mid_training=kill:17", "before_checkpoint_rename=kill:2",
        "after_checkpoint=kill:3", "before_artefact=kill", "after_artefact=kill"}) {
    StopServer();
    StartServer(std::string("trainer_server.") + failpoint);
    EXPECT_EQ(TrainRanks(2, "", model).weights_digest(), expected) << failpoint;
  }
}

}  // namespace
}  // namespace tidemill::trainer_server
