// A key, its bytes, its label and its weight, from the files to the reader, through the real
// servers of a stack: what is expected comes from the generator of the files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "base/numbers/random.h"
#include "base/testing/status_matchers.h"
#include "selector/client/selector_client.h"
#include "storage/client/storage_client.h"
#include "storage/testing/generated_dataset.h"
#include "storage/testing/generated_formats.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using storage::testing::ExpectedSample;
using storage::testing::GeneratedDataset;
using tidemill::testing::IsOk;

using Generator = GeneratedDataset (*)(const std::string& root, int num_samples);

constexpr int kNumSamples = 100'000;
constexpr double kFraction = 0.4;

struct PairedFormat {
  const char* name;
  Generator generate;
};

class Pairing : public ::testing::TestWithParam<PairedFormat> {
 protected:
  Pairing() {
    const CommandResult up = stack_.Tidemill({"up"});
    EXPECT_EQ(up.exit_code, 0) << up.err << stack_.Logs();
    std::ofstream(stack_.state() + "/data_roots") << stack_.files() << "\n";
  }

  // An operator's, and the conductor's of a run.
  static rpc::v1::Command NewRequest() {
    rpc::v1::Command command;
    command.set_request_id(rpc::NewRequestId());
    return command;
  }
  static rpc::v1::Command NewCommand() {
    rpc::v1::Command command = NewRequest();
    command.set_run_id(1);
    command.set_run_epoch(1);
    return command;
  }

  Stack stack_;
};

// Compares one row of a batch with what the generator wrote.
void ExpectSample(const batch::Batch& rows, int64_t row, const ExpectedSample& expected) {
  EXPECT_EQ(rows.Find(batch::kPayloadColumn)->Bytes(row), expected.payload);
  EXPECT_EQ(rows.Find(batch::kEventTimeColumn)->Values<int64_t>()[row], expected.event_time);
  const batch::Column* label = rows.Find(batch::kClassLabelColumn);
  ASSERT_EQ(label->IsValid(row), expected.class_label.has_value());
  if (expected.class_label) {
    EXPECT_EQ(label->Values<int64_t>()[row], *expected.class_label);
  }
  const batch::Column* real = rows.Find(batch::kRealLabelColumn);
  ASSERT_EQ(real->IsValid(row), expected.real_label.has_value());
  if (expected.real_label) {
    EXPECT_EQ(real->Values<double>()[row], *expected.real_label);
  }
}

TEST_P(Pairing, BytesLabelAndWeightOfEachShuffledKeyAreRight) {
  const GeneratedDataset dataset = GetParam().generate(stack_.files(), kNumSamples);
  const storage::StorageClient operators(stack_.PeerOf("storage", rpc::v1::ROLE_OPERATOR));
  const storage::StorageClient storage(stack_.PeerOf("storage"));
  selector::SelectorClient selector(stack_.PeerOf("selector"));
  const auto registered = operators.RegisterDataset(dataset.name, dataset.spec, NewRequest());
  ASSERT_THAT(registered, IsOk());
  const DatasetId id{registered->dataset_id()};
  const auto snapshot = storage.SyncDataset(id, [](const auto&) {});
  ASSERT_THAT(snapshot, IsOk());

  // Keys are allocated in path order, which is the generator's.
  std::vector<int64_t> keys;
  storage::v1::ListSamplesRequest list;
  *list.mutable_snapshot() = *snapshot;
  ASSERT_THAT(storage.ListSamples(list,
                                  [&](const batch::Batch& rows) {
                                    keys.insert(keys.end(), rows.keys().begin(), rows.keys().end());
                                    return absl::OkStatus();
                                  }),
              IsOk());
  std::sort(keys.begin(), keys.end());
  ASSERT_EQ(keys.size(), dataset.samples.size());
  std::map<int64_t, const ExpectedSample*> expected;
  for (size_t row = 0; row < keys.size(); ++row) expected[keys[row]] = &dataset.samples[row];

  // A weighted training set: 40 % of the keys, each weighted by its class.
  selector::v1::SealTrainingSetRequest seal;
  *seal.mutable_command() = NewCommand();
  seal.set_trigger(1);
  *seal.mutable_snapshot() = *snapshot;
  seal.mutable_to()->set_event_time(std::numeric_limits<int64_t>::max());
  seal.set_selection("{type: balanced, fraction: 0.4, force: size, weights: inverse_probability}");
  seal.set_seed(5);
  const auto sealed = selector.SealTrainingSet(seal);
  ASSERT_THAT(sealed, IsOk());
  const auto set = selector.ReadTrainingSet(RunId{1}, 1);
  ASSERT_THAT(set, IsOk());
  ASSERT_EQ(set->num_rows(), std::llround(kFraction * static_cast<double>(keys.size())));

  // Every key in a shuffled order, the training set's among them with their weights.
  std::map<int64_t, float> weights;
  for (int64_t row = 0; row < set->num_rows(); ++row) {
    weights[set->keys()[row]] = set->Find(batch::kWeightColumn)->Values<float>()[row];
  }
  ASSERT_EQ(static_cast<int64_t>(weights.size()), set->num_rows()) << "a key was drawn twice";
  const Permutation shuffle({.seed = 9, .purpose = "pairing"}, static_cast<int64_t>(keys.size()));
  std::vector<int64_t> asked;
  for (size_t row = 0; row < keys.size(); ++row) {
    asked.push_back(keys[shuffle(static_cast<int64_t>(row))]);
  }
  size_t next = 0;
  ASSERT_THAT(storage.ReadSamples(id, asked,
                                  [&](const batch::Batch& rows, const auto& missing) {
                                    EXPECT_TRUE(missing.empty());
                                    for (int64_t row = 0; row < rows.num_rows(); ++row) {
                                      EXPECT_EQ(rows.keys()[row], asked[next++]);
                                      ExpectSample(rows, row, *expected.at(rows.keys()[row]));
                                    }
                                    return absl::OkStatus();
                                  }),
              IsOk());
  EXPECT_EQ(next, asked.size());
  // For each class: the weight of all samples, and of those drawn.
  std::map<std::optional<int64_t>, std::pair<double, double>> classes;
  for (const auto& [key, sample] : expected) {
    auto& [size, drawn] = classes[sample->class_label];
    ++size;
    drawn += weights.contains(key) ? 1 : 0;
  }
  const double share = static_cast<double>(set->num_rows()) / static_cast<double>(keys.size());
  for (const auto& [key, weight] : weights) {
    ASSERT_TRUE(expected.contains(key));
    const auto& [size, drawn] = classes.at(expected.at(key)->class_label);
    EXPECT_FLOAT_EQ(weight, static_cast<float>(size / drawn * share));
  }
}

INSTANTIATE_TEST_SUITE_P(
    EachFormat, Pairing,
    ::testing::Values(PairedFormat{"csv", storage::testing::MakeCsv},
                      PairedFormat{"records", storage::testing::MakeRecords},
                      PairedFormat{"gzipped_idx", storage::testing::MakeGzippedIdx},
                      PairedFormat{"series", storage::testing::MakeSeries},
                      PairedFormat{"jsonl", storage::testing::MakeJsonl},
                      PairedFormat{"tar", storage::testing::MakeTar},
                      PairedFormat{"tfrecord", storage::testing::MakeTfRecords},
                      PairedFormat{"single_file", storage::testing::MakeSingleFiles}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace tidemill::tests
