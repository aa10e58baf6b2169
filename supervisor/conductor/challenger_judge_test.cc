#include "supervisor/conductor/challenger_judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers/random.h"
#include "evaluator/measures/bootstrap.h"
#include "evaluator/measures/dependence.h"
#include "supervisor/conductor/common_samples.h"
#include "supervisor/testing/replay_fixture.h"

namespace tidemill::supervisor {
namespace {

using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;

constexpr int64_t kMicros = 1'000'000;
// As docs/guides/which-model-answers.md says.
constexpr int64_t kFewest = 30;
constexpr int64_t kFewestDiffering = 6;
constexpr int kReplicates = 200;

// What a stream is like, and how good the models are that it trains.
struct JudgedStream {
  explicit JudgedStream(int seed) : random_(static_cast<uint64_t>(seed)), seed_(seed) {
    num_samples = Between(90, 900);
    every = Between(30, 250);
    slices = Between(0, 2) == 0 ? Between(20, 200) : 0;
    margin = Between(0, 2) == 0 ? std::optional(0.01 * static_cast<double>(Between(0, 8)))
                                : std::nullopt;
  }

  int64_t Between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  // The share of samples about which a model is right: 0.4 to 0.95.
  double QualityOf(int64_t model) const {
    const RandomKey key{.seed = seed_, .purpose = "quality"};
    return 0.4 + 0.05 * static_cast<double>(RandomBits(key, model) % 12);
  }
  bool IsRight(int64_t model, int64_t sample) const {
    const RandomKey key{.seed = seed_ + 1000 * model, .purpose = "right"};
    return static_cast<double>(RandomBits(key, sample) % 1000) < 1000 * QualityOf(model);
  }
  // Some samples are not answered, each model leaves out others.
  bool IsAnswered(int64_t model, int64_t sample) const {
    const RandomKey key{.seed = seed_ + 1000 * model, .purpose = "answered"};
    return RandomBits(key, sample) % 50 != 0;
  }

  std::string Pipeline() const {
    std::string text = *files::Read(testing::kTestdata / "sound.yaml");
    const auto replace = [&](const std::string& what, const std::string& by) {
      text.replace(text.find(what), what.size(), by);
    };
    replace("samples: 50", "samples: " + std::to_string(every));
    if (slices > 0) {
      replace("{type: between_triggers}", "{type: slices, every: " + std::to_string(slices) + "s}");
    }
    return text + "promote: {when: better" +
           (margin ? ", by: " + std::to_string(*margin) : std::string()) + "}\n";
  }

  int64_t num_samples = 0;  // One each second, with the keys from 1 on.
  int64_t every = 0;
  int64_t slices = 0;  // The length of windows in seconds; 0: those between triggers.
  std::optional<double> margin;

 private:
  std::mt19937_64 random_;
  int64_t seed_;
};

batch::Batch AnswersOf(const JudgedStream& stream,
                       const evaluator::v1::ReadModelColumnsRequest& request) {
  std::vector<int64_t> keys;
  std::vector<float> predictions;
  for (const int64_t key : request.keys()) {
    if (!stream.IsAnswered(request.model_id(), key)) continue;
    keys.push_back(key);
    // The class of a sample is that of its key.
    const int64_t said = (key + (stream.IsRight(request.model_id(), key) ? 0 : 1)) % 2;
    predictions.insert(predictions.end(), {said == 0 ? 0.9F : 0.1F, said == 1 ? 0.9F : 0.1F});
  }
  batch::Batch batch(static_cast<int64_t>(keys.size()));
  EXPECT_THAT(batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)), IsOk());
  EXPECT_THAT(batch.Set(batch::MakeColumn<float>("prediction", predictions, {2})), IsOk());
  return batch;
}

// The rule of the page, computed sample by sample.
class Rule {
 public:
  explicit Rule(const JudgedStream& stream) : stream_(stream) {}

  struct Model {
    int64_t model = 0;
    int64_t cut = 0;  // The first second after what it was trained on.
  };

  // The models of a run, in the order of their triggers.
  void AddRun(const std::vector<Model>& models) {
    for (const Model& model : models) {
      if (!champion_) {
        champion_ = model;
        decided_.insert(model.model);
      }
    }
    for (const Model& challenger : models) {
      if (decided_.contains(challenger.model)) continue;
      if (IsBetter(challenger, models)) champion_ = challenger;
    }
  }
  int64_t champion() const { return champion_ ? champion_->model : 0; }

