// A disk that turns a bit in each file of a state folder: what is run afterwards gives the same
// models and scores, and what was changed is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

constexpr int kPlaces = 10;

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
  for (int place = 0; place < kPlaces; place += 3) {
    ASSERT_EQ(stack_.Tidemill({"down"}).exit_code, 0);
    for (const char* const folder : {"selector", "trainer_server", "model_store", "evaluator"}) {
      if (fs::exists(stack_.state() + "/" + folder)) {
        FlipABitInEachFile(stack_.state() + "/" + folder, place);
      }
    }
    ASSERT_EQ(stack_.Tidemill({"up"}).exit_code, 0) << stack_.Logs();
    const CommandResult result = Run();
    ASSERT_EQ(result.exit_code, 0) << result.err << stack_.Logs();
    EXPECT_EQ(Fingerprint(result.Json()), expected_) << "place " << place;
  }
}

}  // namespace
}  // namespace tidemill::tests
