// Data that is right in form and made to do harm: it costs itself only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>

#include "base/files.h"
#include "storage/client/storage_client.h"
#include "tests/attack/attacked_stack.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

// The small pipeline without standardisation, in which records 100 and 101 have the value in `a`.
// They are of different classes, so that whatever a model makes of the value is wrong for one of
// them.
std::string WritePoisoned(const std::string& folder, const std::string& value) {
  const std::string path = WriteSmallPipeline(folder);
  std::string data = files::Read(folder + "/drift.csv").value();
  for (const auto& [record, name] : {std::pair(100, "UP"), {101, "DOWN"}}) {
    size_t line = 0;
    for (int row = -1; row < record; ++row) line = data.find('\n', line) + 1;
    const size_t field = data.find(',', line) + 1;
    data.replace(field, data.find('\n', line) - field, value + ",0,0," + name);
  }
  EXPECT_TRUE(files::WriteAtomically(folder + "/drift.csv", data).ok());
  std::string text = files::Read(path).value();
  const auto replace = [&](const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, text.find('\n', at) - at, to);
  };
  replace("    - standardize", "");
  replace("  optimizer:", "  optimizer: {type: sgd, lr: 0.1}");
  replace("selection:", "selection: {type: new_data}");
  EXPECT_TRUE(files::WriteAtomically(path, text).ok());
  return path;
}

TEST(PoisonedData, OneAbsurdValueCostsItsSampleAndIsNamed) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0);
  const CommandResult run = stack.Tidemill({"run", WritePoisoned(stack.files(), "1e30"), "--json"});
  // Records in quarantine may be told by the exit code.
  EXPECT_THAT(run.exit_code, AnyOf(0, 8)) << run.err << stack.Logs();
  const CommandResult listed = stack.Tidemill({"datasets", "quarantine", "drift", "--json"});
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  const nlohmann::json entries = listed.Json();
  ASSERT_FALSE(entries.empty()) << listed.out;
  EXPECT_LE(entries.size(), 2u) << listed.out;
  EXPECT_THAT(entries[0].at("record").get<int>(), AnyOf(100, 101));
  EXPECT_TRUE(entries[0].at("key").is_number_integer());
  EXPECT_THAT(entries[0].at("reason").get<std::string>(),
              AllOf(HasSubstr("its loss is"), HasSubstr("1e+30")));
}

TEST(PoisonedData, ABinaryFileThatBeginsLikeAPackedOneIsASampleLikeAnyOther) {
  const AttackedStack stack;
  for (const auto& [name, bytes] :
       {std::pair<std::string, std::string>("gzip", "\x1f\x8b" + std::string(60, '\5')),
        {"zstd", "\x28\xb5\x2f\xfd" + std::string(60, '\xff')},
        {"plain", std::string(62, '\5')}}) {
    std::ofstream(stack.data() + "/" + name + ".bin", std::ios::binary) << bytes;
  }
  const storage::StorageClient client(stack.As(rpc::v1::ROLE_OPERATOR, "storage"));
  rpc::v1::Command command;
  command.set_request_id(rpc::NewRequestId());
  const auto registered = client.RegisterDataset(
      "d", "{path: " + stack.data() + ", files: '*.bin', format: single_file, settle: 0s}",
      command);
  ASSERT_TRUE(registered.ok()) << registered.status();
  const storage::StorageClient service(stack.As(rpc::v1::ROLE_SERVICE, "storage"));
  ASSERT_TRUE(service.SyncDataset({registered->dataset_id()}, {}).ok());
  const auto dataset = client.GetDataset("d");
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_EQ(dataset->num_samples(), 3);
  EXPECT_EQ(dataset->num_quarantined(), 0);
}

}  // namespace
}  // namespace tidemill::tests
