// Ranks that are killed, and that stand still, at any moment.
#include <signal.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "fmt/format.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "models/torch/safetensors.h"
#include "trainer_server/folders/job_folder.h"
#include "trainer_server/testing/train_job_room.h"

namespace tidemill::trainer_server {
namespace {

using testing::kRun;
using testing::kSamples;
using testing::kTraining;

constexpr char kSlowly[] = "trainer_server.mid_training=delay:5ms";

class LostRanks : public testing::TrainJob {
 protected:
  std::string FolderOfTrigger() const { return fmt::format("{}/runs/{}/1", state_, kRun); }

  // The process of a rank: the one that holds its lock. 0 when there is none.
  pid_t ProcessOf(int64_t rank) const {
    const std::string name = rank == 0 ? "lock" : fmt::format("lock-{}", rank);
    struct stat file = {};
    if (stat(files::Join(FolderOfTrigger(), name).c_str(), &file) != 0) return 0;
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
      std::istringstream words(line);
      std::string number, kind, mode, access, pid, place;
      words >> number >> kind >> mode >> access >> pid >> place;
      if (kind == "FLOCK" && place.ends_with(fmt::format(":{}", file.st_ino))) {
        return std::stoi(pid);
      }
    }
    return 0;
  }

  // Sends a signal to a rank as soon as it has a process other than `before`. Returns the process;
  // 0 when the training ends before that.
  pid_t Hit(int64_t rank, int signal, pid_t before = 0) {
    while (!files::Exists(files::Join(FolderOfTrigger(), kResultFile))) {
      const pid_t process = ProcessOf(rank);
      if (process > 1 && process != before && kill(process, signal) == 0) return process;
      std::this_thread::yield();
    }
    return 0;
  }

  // Waits until the training has come to this number of samples, or has ended.
  void AwaitSamples(int64_t num_samples) {
    const auto watch = [&](const v1::WatchTrainingResponse& message) {
      return message.result().samples_done() >= num_samples ? Cancelled("seen") : absl::OkStatus();
    };
    client_->WatchTraining(RunId{kRun}, 1, watch).IgnoreError();
  }

  void Start(const std::string& training, const std::string& graph, const std::string& model,
             const std::string& failpoints) {
    StopServer();
    StartServer(failpoints);
    ASSERT_TRUE(FitGraph(graph).ok());
    v1::StartTrainingRequest request = Request(1, 0, training);
    request.set_graph(graph);
    request.set_model(model);
    const absl::Status started = client_->StartTraining(request);
    ASSERT_TRUE(started.ok()) << started.ToString();
  }
  void Start(const std::string& more) {
    Start(std::string(kTraining) + more, testing::kGraph, testing::kModel, kSlowly);
  }

  // Waits for the end of the training, stores its model and deletes the run.
  rpc::v1::TrainingResult Finish() {
    const auto last =
        client_->WatchTraining(RunId{kRun}, 1, [](const auto&) { return absl::OkStatus(); });
    EXPECT_TRUE(last.ok()) << last.status().ToString();
    if (!last.ok()) return {};
    EXPECT_EQ(last->state(), v1::TRAINING_STATE_DONE) << last->error();
    const auto stored = Store(1);
    EXPECT_TRUE(stored.ok()) << stored.status().ToString();
    if (stored.ok()) {
      weights_ = model_store_service_.parts[stored->model_id()]["weights.safetensors"];
    }
    DeleteRun();
    return last->result();
  }