 private:
  // The beginning of the window of a second.
  int64_t WindowOf(int64_t second, const std::vector<Model>& of_run) const {
    if (stream_.slices > 0) return second / stream_.slices * stream_.slices;
    int64_t begin = 0;
    for (const Model& model : of_run) {
      if (model.cut <= second) begin = model.cut;
    }
    return begin;
  }

  bool IsBetter(const Model& challenger, const std::vector<Model>& of_run) const {
    std::vector<int64_t> keys, times;
    std::vector<std::array<int, 2>> right;  // The challenger, and the champion.
    int64_t num_differing = 0;
    for (int64_t second = 0; second < stream_.num_samples; ++second) {
      const int64_t key = second + 1;
      const int64_t begin = WindowOf(second, of_run);
      if (begin < challenger.cut || begin < champion_->cut) continue;
      if (!stream_.IsAnswered(challenger.model, key)) continue;
      if (!stream_.IsAnswered(champion_->model, key)) continue;
      keys.push_back(key);
      times.push_back(second * kMicros);
      right.push_back({stream_.IsRight(challenger.model, key) ? 1 : 0,
                       stream_.IsRight(champion_->model, key) ? 1 : 0});
      num_differing += right.back()[0] != right.back()[1] ? 1 : 0;
    }
    if (std::ssize(keys) < kFewest) return false;
    double difference = 0;
    for (const auto& [one, other] : right) difference += one - other;
    difference /= static_cast<double>(keys.size());
    if (stream_.margin) return difference > *stream_.margin;
    return num_differing >= kFewestDiffering && LowEndOf(keys, times, right, difference) > 0;
  }

  // Returns the low end of the 95 % interval of the difference, by the bootstrap of pairs.
  static double LowEndOf(const std::vector<int64_t>& keys, const std::vector<int64_t>& times,
                         const std::vector<std::array<int, 2>>& right, double difference) {
    const std::vector<uint64_t> bits = evaluator::KeyBits(keys, 0);
    std::vector<std::vector<uint8_t>> drawn(4, std::vector<uint8_t>(keys.size()));
    std::vector<double> draws;
    for (int block = 0; block < kReplicates / 4; ++block) {
      const std::array<std::span<uint8_t>, 4> lanes = {drawn[0], drawn[1], drawn[2], drawn[3]};
      evaluator::DrawWeights(bits, block, lanes);
      for (const std::vector<uint8_t>& weights : drawn) {
        double sum = 0, total = 0;
        for (size_t i = 0; i < keys.size(); ++i) {
          sum += weights[i] * (right[i][0] - right[i][1]);
          total += weights[i];
        }
        draws.push_back(sum / total);
      }
    }
    std::ranges::sort(draws);
    const double place = 0.025 * static_cast<double>(draws.size() - 1);
    const auto below = static_cast<size_t>(place);
    double low = std::lerp(draws[below], draws[below + 1], place - std::floor(place));
    std::vector<double> influence;
    for (const auto& [one, other] : right) influence.push_back(one - other);
    const evaluator::Dependence dependence = evaluator::DependenceOf(influence, times);
    if (!dependence.WasFound()) return low;
    const double centre = std::max(difference, low);
    return centre +
           dependence.Widening() * evaluator::WideningOfDraws(kReplicates) * (low - centre);
  }

  const JudgedStream& stream_;
  std::optional<Model> champion_;
  std::set<int64_t> decided_;
};

class ChallengerJudgeTest : public testing::ReplayFixture {
 protected:
  RunId Run(const JudgedStream& stream, const std::string& request_id) {
    services_.num_samples = stream.num_samples;
    services_.answers = [&](const auto& request) { return AnswersOf(stream, request); };
    v1::SubmitPipelineRequest request = Request(request_id);
    request.set_pipeline(stream.Pipeline());
    const RunId run = Submit(request);
    EXPECT_EQ(Finish(run).back(), "run_succeeded");
    return run;
  }

  std::vector<Rule::Model> ModelsOf(RunId run) {
    std::vector<Rule::Model> models;
    const v1::GetRunResponse response = Get(run);
    for (const v1::Trigger& trigger : response.triggers()) {
      const rpc::v1::Cut& at = trigger.at();
      // A cut is at the last sample that was trained on, or right after it.
      const int64_t second = at.event_time() / kMicros;
      models.push_back({trigger.model_id(), at.sample_key() > second + 1 ? second + 1 : second});
    }
    return models;
  }

