// Prepared samples are kept between epochs, triggers and trainings, and datasets are prepared
// beforehand: models are the same, whatever was kept, and whoever was killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

#include "fmt/format.h"

#include "base/testing/temp_folder.h"
#include "prepared/prepared_config.h"
#include "tests/photos.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;

constexpr int kImages = 300;

// A stack with photographs, one of them damaged, and a pipeline over them.
class Photos {
 public:
  // `section` is added to the configuration of the system.
  explicit Photos(const std::string& workers = "", const std::string& section = "") {
    for (int i = 0; i < kImages; ++i) Write(i);
    std::ofstream(stack_.files() + "/photos/007.png") << "damaged";
    pipeline_ = stack_.files() + "/pipeline.yaml";
    std::ofstream(pipeline_) << PhotosPipelineText(
        stack_.files(), {.workers = workers, .trigger = 150, .epochs = 3});
    const CommandResult up = stack_.Tidemill({"up"});
    EXPECT_EQ(up.exit_code, 0) << up.err << stack_.Logs();
    if (section.empty()) return;
    EXPECT_EQ(stack_.Tidemill({"down"}).exit_code, 0);
    std::ofstream(stack_.state() + "/tidemill.yaml", std::ios::app) << section;
    EXPECT_EQ(stack_.Tidemill({"up"}).exit_code, 0) << stack_.Logs();
  }

  void Write(int number) const {
    WritePhoto(stack_.files() + "/photos", number, static_cast<uint32_t>(number));
  }

  // Runs the pipeline and returns the number of the run.
  int64_t Run(const std::string& cache) const {
    const CommandResult run =
        stack_.Tidemill({"run", pipeline_, "--json", "--set", "training.cache=" + cache});
    // One file is damaged.
    EXPECT_EQ(run.exit_code, 8) << run.err << stack_.Logs();
    return run.Json().at("run").get<int64_t>();
  }
  nlohmann::json Triggers(int64_t run) const {
    const CommandResult shown = stack_.Tidemill({"runs", "show", std::to_string(run), "--json"});
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    return shown.Json().at("triggers");
  }
  nlohmann::json Trigger(int64_t run, int trigger) const {
    return Triggers(run).at(static_cast<size_t>(trigger - 1));
  }
  nlohmann::json Why(int64_t run, int trigger) const {
    return stack_.Tidemill({"why", fmt::format("{}/{}", run, trigger), "--json"}).Json();
  }
  std::vector<std::string> Weights(int64_t run) const {
    std::vector<std::string> weights;
    for (const auto& trigger : Triggers(run)) weights.push_back(trigger.at("weights_digest"));
    return weights;
  }
  CommandResult Prepare(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"datasets", "prepare", "photos", "--graph", pipeline_};
    words.insert(words.end(), more.begin(), more.end());
    return stack_.Tidemill(words);
  }

  const Stack& stack() const { return stack_; }
  const std::string& pipeline() const { return pipeline_; }

 private:
  Stack stack_;
  std::string pipeline_;
};

// Counts of workers are those of their last report before the training ended.
void ExpectSameWithAndWithoutACache(const Photos& photos, bool are_all_counted) {
  const int64_t without = photos.Run("off");
  EXPECT_FALSE(photos.Trigger(without, 1).contains("prepared"));
  for (int round = 0; round < 2; ++round) {
    const int64_t with = photos.Run("{type: after, op: resize}");
    EXPECT_EQ(photos.Weights(with), photos.Weights(without));
    const nlohmann::json prepared = photos.Trigger(with, 2).at("prepared");
    EXPECT_EQ(prepared.at("kept_after"), "op 2 (resize)");
    EXPECT_EQ(photos.Why(with, 2).at("prepared").at("kept_after"), "op 2 (resize)");
    // Two epochs of 300 samples find them all; what the first trigger had is found at once.
    EXPECT_THAT(prepared.at("found").get<int64_t>(), Ge(!are_all_counted ? 100
                                                        : round == 0     ? 700
                                                                         : 890));
  }
}

TEST(PreparedSamples, AreFoundInTheNextEpochTriggerAndRunAndChangeNoWeight) {
  ExpectSameWithAndWithoutACache(Photos(), true);
}