  std::string weights_;  // The weights of the last model.
};

TEST_F(LostRanks, AnyRankKilledAtAnyMomentLeavesTheWeightsAsTheyWere) {
  for (const int64_t ranks : {2, 3}) {
    Start(fmt::format("ranks: {}\n", ranks));
    const std::string expected = Finish().weights_digest();
    std::mt19937 random(static_cast<unsigned>(ranks));
    for (int i = 0; i < 10; ++i) {
      const auto rank = static_cast<int64_t>(random() % static_cast<unsigned>(ranks));
      const auto moment = static_cast<int64_t>(random() % (3 * kSamples));
      Start(fmt::format("ranks: {}\n", ranks));
      if (i > 0) AwaitSamples(moment);  // The first one dies before it has met the others.
      Hit(rank, SIGKILL);
      EXPECT_EQ(Finish().weights_digest(), expected)
          << "rank " << rank << " of " << ranks << " after " << moment;
    }
  }
}

TEST_F(LostRanks, ARankThatStandsStillIsStartedAgain) {
  Start("ranks: 2\n");
  const std::string expected = Finish().weights_digest();
  config_.rank_timeout = Duration{2'500'000};
  for (const int64_t rank : {0, 1}) {
    Start("ranks: 2\n");
    AwaitSamples(500);
    EXPECT_NE(Hit(rank, SIGSTOP), 0);
    EXPECT_EQ(Finish().weights_digest(), expected) << rank;
  }
}

// Each sample has its own weight, which only this sample changes.
constexpr char kLedgerGraph[] =
    "- parse_csv: {columns: [a, b], dtype: int64}\n"
    "- compute: {id: \"a * 97 + b\"}\n"
    "- one_hot: {column: id, classes: 9797, into: input}\n"
    "- label: {into: target}\n";
constexpr char kLedgerModel[] = "{type: logistic, outputs: 2}";
// So small that a step changes no gradient that matters: each visit moves a weight equally far.
constexpr double kRate = 1e-3;
constexpr char kLedgerTraining[] =
    "device: cpu\nepochs: 1\nbatch_size: 20\noptimizer: {type: sgd, lr: 0.001}\nseed: 42\n"
    "num_threads: 1\nranks: 2\nleast_ranks: 1\n";

std::vector<float> Numbers(const models::TensorFile& file, const std::string& name) {
  const std::string_view bytes = file.tensors.at(name).bytes;
  std::vector<float> numbers(bytes.size() / sizeof(float));
  memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

TEST_F(LostRanks, WithOneOfTwoRanksEverySampleOfTheEpochIsTrainedOnce) {
  // A second for an epoch, so that it is killed in the midst of it.
  const std::string slowly = "trainer_server.mid_training=delay:20ms";
  Start(kLedgerTraining, kLedgerGraph, kLedgerModel, slowly);
  const rpc::v1::TrainingResult undisturbed = Finish();
  const std::string expected = weights_;
  Start(kLedgerTraining, kLedgerGraph, kLedgerModel, slowly);
  AwaitSamples(100);
  // However often it is started, it does not come to its first step.
  std::vector<pid_t> killed = {0};
  while (const pid_t process = Hit(1, SIGKILL, killed.back())) killed.push_back(process);
  const rpc::v1::TrainingResult alone = Finish();
  EXPECT_EQ(killed.size(), 4u) << "it was started again twice, and then no more";
  EXPECT_EQ(alone.samples_done(), undisturbed.samples_done());
  EXPECT_EQ(alone.num_skipped(), undisturbed.num_skipped());
  const auto one = models::ReadTensorFile(expected);
  const auto other = models::ReadTensorFile(weights_);
  ASSERT_TRUE(one.ok() && other.ok());
  int64_t num_weights = 0;
  for (const auto& [name, tensor] : one->tensors) {
    if (!name.ends_with("weight")) continue;
    const std::vector<float> before = Numbers(*one, name);
    const std::vector<float> after = Numbers(*other, name);
    ASSERT_EQ(before.size(), after.size());
    num_weights += std::ssize(before);
    // A visit more or less moves the weight of its sample by half of the rate over the batch.
    for (size_t i = 0; i < before.size(); ++i) {
      EXPECT_NEAR(after[i], before[i], 0.1 * kRate * 0.5 / 20) << i;
    }
  }
  EXPECT_EQ(num_weights, 2 * 9797);
}

}  // namespace
}  // namespace tidemill::trainer_server
