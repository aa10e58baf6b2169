// Trainer servers that are killed, stopped or cut off while they train: the models are those of a
// run that nothing disturbs, no job keeps a slot that it has lost, and nothing is trained twice.
#include <signal.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/own_service.h"
#include "tests/run_comparison.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeout{2'000};
// A look takes some tens of milliseconds, during which a training advances.
constexpr unsigned kMostLooks = 8;

// Two trainer servers beside that of a stack, which takes no jobs.
class TrainersTest : public ::testing::Test {
 protected:
  TrainersTest() {
    EXPECT_EQ(stack_.Tidemill({"up"}).exit_code, 0);
    EXPECT_EQ(stack_.Tidemill({"down"}).exit_code, 0);
    std::ofstream(stack_.state() + "/tidemill.yaml", std::ios::app)
        << fmt::format("supervisor:\n  member_timeout: {}ms\n", kTimeout.count());
    // Each batch waits, so that there is something to disturb.
    setenv("TIDEMILL_FAILPOINTS", "trainer_server.mid_training=delay:25ms", 1);
    EXPECT_EQ(stack_.Tidemill({"up"}).exit_code, 0);
    for (const char* const name : {"b", "c"}) {
      trainers_.push_back(std::make_unique<OwnService>(
          stack_,
          OwnService::Options{
              .program = "tidemill-trainer-server",
              .name = name,
              .listen = fmt::format("unix:{}/{}.sock", stack_.files(), name),
              .state = stack_.files() + "/" + name,
              .section = "trainer_server:\n  labels: {own: yes-" + std::string(name) + "}\n"}));
    }
    while (Pool().at("members").size() < 4) {
    }
    const nlohmann::json pool = Pool();
    for (const auto& member : pool.at("members")) {
      const bool is_own = member.at("labels").contains("own");
      if (is_own || member.at("kind") != "trainer server") continue;
      EXPECT_EQ(stack_.Tidemill({"trainers", "drain", member.at("name")}).exit_code, 0);
    }
  }
  ~TrainersTest() override { unsetenv("TIDEMILL_FAILPOINTS"); }

  nlohmann::json Pool() const {
    const CommandResult listed = stack_.Tidemill({"trainers", "list", "--json"});
    EXPECT_EQ(listed.exit_code, 0) << listed.err;
    return listed.Json();
  }

  // Returns the server that trains now, or nullptr.
  OwnService* Training() const {
    const nlohmann::json pool = Pool();
    for (const auto& placement : pool.at("running")) {
      if (placement.at("stage") != "train") continue;
      for (const auto& member : pool.at("members")) {
        if (member.at("name") != placement.at("member")) continue;
        const std::string own = member.at("labels").value("own", "");
        if (own == "yes-b") return trainers_[0].get();
        if (own == "yes-c") return trainers_[1].get();
      }
    }
    return nullptr;
  }

  OwnService* AwaitTraining() const {
    for (int look = 0; look < 600; ++look) {
      if (OwnService* const trains = Training()) return trains;
    }
    ADD_FAILURE() << "no server of the test trains";
    return nullptr;
  }

  void LookSomeTimes(unsigned looks) const {
    for (unsigned look = 0; look < looks; ++look) Pool();
  }

  // Returns once a member is lost.
  void AwaitLoss() const {
    while (true) {
      const nlohmann::json pool = Pool();
      for (const auto& member : pool.at("members")) {
        if (member.at("state") == "lost") return;
      }
    }
  }

  // Expects that the run of a command is like one that nothing disturbs, and has left nothing.
  void ExpectUndisturbed(RunningCommand& run, const std::string& what) const {
    const CommandResult result = run.Result();
    ASSERT_EQ(result.exit_code, 0) << what << result.err << stack_.Logs();
    EXPECT_EQ(Fingerprint(result.Json()), UndisturbedRun()) << what;
    EXPECT_TRUE(Pool().at("running").empty()) << what << Pool().dump();
    EXPECT_TRUE(Pool().at("waiting").empty()) << what << Pool().dump();
  }

  std::unique_ptr<RunningCommand> Run() const {
    return std::make_unique<RunningCommand>(
        std::vector<std::string>{"run", WriteSmallPipeline(stack_.files()), "--json", "--state",
                                 stack_.state()},
        std::map<std::string, std::string>{}, stack_.files());
  }

  Stack stack_;
  std::vector<std::unique_ptr<OwnService>> trainers_;
};

TEST_F(TrainersTest, ATrainerThatIsKilledAtARandomMomentCostsTimeOnly) {
  ASSERT_EQ(UndisturbedRun().front(), "succeeded");
  std::mt19937 random(7);
  for (int round = 0; round < 5; ++round) {
    const auto run = Run();
    for (int kill = 0; kill < 2; ++kill) {
      OwnService* const trains = AwaitTraining();
      ASSERT_NE(trains, nullptr);
      LookSomeTimes(random() % kMostLooks);
      trains->Kill();
      trains->Start();
    }
    ExpectUndisturbed(*run, fmt::format("round {}: ", round));
  }
}

TEST_F(TrainersTest, ATrainerThatIsStoppedAndWakesUpCostsTimeOnly) {
  ASSERT_EQ(UndisturbedRun().front(), "succeeded");
  std::mt19937 random(8);
  for (int round = 0; round < 5; ++round) {
    const auto run = Run();
    OwnService* const trains = AwaitTraining();
    ASSERT_NE(trains, nullptr);
    LookSomeTimes(random() % kMostLooks);
    kill(trains->process(), SIGSTOP);
    AwaitLoss();
    kill(trains->process(), SIGCONT);
    ExpectUndisturbed(*run, fmt::format("round {}: ", round));
  }
}

}  // namespace
}  // namespace tidemill::tests
