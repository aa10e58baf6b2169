// Each broken pipeline is refused with a place, a message and exit code 3, and leaves nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/testing/tree.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;

using ::testing::ContainsRegex;

TEST(BrokenPipelines, AreRefusedWithTheirPlaceAndExitCodeThreeAndLeaveNothingBehind) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  // The files that the pipelines name are found from the folder of the pipelines.
  const fs::path broken = testing::InTree("supervisor/testdata/broken");
  int num_broken = 0;
  for (const auto& entry : fs::recursive_directory_iterator(broken)) {
    if (entry.is_directory()) continue;
    const CommandResult result = stack.Tidemill({"run", entry.path()});
    EXPECT_EQ(result.exit_code, 3) << entry.path() << "\n" << result.err;
    EXPECT_THAT(result.err, ContainsRegex("[.]yaml:[0-9]+:[0-9]+: error: ")) << entry.path();
    EXPECT_EQ(result.out, "") << entry.path();
    ++num_broken;
  }
  EXPECT_GE(num_broken, 20);
  const nlohmann::json nothing = nlohmann::json::array();
  EXPECT_EQ(stack.Tidemill({"pipelines", "list", "--json"}).Json(), nothing);
  EXPECT_EQ(stack.Tidemill({"datasets", "list", "--json"}).Json(), nothing);
  EXPECT_EQ(stack.Tidemill({"runs", "list", "--json"}).Json(), nothing);
}

}  // namespace
}  // namespace tidemill::tests
