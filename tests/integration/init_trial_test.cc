// `tidemill init` tries candidates before it writes one.
#include <signal.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::HasSubstr;

// A folder for data, pipelines and the private stacks of commands.
class InitTrialTest : public ::testing::Test {
 protected:
  InitTrialTest() {
    std::string pattern = "/tmp/init-trial-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    std::filesystem::create_directory(Temporary());
  }
  ~InitTrialTest() override { std::filesystem::remove_all(folder_); }

  std::string Temporary() const { return folder_ + "/tmp"; }
  std::map<std::string, std::string> Environment() const { return {{"TMPDIR", Temporary()}}; }

  // Writes a record a minute; `label` gets two numbers from -1 to 1.
  void Write(int num_rows, const std::function<std::string(double, double)>& label) const {
    std::ofstream file(folder_ + "/data.csv");
    std::mt19937 random(7);
    std::uniform_real_distribution<double> number(-1, 1);
    file << "time,a,b,label\n";
    for (int row = 0; row < num_rows; ++row) {
      const double a = number(random), b = number(random);
      file << fmt::format("2024-01-{:02}T{:02}:{:02}:00Z,{:.3f},{:.3f},{}\n", 1 + row / 1440,
                          row / 60 % 24, row % 60, a, b, label(a, b));
    }
  }

  std::vector<std::string> Words(const std::string& budget) const {
    return {"init",  folder_ + "/data.csv", "--output", folder_ + "/p.yaml", "--budget", budget,
            "--json"};
  }
  nlohmann::json Init(const std::string& budget) const {
    const CommandResult done = RunTidemill(Words(budget), Environment(), folder_);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.Json();
  }

  std::string Text() const {
    std::ifstream file(folder_ + "/p.yaml");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string folder_;
};

TEST_F(InitTrialTest, ANetworkIsWrittenWhereALinearModelCannotLearn) {
  Write(6'000, [](double a, double b) { return a * b > 0 ? "same" : "other"; });
  const nlohmann::json trial = Init("60s").at("trial");
  EXPECT_EQ(trial.at("measure"), "accuracy");
  EXPECT_EQ(trial.at("candidates").size(), 6);
  for (const nlohmann::json& candidate : trial.at("candidates")) {
    EXPECT_TRUE(candidate.at("value").is_number()) << candidate;
  }
  EXPECT_THAT(Text(), HasSubstr("\nmodel: {type: mlp"));
  EXPECT_THAT(Text(), HasSubstr("# - a linear model on all data so far: 0.5"));
  EXPECT_TRUE(std::filesystem::is_empty(Temporary()));
}

TEST_F(InitTrialTest, ALinearModelIsWrittenWhereANetworkIsNotBetter) {
  Write(3'000, [](double a, double b) { return a + b > 0 ? "up" : "down"; });
  Init("60s");
  EXPECT_THAT(Text(), HasSubstr("\nmodel: {type: logistic"));
}

TEST_F(InitTrialTest, ARuleThatIsBetterIsNamed) {
  int row = 0;
  // The label does not depend on the numbers, and stays the same for hours.
  Write(3'000, [&](double, double) { return row++ / 200 % 2 == 0 ? "open" : "closed"; });
  const nlohmann::json json = Init("60s");
  EXPECT_THAT(json.at("unknown").dump(), HasSubstr("repeating the last label known"));
  EXPECT_THAT(Text(), HasSubstr("# - whether a model is worth its cost"));
}

TEST_F(InitTrialTest, ABudgetThatIsTooSmallIsRefused) {
  Write(300, [](double a, double) { return a > 0 ? "up" : "down"; });
  const CommandResult refused = RunTidemill(Words("1ms"), Environment(), folder_);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.out, HasSubstr("--quick tries nothing"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/p.yaml"));
}

TEST_F(InitTrialTest, QuickTriesNothing) {
  Write(300, [](double a, double) { return a > 0 ? "up" : "down"; });
  std::vector<std::string> words = Words("10s");
  words.emplace_back("--quick");
  const CommandResult done = RunTidemill(words, Environment(), folder_);
  EXPECT_TRUE(done.Json().at("trial").is_null());
}

// The processes whose arguments name a folder.
std::vector<int> ProcessesOf(const std::string& folder) {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const int process = std::atoi(entry.path().filename().c_str());
    if (process == 0) continue;
    std::ifstream file(entry.path() / "cmdline");
    bool names_it = false;
    // A process that has ended meanwhile has no more words.
    for (std::string word; std::getline(file, word, '\0');) {
      names_it |= word.find(folder) != std::string::npos;
    }
    if (names_it) found.push_back(process);
  }
  return found;
}

TEST_F(InitTrialTest, AKilledCommandLeavesNoProcessAndTheNextOneRemovesItsFolder) {
  Write(6'000, [](double a, double b) { return a * b > 0 ? "same" : "other"; });
  {
    const RunningCommand killed(Words("60s"), Environment(), folder_);
    while (std::filesystem::is_empty(Temporary()) || ProcessesOf(Temporary()).size() < 5) {
      std::this_thread::yield();
    }
    // The destructor kills it.
  }
  while (!ProcessesOf(Temporary()).empty()) std::this_thread::yield();
  EXPECT_FALSE(std::filesystem::is_empty(Temporary()));
  std::filesystem::remove(folder_ + "/p.yaml");
  Init("60s");
  EXPECT_TRUE(std::filesystem::is_empty(Temporary()));
}

}  // namespace
}  // namespace tidemill::tests
