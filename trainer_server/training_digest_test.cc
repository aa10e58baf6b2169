#include "trainer_server/training_digest.h"

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::trainer_server {
namespace {

using ::testing::_;
using ::testing::SizeIs;
using ::tidemill::testing::StatusIs;

struct Asked {
  v1::GetTrainingDigestRequest request;
  v1::TrainingMachine machine;
};

Asked Usual() {
  Asked asked;
  v1::StartTrainingRequest& training = *asked.request.mutable_training();
  training.mutable_command()->set_run_id(3);
  training.mutable_command()->set_request_id("a");
  training.set_trigger(2);
  training.set_fitted_trigger(1);
  training.set_parent_model_id(40);
  training.set_dataset_id(5);
  training.set_dataset_spec("path: a\n");
  training.set_graph("- label: {into: target}\n");
  training.set_model("{type: mlp, hidden: [16], outputs: 2}\n");
  training.set_training("{epochs: 3, seed: 42}\n");
  training.set_draw(77);
  asked.request.set_training_set_digest("set");
  asked.request.set_fitted_set_digest("first set");
  asked.request.set_parent_weights_digest("weights");
  asked.machine.set_program("program");
  asked.machine.set_torch("2.6.0, AVX2");
  asked.machine.set_processor("a processor");
  return asked;
}

using Change = std::function<void(Asked&)>;

std::string DigestOf(const Change& change) {
  Asked asked = Usual();
  change(asked);
  const auto specs = ReadSpecs(asked.request.training());
  EXPECT_THAT(specs, ::tidemill::testing::IsOk());
  return specs.ok() ? DigestOfTraining(asked.request, *specs, asked.machine) : "";
}

Change Training(const std::string& text) {
  return [text](Asked& asked) { asked.request.mutable_training()->set_training(text); };
}

TEST(TrainingDigestTest, ChangesWithEachThingThatChangesTheWeights) {
  const std::vector<Change> changes = {
      [](Asked&) {},
      [](Asked& a) { a.request.mutable_training()->set_dataset_id(6); },
      [](Asked& a) { a.request.mutable_training()->set_dataset_spec("path: b\n"); },
      [](Asked& a) { a.request.mutable_training()->set_graph("- label: {into: goal}\n"); },
      [](Asked& a) {
        a.request.mutable_training()->set_model("{type: mlp, hidden: [17], outputs: 2}\n");
      },
      [](Asked& a) { a.request.mutable_training()->set_draw(78); },
      [](Asked& a) { a.request.set_training_set_digest("another set"); },
      [](Asked& a) { a.request.set_fitted_set_digest("another set"); },
      [](Asked& a) { a.request.set_parent_weights_digest("other weights"); },
      [](Asked& a) { a.request.clear_parent_weights_digest(); },
      [](Asked& a) { a.machine.set_program("another program"); },
      [](Asked& a) { a.machine.set_torch("2.6.0, AVX512"); },
      [](Asked& a) { a.machine.set_processor("another processor"); },
      Training("{epochs: 4, seed: 42}\n"),
      Training("{epochs: 3, seed: 43}\n"),
      Training("{epochs: 3, seed: 42, batch_size: 64}\n"),
      Training("{epochs: 3, seed: 42, accumulate: 2}\n"),
      Training("{epochs: 3, seed: 42, max_samples: 1000}\n"),
      Training("{epochs: 3, seed: 42, optimizer: {type: adam, lr: 0.5}}\n"),
      Training("{epochs: 3, seed: 42, schedule: {type: cosine}}\n"),
      Training("{epochs: 3, seed: 42, early_stopping: {patience: 1}}\n"),
      Training("{epochs: 3, seed: 42, early_stopping: {patience: 3}}\n"),
      Training("{epochs: 3, seed: 42, gradient_clipping: {norm: 1}}\n"),
      Training("{epochs: 3, seed: 42, precision: bfloat16}\n"),
      Training("{epochs: 3, seed: 42, num_threads: 7}\n"),
      Training("{epochs: 3, seed: 42, shuffle: false}\n"),
      Training("{epochs: 3, seed: 42, max_bad_fraction: 0.5}\n"),
      Training("{epochs: 3, seed: 42, max_bad_samples: 5}\n"),
      Training("{epochs: 3, seed: 42, weighted_loss: self_normalised}\n"),
  };
  std::set<std::string> digests;
  for (const Change& change : changes) digests.insert(DigestOf(change));
  EXPECT_THAT(digests, SizeIs(changes.size()));
}

TEST(TrainingDigestTest, StaysWhereTheWeightsStay) {
  const std::string usual = DigestOf([](Asked&) {});
  EXPECT_THAT(usual, SizeIs(64));
  const std::vector<std::pair<const char*, Change>> changes = {
      {"run", [](Asked& a) { a.request.mutable_training()->mutable_command()->set_run_id(4); }},
      {"trigger", [](Asked& a) { a.request.mutable_training()->set_trigger(3); }},
      {"fitted trigger", [](Asked& a) { a.request.mutable_training()->set_fitted_trigger(2); }},
      {"id of the parent", [](Asked& a) { a.request.mutable_training()->set_parent_model_id(9); }},
      {"workers", [](Asked& a) { a.request.mutable_training()->set_workers("{most: 2}\n"); }},
      {"reuse", Training("{epochs: 3, seed: 42, reuse: true}\n")},
      {"device", Training("{epochs: 3, seed: 42, device: cpu}\n")},
      {"warm start", Training("{epochs: 3, seed: 42, warm_start: false}\n")},
      {"fit", Training("{epochs: 3, seed: 42, fit: each_trigger}\n")},
      {"checkpoints", Training("{epochs: 3, seed: 42, checkpoint_every: 5}\n")},
      {"decoded budget", Training("{epochs: 3, seed: 42, decoded_budget: 1MiB}\n")},
      {"default threads", Training("{epochs: 3, seed: 42, num_threads: 1}\n")},
      {"default order", Training("{epochs: 3, seed: 42, order: full}\n")},
  };
  for (const auto& [what, change] : changes) EXPECT_EQ(DigestOf(change), usual) << what;
}

TEST(TrainingDigestTest, IsOfTheTriggerWhereDrawsAreAndWhereAScheduleSaysSo) {
  const auto at = [](int64_t trigger, int64_t draw, const std::string& training) {
    return DigestOf([=](Asked& asked) {
      asked.request.mutable_training()->set_trigger(trigger);
      asked.request.mutable_training()->set_draw(draw);
      asked.request.mutable_training()->set_training(training);
    });
  };
  const std::string plain = "{epochs: 3}\n";
  EXPECT_NE(at(1, 0, plain), at(2, 0, plain));
  EXPECT_EQ(at(1, 9, plain), at(2, 9, plain));
  const std::string schedule =
      "{epochs: 3, downsampling: {type: schedule, steps: [{triggers: 2, use: none}, "
      "{use: {type: uniform, fraction: 0.5}}]}}\n";
  EXPECT_EQ(at(1, 9, schedule), at(2, 9, schedule));
  EXPECT_EQ(at(1, 9, schedule), at(1, 9, plain));
  EXPECT_NE(at(2, 9, schedule), at(3, 9, schedule));
}

TEST(TrainingSpecsTest, RefusesSpecsThatDoNotDecode) {
  v1::StartTrainingRequest request = Usual().request.training();
  request.set_model("{type: nothing}");
  EXPECT_THAT(ReadSpecs(request), StatusIs(absl::StatusCode::kInvalidArgument, _));
  request = Usual().request.training();
  request.set_training("{epochs: never}");
  EXPECT_THAT(ReadSpecs(request), StatusIs(absl::StatusCode::kInvalidArgument, _));
}

}  // namespace
}  // namespace tidemill::trainer_server