  std::vector<v1::ModelChange> Changes() {
    v1::ListModelChangesRequest request;
    request.set_pipeline_name("weather");
    const auto listed = supervisor_->model_uses().List(request);
    EXPECT_THAT(listed, IsOk());
    return {listed->changes().begin(), listed->changes().end()};
  }
};

TEST_F(ChallengerJudgeTest, AModelThatIsNotBetterDoesNotTakeThePlace) {
  JudgedStream stream(3);
  stream.num_samples = 400;
  stream.every = 100;
  stream.slices = 0;
  stream.margin = 1.0;  // No difference of accuracies is greater.
  const RunId run = Run(stream, "a");
  const auto models = ModelsOf(run);
  const auto changes = Changes();
  ASSERT_EQ(changes.size(), models.size());
  EXPECT_EQ(changes.front().model_id(), models.front().model);
  EXPECT_EQ(changes.front().kind(), v1::MODEL_CHANGE_KIND_KEPT);
  EXPECT_THAT(changes.front().text(), HasSubstr("samples with the model in use"));
  EXPECT_THAT(changes[1].text(), HasSubstr("is not better by enough: accuracy"));
  EXPECT_GT(changes[1].comparison().num_samples(), 90);
}

TEST_F(ChallengerJudgeTest, AModelThatCannotBeAskedDoesNotTakeThePlace) {
  JudgedStream stream(4);
  stream.num_samples = 400;
  stream.every = 100;
  services_.FailNext("ReadModelColumns", Internal("the weights are of another network"));
  const RunId run = Run(stream, "a");
  EXPECT_EQ(Get(run).run().state(), v1::RUN_STATE_SUCCEEDED);
  const auto changes = Changes();
  const auto failed = std::ranges::find_if(changes, [](const v1::ModelChange& change) {
    return change.text().find("another network") != std::string::npos;
  });
  ASSERT_NE(failed, changes.end());
  EXPECT_EQ(failed->kind(), v1::MODEL_CHANGE_KIND_KEPT);
  EXPECT_THAT(failed->text(), HasSubstr("cannot be compared"));
}

TEST_F(ChallengerJudgeTest, DrawsSamplesByTheirKeysWhereThereAreMany) {
  services_.num_samples = 50'000;
  const auto downstream = services_.Connect()({});
  rpc::v1::Snapshot snapshot;
  snapshot.set_committed_key(services_.num_samples);
  const auto span = [](int64_t from, int64_t to) {
    MetSpan made;
    made.from.set_event_time(from * kMicros);
    made.to.set_event_time(to * kMicros);
    return made;
  };
  const auto whole = ListSamplesIn(*downstream, snapshot, {span(0, 50'000)});
  ASSERT_THAT(whole, IsOk());
  EXPECT_EQ(whole->keys.size(), kMaxCompared);
  EXPECT_DOUBLE_EQ(whole->share, 0.4);
  EXPECT_TRUE(std::ranges::is_sorted(whole->times));
  // The parts of a stream have the same samples as the whole.
  const auto parts =
      ListSamplesIn(*downstream, snapshot, {span(0, 10), span(10, 30'000), span(30'000, 50'000)});
  ASSERT_THAT(parts, IsOk());
  EXPECT_EQ(parts->keys, whole->keys);
}

class RandomStreams : public ChallengerJudgeTest, public ::testing::WithParamInterface<int> {};

TEST_P(RandomStreams, AreJudgedAsThePageSays) {
  int num_replaced = 0;
  for (int number = 0; number < 20; ++number) {
    const JudgedStream stream(20 * GetParam() + number);
    Rule rule(stream);
    for (const char* const name : {"first", "second"}) {
      const RunId run = Run(stream, name + std::to_string(20 * GetParam() + number));
      rule.AddRun(ModelsOf(run));
      ASSERT_EQ(Get(run).model_in_use().model_id(), rule.champion())
          << "stream " << 20 * GetParam() + number << ", " << name << " run";
    }
    for (const v1::ModelChange& change : Changes()) {
      num_replaced += change.kind() == v1::MODEL_CHANGE_KIND_BETTER ? 1 : 0;
    }
    ASSERT_THAT(testing::DeletePipeline(*supervisor_), IsOk());
  }
  // Otherwise the streams try nothing.
  EXPECT_GT(num_replaced, 3);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomStreams, ::testing::Range(0, 10));

}  // namespace
}  // namespace tidemill::supervisor
