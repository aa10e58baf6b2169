// Sweeps on a real stack, over the data of the quickstart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <memory>
#include <set>

#include "base/files.h"
#include "base/testing/tree.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class SweepTest : public ::testing::Test {
 protected:
  // Runs `tidemill sweep` on the quickstart with a few triggers.
  static std::vector<std::string> Words(const std::vector<std::string>& more) {
    std::vector<std::string> words = {
        "sweep", testing::InTree("pipelines/quickstart/pipeline.yaml"),
        "--set", "training.optimizer.lr=5e-3,1e-5",
        "--set", "training.batch_size=16,64",
        "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  CommandResult Sweep(const std::vector<std::string>& more) const {
    return stack_.Tidemill(Words(more));
  }

  std::unique_ptr<RunningCommand> Started(const std::vector<std::string>& more) const {
    std::vector<std::string> words = Words(more);
    words.insert(words.end(), {"--state", stack_.state()});
    return std::make_unique<RunningCommand>(words, std::map<std::string, std::string>(),
                                            stack_.files());
  }

  nlohmann::json ListedRuns() const {
    return stack_.Tidemill({"runs", "list", "--limit", "0", "--json"}).Json();
  }

  // The windows of the models in use, each with the digits of its value.
  static std::vector<std::string> ActiveValues(const nlohmann::json& run) {
    std::vector<std::string> values;
    for (const auto& row : run.at("composite").at("active")) {
      if (row.at("measure") == "accuracy") values.push_back(row.at("value").dump());
    }
    return values;
  }

  static std::vector<std::string> Weights(const nlohmann::json& run) {
    std::vector<std::string> digests;
    for (const auto& trigger : run.at("triggers")) digests.push_back(trigger.at("weights_digest"));
    return digests;
  }

  static std::set<int64_t> RunsOf(const nlohmann::json& sweep) {
    std::set<int64_t> runs;
    for (const auto& setting : sweep.at("settings")) {
      for (const auto& run : setting.at("runs")) runs.insert(run.at("run").get<int64_t>());
    }
    return runs;
  }

  nlohmann::json Shown(int64_t run) const {
    return stack_.Tidemill({"runs", "show", std::to_string(run), "--json"}).Json();
  }

  // The data of the page that `tidemill report` makes of a sweep's runs.
  nlohmann::json Reported(const nlohmann::json& sweep) const {
    const CommandResult report = stack_.Tidemill(
        {"report", sweep.at("sweep").get<std::string>(), "--output", stack_.files() + "/page"});
    EXPECT_EQ(report.exit_code, 0) << report.err;
    const std::string page = files::Read(stack_.files() + "/page").value_or("");
    constexpr std::string_view kBegin = R"(id="data">)";
    const size_t begin = page.find(kBegin) + kBegin.size();
    return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  }

  // All settings in one line each.
  static std::vector<std::string> FatesOf(const nlohmann::json& sweep) {
    std::vector<std::string> fates;
    for (const auto& setting : sweep.at("settings")) {
      fates.push_back(setting.at("values").dump() + " " + setting.at("why").get<std::string>() +
                      " " + setting.at("value").dump() + " " + setting.at("runs").dump());
    }
    return fates;
  }

  Stack stack_;
};

