// Trainings on batches of samples of similar length: the models are the same as from trainings that
// prepare their own samples, whoever dies.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/prepared_set.h"
#include "tests/run_comparison.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

// Texts of different lengths, in which one class has a word that the other has not.
std::string WriteTextPipeline(const std::string& folder, const std::string& workers,
                              const std::string& buckets) {
  std::ofstream data(folder + "/texts.csv");
  data << "text,class\n";
  for (int64_t row = 0; row < 1500; ++row) {
    const bool up = row % 3 == 0;
    for (int64_t word = 0; word < NumWords(row); ++word)
      data << "w" << (row * 7 + word) % 200 << " ";
    data << (up ? "rise" : "fall") << "," << (up ? "UP" : "DOWN") << "\n";
  }
  data.close();
  const std::string path = folder + "/pipeline.yaml";
  std::ofstream pipeline(path);
  pipeline << R"(version: 1
name: texts
datasets:
  texts:
    path: .
    files: "texts.csv"
    format: {type: csv, header: true}
    event_time: {row: {start: "2024-01-01T00:00:00Z", step: 1m}}
    label: {column: class, classes: [DOWN, UP]}
    settle: 0s
preprocess:
  dataset: texts
)" << workers
           << R"(  graph:
    - parse_csv: {columns: [text], dtype: string}
    - hash_tokens: {column: text, buckets: 500, length: 260, into: input}
    - label: {into: target}
model: {type: embedding_bag, vocabulary: 501, width: 16, outputs: 2}
trigger: {type: amount, samples: 500}
selection: new_data
training:
  device: cpu
  epochs: 3
  batch_size: 16
  optimizer: {type: adam, lr: 1e-2}
  loss: cross_entropy
  seed: 11
  checkpoint_every: 300
  buckets: )"
           << buckets << R"(
evaluation:
  - dataset: texts
    windows: {type: between_triggers}
    models: all
    measures: [accuracy]
)";
  return path;
}

std::vector<std::string> Train(const std::map<std::string, std::string>& environment,
                               const std::string& workers, const std::string& buckets,
                               const std::string& mark = "") {
  const Stack stack;
  std::map<std::string, std::string> all = environment;
  if (!mark.empty()) {
    const std::string marks = stack.files() + "/marks";
    std::filesystem::create_directory(marks);
    all["TIDEMILL_FAILPOINTS"] = mark + "=kill";
    all["TIDEMILL_FAILPOINTS_ONCE"] = marks;
  }
  const CommandResult result =
      stack.Tidemill({"run", WriteTextPipeline(stack.files(), workers, buckets), "--json"}, all);
  EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  if (!mark.empty()) {
    EXPECT_TRUE(std::filesystem::exists(stack.files() + "/marks/" + mark))
        << "nothing passed " << mark;
  }
  return Fingerprint(result.Json());
}

TEST(BucketedTraining, AModelIsTheSameWithAndWithoutWorkersAndWhoeverDies) {
  const std::map<std::string, std::string> two = {{"TIDEMILL_WORKERS", "2"}};
  for (const std::string buckets : {"{window: 8}", "{window: 8, layout: ragged}"}) {
    const std::vector<std::string> alone = Train({}, "", buckets);
    ASSERT_EQ(alone.front(), "succeeded");
    EXPECT_GT(alone.size(), 6u) << "triggers and measures";
    EXPECT_EQ(Train(two, "  workers: {}\n", buckets), alone);
    EXPECT_EQ(
        Train(two, "  workers: {transport: frames}\n", buckets, "preprocess_worker.after_putting"),
        alone);
    EXPECT_EQ(Train({}, "", buckets, "trainer_server.after_checkpoint"), alone);
  }
}

}  // namespace
}  // namespace tidemill::tests
