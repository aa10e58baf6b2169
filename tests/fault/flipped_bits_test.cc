// A disk that turns a bit in each file of a state folder: what is run afterwards gives the same
// models and scores, and the change is reported.
//
// TIDEMILL_TEST_PLACES: in how many of ten places, where each costs a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/run_comparison.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::Gt;
using ::testing::HasSubstr;

constexpr int kPlaces = 10;
const std::vector<std::string> kFoldersOfRuns = {"selector", "trainer_server", "model_store",
                                                 "evaluator"};

// How many of them are tried where each costs a run: 2, or TIDEMILL_TEST_PLACES.
int NumPlaces() {
  const char* const text = std::getenv("TIDEMILL_TEST_PLACES");
  return text == nullptr ? 2 : std::clamp(std::atoi(text), 1, kPlaces);
}

// Turns a bit in every file below a folder, this part of the way through it.
int FlipABitInEachFile(const std::string& folder, int place) {
  int num_files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.file_size() == 0) continue;
    const auto at =
        static_cast<std::streamoff>(entry.file_size() * (2 * place + 1) / (2 * kPlaces));
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const auto flipped = static_cast<char>(file.get() ^ 1 << place % 8);
    file.seekp(at);
    file.put(flipped);
    ++num_files;
  }
  return num_files;
}

void FlipABitInEachFileOf(const Stack& stack, const std::vector<std::string>& folders, int place) {
  int num_files = 0;
  for (const std::string& folder : folders) {
    const std::string path = stack.state() + "/" + folder;
    if (fs::exists(path)) num_files += FlipABitInEachFile(path, place);
  }
  EXPECT_GT(num_files, 0);
}

class FlippedBits : public ::testing::Test {
 protected:
  FlippedBits() : pipeline_(WriteSmallPipeline(stack_.files())) {
    EXPECT_EQ(stack_.Tidemill({"up"}).exit_code, 0) << stack_.Logs();
    const CommandResult result = Run();
    EXPECT_EQ(result.exit_code, 0) << result.err << stack_.Logs();
    expected_ = Fingerprint(result.Json());
  }

  CommandResult Run() const { return stack_.Tidemill({"run", pipeline_, "--json"}); }

  const Stack stack_;
  const std::string pipeline_;
  std::vector<std::string> expected_;
};

TEST_F(FlippedBits, OfSegmentsGiveNoOtherModelsOrScores) {
  for (int place = 0; place < kPlaces; ++place) {
    ASSERT_EQ(stack_.Tidemill({"down"}).exit_code, 0);
    ASSERT_THAT(FlipABitInEachFile(stack_.state() + "/storage/segments", place), Gt(0));
    ASSERT_EQ(stack_.Tidemill({"up"}).exit_code, 0) << stack_.Logs();
    const CommandResult result = Run();
    EXPECT_EQ(result.exit_code, 0) << "place " << place << result.err;
    EXPECT_EQ(Fingerprint(result.Json()), expected_) << "place " << place;
    const CommandResult check = stack_.Tidemill({"datasets", "check", "drift", "--json"});
    EXPECT_EQ(check.exit_code, 0) << check.err;
    EXPECT_EQ(check.Json().value("column_files_made_again", 0), 1) << "place " << place;
  }
}

TEST_F(FlippedBits, OfWhatEarlierRunsLeftChangeNothingAndAreRefused) {
  const std::string exported = stack_.files() + "/exported";
  for (int place = 0; place < kPlaces; place += kPlaces / NumPlaces()) {
    ASSERT_EQ(stack_.Tidemill({"down"}).exit_code, 0);
    FlipABitInEachFileOf(stack_, kFoldersOfRuns, place);
    ASSERT_EQ(stack_.Tidemill({"up"}).exit_code, 0) << stack_.Logs();
    const CommandResult lost =
        stack_.Tidemill({"models", "export", "1", "-o", exported, "--format", "safetensors"});
    EXPECT_NE(lost.exit_code, 0) << "place " << place;
    EXPECT_THAT(lost.err, HasSubstr("SHA-256")) << "place " << place;
    const CommandResult result = Run();
    ASSERT_EQ(result.exit_code, 0) << result.err << stack_.Logs();
    EXPECT_EQ(Fingerprint(result.Json()), expected_) << "place " << place;
  }
}

// Where a training stands still until everything is killed: its choices or its first checkpoint
// are then on the disk, beside its job, the fitted graph and the training set.
class InterruptedTraining : public ::testing::TestWithParam<const char*> {
 protected:
  static std::vector<std::string> Undisturbed() {
    const Stack stack;
    const CommandResult result =
        stack.Tidemill({"run", WriteDownsamplingPipeline(stack.files()), "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
    return Fingerprint(result.Json());
  }

  static void RunUntilItStands(const Stack& stack, const std::string& pipeline) {
    const std::string marks = stack.files() + "/marks";
    fs::create_directory(marks);
    const std::string point = GetParam();
    ASSERT_EQ(
        stack
            .Tidemill({"run", pipeline, "--detach"}, {{"TIDEMILL_FAILPOINTS", point + "=delay:1h"},
                                                      {"TIDEMILL_FAILPOINTS_ONCE", marks}})
            .exit_code,
        0)
        << stack.Logs();
    for (int attempt = 0; attempt < 3'000 && !fs::exists(marks + "/" + point); ++attempt) {
      poll(nullptr, 0, 20);
    }
    ASSERT_TRUE(fs::exists(marks + "/" + point)) << stack.Logs();
  }
};

TEST_P(InterruptedTraining, ContinuesToTheSameModelsOrFailsAndSaysWhy) {
  static const std::vector<std::string> undisturbed = Undisturbed();
  ASSERT_EQ(undisturbed.front(), "succeeded");
  for (int place = 0; place < kPlaces; place += kPlaces / NumPlaces()) {
    const Stack stack;
    const std::string pipeline = WriteDownsamplingPipeline(stack.files());
    ASSERT_NO_FATAL_FAILURE(RunUntilItStands(stack, pipeline));
    stack.KillAll();
    FlipABitInEachFileOf(stack, kFoldersOfRuns, place);
    const CommandResult result = stack.Tidemill({"run", pipeline, "--json"});
    if (result.exit_code == 0) {
      EXPECT_EQ(Fingerprint(result.Json()), undisturbed) << "place " << place;
    } else {
      EXPECT_THAT(result.err + result.out, HasSubstr("SHA-256")) << "place " << place;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(FlippedBits, InterruptedTraining,
                         ::testing::Values("trainer_server.after_checkpoint",
                                           "trainer_server.after_choice"),
                         [](const auto& tested) {
                           const std::string point = tested.param;
                           return point.substr(point.find('.') + 1);
                         });

}  // namespace
}  // namespace tidemill::tests