TEST(PreparedSamples, AreFoundByWorkersToo) {
  ExpectSameWithAndWithoutACache(Photos("\n  workers: {}"), false);
}

// Calls `see` with each file of rows below a folder, as stat() describes it.
void ForEachRowFile(const std::string& folder, const std::function<void(const struct stat&)>& see) {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    struct stat about = {};
    if (entry->path().extension() == ".rows" && stat(entry->path().c_str(), &about) == 0) {
      see(about);
    }
  }
}

// The memory that rows take, in whole pages. Room that was taken for later rows takes none.
int64_t KeptBytes(const std::string& folder) {
  int64_t bytes = 0;
  ForEachRowFile(folder, [&](const struct stat& about) { bytes += about.st_blocks * 512; });
  return bytes;
}

// The processes that append to files of rows. They hold locks on them.
std::vector<int> OwnersOf(const std::string& folder) {
  std::set<ino_t> files;
  ForEachRowFile(folder, [&](const struct stat& about) { files.insert(about.st_ino); });
  std::vector<int> owners;
  std::ifstream locks("/proc/locks");
  // "1: FLOCK  ADVISORY  WRITE 4242 00:19:777 0 EOF"
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, how, what, place;
    int process = 0;
    words >> number >> kind >> how >> what >> process >> place;
    if (kind != "FLOCK" || process <= 1) continue;
    const ino_t inode = std::stoull(place.substr(place.rfind(':') + 1));
    if (files.contains(inode)) owners.push_back(process);
  }
  return owners;
}

// Kills a process of the stack while rows are kept, at another place for each seed.
class PreparedKills : public ::testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    photos_ = std::make_unique<const Photos>("\n  workers: {training_helps: true}");
    expected_ = photos_->Weights(photos_->Run("off"));
  }
  static void TearDownTestSuite() { photos_.reset(); }

  static std::unique_ptr<const Photos> photos_;
  static std::vector<std::string> expected_;
};
std::unique_ptr<const Photos> PreparedKills::photos_;
std::vector<std::string> PreparedKills::expected_;

TEST_P(PreparedKills, ChangeNoWeight) {
  const char* const given = std::getenv("TIDEMILL_PREPARED_KILLS");
  const int num_kills = given == nullptr ? 1 : std::atoi(given);
  const Photos& photos = *photos_;
  const std::string memory =
      prepared::OptionsOf(prepared::PreparedConfig(), photos.stack().state()).memory_folder;
  const std::string victim = GetParam();
  int num_killed = 0;
  for (int seed = 0; seed < num_kills; ++seed) {
    SCOPED_TRACE(seed);
    fs::remove_all(memory);
    RunningCommand run(
        {"run", photos.pipeline(), "--json", "--set", "training.cache={type: after, op: resize}",
         "--state", photos.stack().state()},
        {}, photos.stack().files());
    // All rows have 180 kB.
    while (KeptBytes(memory) <= seed * 37'000 % 170'000) std::this_thread::yield();
    const std::vector<int> processes =
        victim == "owner" ? OwnersOf(memory) : photos.stack().Processes(victim);
    for (const int process : processes) num_killed += kill(process, SIGKILL) == 0 ? 1 : 0;
    const CommandResult result = run.Result();
    ASSERT_EQ(result.exit_code, 8) << result.err << photos.stack().Logs();
    EXPECT_EQ(photos.Weights(result.Json().at("run").get<int64_t>()), expected_);
  }
  EXPECT_GE(num_killed, num_kills);
}

INSTANTIATE_TEST_SUITE_P(Of, PreparedKills,
                         ::testing::Values("owner", "tidemill-train", "tidemill-preprocess-worker",
                                           "tidemill-preprocess", "tidemill-storage"),
                         [](const auto& victim) {
                           std::string name = victim.param;
                           std::erase(name, '-');
                           return name;
                         });

