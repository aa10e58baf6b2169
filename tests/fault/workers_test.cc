// Trainings whose samples are prepared by workers, which are killed: the models are the same as
// from trainings that prepare their own.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/tree.h"
#include "preprocess/client/dispatcher_client.h"
#include "tests/run_comparison.h"
#include "tests/small_pipeline.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

// The small pipeline, its samples prepared by workers.
std::string WriteWorkersPipeline(const std::string& folder, const std::string& workers = "{}") {
  const std::string path = WriteSmallPipeline(folder);
  UseWorkers(path, workers);
  return path;
}

TEST(Workers, AModelIsTheSameHoweverManyPrepareItsSamplesAndHoweverTheyCome) {
  ASSERT_EQ(UndisturbedRun().front(), "succeeded");
  const std::map<std::string, std::string> settings = {
      {"1", "{}"}, {"2", "{transport: ring}"}, {"3", "{transport: frames, bytes_ahead: 1MiB}"}};
  for (const auto& [count, workers] : settings) {
    const Stack stack;
    ASSERT_EQ(stack.Tidemill({"up"}, {{"TIDEMILL_WORKERS", count}}).exit_code, 0);
    const CommandResult result =
        stack.Tidemill({"run", WriteWorkersPipeline(stack.files(), workers), "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
    EXPECT_EQ(Fingerprint(result.Json()), UndisturbedRun()) << count << " workers " << workers;
    preprocess::DispatcherClient dispatcher(stack.PeerOf("preprocess"));
    const auto known = dispatcher.ListWorkers();
    ASSERT_TRUE(known.ok()) << known.status();
    EXPECT_EQ(known->workers_size(), std::stoi(count));
    int64_t num_batches = 0;
    for (const auto& worker : known->workers()) num_batches += worker.num_batches();
    EXPECT_GT(num_batches, 0) << "nothing came from workers";
  }
}

// Adds a key and its value to the section `training`.
void AddToTraining(const std::string& pipeline, const std::string& line) {
  std::string text = files::Read(pipeline).value();
  const std::string section = "training:\n";
  text.insert(text.find(section) + section.size(), "  " + line + "\n");
  EXPECT_TRUE(files::WriteAtomically(pipeline, text).ok());
}

TEST(Workers, EveryPassOfATrainingMayBeMadeByWorkers) {
  for (const char* const method :
       {"downsampling: {type: loss, fraction: 0.5}", "downsampling: {type: margin, fraction: 0.5}",
        "downsampling: {type: loss, fraction: 0.5, when: batch_then_sample}",
        "downsampling: {type: rs2, fraction: 0.5}", "downsampling: {type: info_batch}",
        "downsampling: {type: rho_loss, fraction: 0.5}",
        "early_stopping: {held_out: 0.4, patience: 1}", "last_batch: drop"}) {
    std::vector<std::vector<std::string>> made;
    for (const bool by_workers : {false, true}) {
      const Stack stack;
      ASSERT_EQ(stack.Tidemill({"up"}, {{"TIDEMILL_WORKERS", "2"}}).exit_code, 0);
      const std::string pipeline =
          by_workers ? WriteWorkersPipeline(stack.files()) : WriteSmallPipeline(stack.files());
      AddToTraining(pipeline, method);
      const CommandResult result = stack.Tidemill({"run", pipeline, "--json"});
      EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
      made.push_back(Fingerprint(result.Json()));
      preprocess::DispatcherClient dispatcher(stack.PeerOf("preprocess"));
      const auto known = dispatcher.ListWorkers();
      ASSERT_TRUE(known.ok()) << known.status();
      int64_t num_batches = 0;
      for (const auto& worker : known->workers()) num_batches += worker.num_batches();
      EXPECT_EQ(num_batches > 0, by_workers) << method;
    }
    EXPECT_EQ(made[0], made[1]) << method;
    EXPECT_EQ(made[0].front(), "succeeded");
    EXPECT_NE(made[0], UndisturbedRun());
  }
}

// With an op that runs a program of the user, beside the pipeline.
void AddProgram(const std::string& pipeline) {
  const std::filesystem::path path = pipeline;
  std::filesystem::copy_file(testing::InTree("tests/testdata/rows.pt"),
                             path.parent_path() / "rows.pt");
  std::string text = files::Read(pipeline).value();
  text.insert(text.find("    - standardize"),
              "    - torchscript: {file: rows.pt, columns: [a, b], shape: [2], into: made}\n");
  EXPECT_TRUE(files::WriteAtomically(pipeline, text).ok());
}

TEST(Workers, AProgramOfTheUserMakesTheSameRowsHereAndThere) {
  std::vector<std::vector<std::string>> made;
  for (const bool by_workers : {false, true}) {
    const Stack stack;
    const std::string pipeline =
        by_workers ? WriteWorkersPipeline(stack.files()) : WriteSmallPipeline(stack.files());
    AddProgram(pipeline);
    const CommandResult result = stack.Tidemill({"run", pipeline, "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
    made.push_back(Fingerprint(result.Json()));
    EXPECT_TRUE(stack.Processes("tidemill-transform-script").empty() || by_workers)
        << "a training has ended, its processes have not";
  }
  EXPECT_EQ(made[0], made[1]);
  EXPECT_EQ(made[0].front(), "succeeded");
  EXPECT_NE(made[0], UndisturbedRun());
}

class WorkersFailpoint : public ::testing::TestWithParam<const char*> {};

TEST_P(WorkersFailpoint, KillingTheProcessThereChangesNoWeight) {
  ASSERT_EQ(UndisturbedRun().front(), "succeeded");
  const Stack stack;
  const std::string marks = stack.files() + "/marks";
  std::filesystem::create_directory(marks);
  const std::string point = GetParam();
  const CommandResult result =
      stack.Tidemill({"run", WriteWorkersPipeline(stack.files()), "--json"},
                     {{"TIDEMILL_FAILPOINTS", point + "=kill"},
                      {"TIDEMILL_FAILPOINTS_ONCE", marks},
                      {"TIDEMILL_WORKERS", "2"}});
  EXPECT_TRUE(std::filesystem::exists(marks + "/" + point)) << "nothing passed " << point;
  EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  EXPECT_EQ(Fingerprint(result.Json()), UndisturbedRun());
}

INSTANTIATE_TEST_SUITE_P(EachStage, WorkersFailpoint,
                         ::testing::Values("preprocess.before_lease", "preprocess.after_lease",
                                           "preprocess_worker.after_making",
                                           "preprocess_worker.after_putting",
                                           "trainer_server.mid_training",
                                           "trainer_server.after_checkpoint"),
                         [](const ::testing::TestParamInfo<const char*>& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace tidemill::tests