TEST_F(SweepTest, EverySettingEqualsItsOwnRunToTheLastDigit) {
  ASSERT_EQ(stack_.Tidemill({"up"}, {{"TIDEMILL_TRAININGS", "4"}}).exit_code, 0) << stack_.Logs();
  const CommandResult result = Sweep({"--max-triggers", "3"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack_.Logs();
  EXPECT_THAT(result.err, HasSubstr("4 runs, 4 at the same time"));
  const nlohmann::json sweep = result.Json();
  ASSERT_THAT(sweep.at("settings"), SizeIs(4));
  for (const auto& setting : sweep.at("settings")) {
    EXPECT_EQ(setting.at("fate"), "done");
    const nlohmann::json& values = setting.at("values");
    const CommandResult alone = stack_.Tidemill(
        {"run", testing::InTree("pipelines/quickstart/pipeline.yaml"), "--json", "--max-triggers",
         "3", "--set",
         "training.optimizer.lr=" + values.at("training.optimizer.lr").get<std::string>(), "--set",
         "training.batch_size=" + values.at("training.batch_size").get<std::string>()});
    ASSERT_EQ(alone.exit_code, 0) << alone.err;
    const nlohmann::json swept = Shown(setting.at("runs").at(0).at("run").get<int64_t>());
    EXPECT_EQ(ActiveValues(swept), ActiveValues(alone.Json()));
    EXPECT_EQ(Weights(swept), Weights(alone.Json()));
  }
}

TEST_F(SweepTest, ContinuesAfterItWasKilled) {
  for (const std::string said : {"at the same time", ", trained for"}) {
    const auto killed = Started({"--max-triggers", "3", "--parallel", "2"});
    while (killed->SaidSoFar().find(said) == std::string::npos) poll(nullptr, 0, 20);
  }
  const CommandResult result = Sweep({"--max-triggers", "3", "--parallel", "2"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack_.Logs();
  EXPECT_THAT(result.err, HasSubstr("continues"));
  EXPECT_THAT(RunsOf(result.Json()), SizeIs(4));
  EXPECT_THAT(ListedRuns(), SizeIs(4)) << "no run was made twice";
  // The same command, given again, has nothing to do, and says the same.
  const CommandResult again = Sweep({"--max-triggers", "3", "--parallel", "2"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.Json().at("settings"), result.Json().at("settings"));
  // Another sweep of the same settings has its own runs.
  EXPECT_EQ(Sweep({"--max-triggers", "3", "--new"}).exit_code, 0);
  EXPECT_THAT(ListedRuns(), SizeIs(8));
}

TEST_F(SweepTest, ContinuesAHalvingThatWasKilledAtEachRung) {
  const std::vector<std::string> halving = {"--max-triggers", "4", "--halving"};
  for (const std::string said : {"rung 1 of 3", "rung 2 of 3", "rung 3 of 3"}) {
    const auto killed = Started(halving);
    while (killed->SaidSoFar().find(said) == std::string::npos) poll(nullptr, 0, 20);
  }
  const CommandResult result = Sweep(halving);
  ASSERT_EQ(result.exit_code, 0) << result.err << stack_.Logs();
  EXPECT_THAT(RunsOf(result.Json()), SizeIs(7)) << "4 + 2 + 1";
  EXPECT_THAT(ListedRuns(), SizeIs(7));
}

TEST_F(SweepTest, StopsItsRunsWhenItIsInterruptedAndContinuesThem) {
  const auto interrupted = Started({"--parallel", "2"});
  while (interrupted->SaidSoFar().find("at the same time") == std::string::npos) {
    poll(nullptr, 0, 20);
  }
  poll(nullptr, 0, 1'000);  // A run is somewhere in its trainings.
  interrupted->Interrupt();
  const CommandResult ended = interrupted->Result();
  EXPECT_EQ(ended.exit_code, 130) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("the same command continues it"));
  for (const auto& run : ListedRuns()) EXPECT_NE(run.at("state"), "running");
  const CommandResult result = Sweep({"--parallel", "2"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack_.Logs();
  EXPECT_THAT(ListedRuns(), SizeIs(4));
}

TEST_F(SweepTest, HalvingFindsTheSameBestAndAccountsForEverySetting) {
  ASSERT_EQ(stack_.Tidemill({"up"}, {{"TIDEMILL_TRAININGS", "4"}}).exit_code, 0) << stack_.Logs();
  const CommandResult whole = Sweep({"--max-triggers", "4"});
  ASSERT_EQ(whole.exit_code, 0) << whole.err << stack_.Logs();
  const CommandResult result =
      Sweep({"--max-triggers", "4", "--halving", "--best", stack_.files() + "/best.yaml"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack_.Logs();
  const nlohmann::json halved = result.Json();
  EXPECT_EQ(halved.at("best"), whole.Json().at("best"));
  EXPECT_EQ(halved.at("halving").at("unit"), "triggers");
  EXPECT_EQ(
      halved.at("halving").at("rungs").dump(),
      R"([{"effort":1,"settings":4},{"effort":2,"settings":2},{"effort":null,"settings":1}])");
  size_t num_halved = 0;
  for (const auto& setting : halved.at("settings")) num_halved += setting.at("fate") == "halved";
  EXPECT_EQ(num_halved, 3U);
  for (const nlohmann::json& made : {halved, whole.Json()}) {
    const nlohmann::json page = Reported(made);
    EXPECT_EQ(FatesOf(page), FatesOf(made));
    EXPECT_EQ(page.at("best"), made.at("best"));
  }
  EXPECT_EQ(Reported(halved).at("halving"), halved.at("halving"));
  const auto best = halved.at("best").get<size_t>() - 1;
  EXPECT_EQ(halved.at("settings").at(best).at("value"),
            whole.Json().at("settings").at(best).at("value"));
  // The last rung begins with the models of those before it.
  const auto last = halved["settings"][best]["runs"].back().at("run").get<int64_t>();
  EXPECT_TRUE(Shown(last).at("triggers").at(0).contains("reused_from")) << Shown(last).dump();
  const auto written = files::Read(stack_.files() + "/best.yaml");
  ASSERT_TRUE(written.ok());
  EXPECT_THAT(*written, AllOf(HasSubstr("# The best of 4 settings"), HasSubstr("lr: 5e-3")));
  std::filesystem::copy(testing::InTree("pipelines/quickstart/seattle-weather.csv"),
                        stack_.files() + "/seattle-weather.csv");
  EXPECT_EQ(stack_.Tidemill({"check", stack_.files() + "/best.yaml"}).exit_code, 0);
}

TEST_F(SweepTest, HalvesByEpochsWhereThereIsOneTrigger) {
  const CommandResult result =
      Sweep({"--set", "trigger={type: amount, samples: 1200}", "--set", "training.epochs=4",
             "--halving", "--seeds", "2", "--measure", "accuracy"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack_.Logs();
  const nlohmann::json sweep = result.Json();
  EXPECT_EQ(sweep.at("halving").at("unit"), "epochs");
  EXPECT_EQ(sweep.at("seeds").dump(), "[42,43]");
  EXPECT_EQ(
      sweep.at("halving").at("rungs").dump(),
      R"([{"effort":1,"settings":4},{"effort":2,"settings":2},{"effort":null,"settings":1}])");
  EXPECT_EQ(Reported(sweep).at("halving"), sweep.at("halving"));
  EXPECT_EQ(Reported(sweep).at("seeds"), sweep.at("seeds"));
  EXPECT_EQ(RunsOf(sweep).size(), 14U) << "(4 + 2 + 1) settings with two seeds";
  EXPECT_THAT(result.err, HasSubstr("report: "));
}

TEST_F(SweepTest, ASettingThatFailsCostsItself) {
  const CommandResult result = stack_.Tidemill(
      {"sweep", testing::InTree("pipelines/quickstart/pipeline.yaml"), "--set",
       "training.optimizer={type: adam, lr: 5e-3},{type: sgd, lr: 1000, momentum: 0.99}", "--set",
       "trigger={type: amount, samples: 1200}", "--json"});
  EXPECT_EQ(result.exit_code, 8) << result.err << stack_.Logs();
  const nlohmann::json sweep = result.Json();
  EXPECT_EQ(sweep.at("best"), 1);
  EXPECT_EQ(sweep.at("settings").at(1).at("fate"), "failed") << sweep.dump();
}

TEST_F(SweepTest, RefusesWhatItCannotSweepBeforeAStackIsStarted) {
  const std::string pipeline = testing::InTree("pipelines/quickstart/pipeline.yaml");
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"sweep", pipeline});
    return stack_.Tidemill(more);
  };
  EXPECT_EQ(refused({}).exit_code, 2);
  EXPECT_EQ(refused({"--set", "training.epochs=1,2", "--first-rung", "2"}).exit_code, 2);
  const CommandResult unknown = refused({"--set", "training.optimizer.rl=1,2"});
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("--set training.optimizer.rl"));
  const CommandResult measure = refused({"--set", "training.epochs=1,2", "--measure", "mae"});
  EXPECT_EQ(measure.exit_code, 3);
  EXPECT_THAT(measure.err, AllOf(HasSubstr("pipeline.yaml:"), HasSubstr("it has accuracy")));
  const CommandResult moved = refused({"--set", "trigger.every=60d,120d", "--halving"});
  EXPECT_EQ(moved.exit_code, 3);
  EXPECT_THAT(moved.err, HasSubstr("leave out --halving"));
  const CommandResult same = refused({"--set", "training.epochs=2,2.0"});
  EXPECT_NE(same.exit_code, 0);
}

}  // namespace
}  // namespace tidemill::tests