// Neither knows of the other one.
TEST(PreparedSamples, OfTwoStacksMayBeInOneFolderAndKeepTheBudgetTogether) {
  constexpr int64_t kBudget = 100'000;
  const testing::TempFolder kept;
  const std::string section =
      fmt::format("prepared: {{memory: 0B, disk: {}B, folder: {}/kept}}\n", kBudget, kept.path());
  const Photos first("", section);
  const Photos second("", section);
  const std::vector<std::string> expected = first.Weights(first.Run("off"));
  for (int round = 0; round < 2; ++round) {
    RunningCommand other(
        {"run", second.pipeline(), "--json", "--set", "training.cache={type: after, op: resize}",
         "--state", second.stack().state()},
        {}, second.stack().files());
    const int64_t run = first.Run("{type: after, op: resize}");
    const CommandResult result = other.Result();
    ASSERT_EQ(result.exit_code, 8) << result.err << second.stack().Logs();
    EXPECT_EQ(first.Weights(run), expected);
    EXPECT_EQ(second.Weights(result.Json().at("run").get<int64_t>()), expected);
    int64_t bytes = 0;
    ForEachRowFile(kept.path(), [&](const struct stat& about) { bytes += about.st_size; });
    EXPECT_LE(bytes, kBudget);
    EXPECT_GT(bytes, kBudget / 2);
    EXPECT_GT(first.Trigger(run, 2).at("prepared").at("found").get<int64_t>(), 0);
  }
}

TEST(PreparedSamples, OfADeletedSampleLeaveTheFolder) {
  const Photos photos;
  photos.Run("{type: after, op: resize}");
  const CommandResult prepared = photos.Prepare({"--to", "resize", "--json"});
  ASSERT_EQ(prepared.exit_code, 0) << prepared.err;
  const auto records = photos.stack().Tidemill(
      {"datasets", "records", "photos", "--where", "@file = '008.png'", "--json"});
  ASSERT_EQ(records.exit_code, 0) << records.err;
  const std::string key = std::to_string(
      nlohmann::json::parse(records.out).at("records").at(0).at("key").get<int64_t>());
  const CommandResult deleted =
      photos.stack().Tidemill({"datasets", "delete", "photos", "--keys", key, "--yes"});
  ASSERT_EQ(deleted.exit_code, 0) << deleted.err;
  const nlohmann::json again = photos.Prepare({"--to", "resize", "--json"}).Json();
  EXPECT_EQ(again.at("samples"), kImages - 1);
  EXPECT_EQ(again.at("prepared"), 0);
  const int64_t without = photos.Run("off");
  EXPECT_EQ(photos.Weights(photos.Run("auto")), photos.Weights(without));
}

TEST(PreparedDataset, IsPreparedOnceContinuedAfterAKillAndUsedWithoutBeingNamed) {
  const Photos photos;
  const int64_t without = photos.Run("off");
  const CommandResult table = photos.Prepare({});
  ASSERT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("2 resize"));
  EXPECT_THAT(table.out, HasSubstr("PAYS AFTER"));
  EXPECT_THAT(photos.Prepare({"--to", "random_crop"}).err,
              AllOf(HasSubstr("cannot be prepared"), HasSubstr("(random_crop) is random")));
  {
    // Killed, wherever it is.
    const RunningCommand killed({"datasets", "prepare", "photos", "--graph", photos.pipeline(),
                                 "--to", "resize", "--state", photos.stack().state()},
                                {}, photos.stack().files());
  }
  const CommandResult prepared = photos.Prepare({"--to", "resize", "--json"});
  ASSERT_EQ(prepared.exit_code, 0) << prepared.err;
  const nlohmann::json counts = prepared.Json();
  EXPECT_EQ(counts.at("samples"), kImages);
  EXPECT_EQ(counts.at("prepared_before").get<int>() + counts.at("prepared").get<int>() +
                counts.at("bad").get<int>(),
            kImages);
  const nlohmann::json again = photos.Prepare({"--to", "resize", "--json"}).Json();
  EXPECT_EQ(again.at("prepared_before"), kImages);
  const int64_t with = photos.Run("auto");
  EXPECT_EQ(photos.Weights(with), photos.Weights(without));
  const nlohmann::json used = photos.Trigger(with, 1).at("prepared");
  EXPECT_EQ(used.at("kept_after"), "op 2 (resize)");
  EXPECT_EQ(used.at("kept"), 0);
  // Samples that come are prepared by the next training.
  for (int i = kImages; i < kImages + 20; ++i) photos.Write(i);
  photos.Run("auto");
  const nlohmann::json grown = photos.Prepare({"--to", "resize", "--json"}).Json();
  EXPECT_EQ(grown.at("samples"), kImages + 20);
}

}  // namespace
}  // namespace tidemill::tests
