#include "supervisor/triggers/decider.h"

#include <latch>
#include <stop_token>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "base/testing/status_matchers.h"
#include "supervisor/statistics/sealed_state.h"
#include "supervisor/triggers/decision_grid.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/testing/policy_driver.h"

namespace tidemill::supervisor {
namespace {

using testing::Drive;
using ::testing::HasSubstr;
using testing::ManySamples;
using testing::Stream;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

// A model that is wrong about each sample whose key a number divides.
class WrongNowAndThen : public EvidenceSource {
 public:
  explicit WrongNowAndThen(const Stream& stream) : stream_(stream) {}

  absl::StatusOr<EvidenceTable> Read(const EvidenceRequest& request) override {
    EvidenceTable table;
    for (size_t i = 0; i < stream_.keys.size(); ++i) {
      const Cut sample{{stream_.times[i]}, {stream_.keys[i]}};
      if (sample < request.from || request.to <= sample) continue;
      ++table.num_rows;
      table.values.push_back(stream_.keys[i] % 17 == 0 ? 1 : 0);
    }
    return table;
  }

 private:
  const Stream& stream_;
};

// Fires once the active model was wrong about twenty samples since the last training; looks every
// fifty samples.
class ErrorCounter : public TriggerPolicy {
 public:
  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp) const override {
    return grid_.NextPoint(ahead);
  }
  void Take(Samples samples) override { grid_.Take(samples); }
  std::vector<EvidenceRequest> Needs(const Cut& at) const override {
    return {{.kind = EvidenceKind::kErrors, .from = from_, .to = at}};
  }
  absl::StatusOr<Verdict> Decide(const Evidence& evidence) override {
    for (const double error : evidence.tables.at(0).values) errors_ += error;
    grid_.Restart();
    from_ = evidence.at;
    Verdict verdict = NewVerdict("errors", ObservedOf({{number::kErrors, errors_}}));
    verdict.set_fired(errors_ >= 20);
    return verdict;
  }
  void Fired(const Cut&) override { errors_ = 0; }
  nlohmann::json Seal() const override { return statistics::SealState(*this); }
  absl::Status Restore(const nlohmann::json& state) override {
    return statistics::RestoreInto(state, *this);
  }
  void Fields(auto&& field) {
    field("grid", grid_);
    field("from", from_);
    field("errors", errors_);
  }

 private:
  SampleGrid grid_{50};
  std::optional<Cut> from_;
  double errors_ = 0;
};

TEST(Decider, GivesAPolicyTheEvidenceThatItNeedsHoweverTheStreamIsCut) {
  const Stream stream = ManySamples();
  WrongNowAndThen source(stream);
  const auto make = [&] { return Decider(std::make_unique<ErrorCounter>(), &source); };
  const std::vector<Decision> whole = Drive(make(), stream, 0, 5000);
  ASSERT_EQ(whole.size(), 100);
  int64_t fired = 0;
  for (const Decision& decision : whole) fired += decision.fired ? 1 : 0;
  EXPECT_EQ(fired, 5000 / 17 / 20);
  const auto killed = [&](Decider& decider) {
    Decider again = make();
    ASSERT_TRUE(again.Restore(decider.Seal()).ok());
    decider = std::move(again);
  };
  for (const size_t chunk : {1, 7, 1000}) {
    EXPECT_EQ(Drive(make(), stream, 0, chunk), whole);
    EXPECT_EQ(Drive(make(), stream, 0, chunk, killed), whole);
  }
}

TEST(Decider, FailsWithItsEvidence) {
  const Stream stream = ManySamples(100);
  Decider decider(std::make_unique<ErrorCounter>());
  Samples ahead = stream.View();
  EXPECT_THAT(decider.Next(ahead).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("needs more")));
}

// Requests a stop while a decision is made.
class SlowToJudge : public EvidenceSource {
 public:
  absl::StatusOr<EvidenceTable> Read(const EvidenceRequest&) override {
    EvidenceTable table = {.num_rows = 2000, .width = 8};
    for (int64_t i = 0; i < table.num_rows * table.width; ++i) {
      table.values.push_back(RandomUnit({.seed = 1, .purpose = "test"}, i));
    }
    if (++num_read_ == 2) asked_.count_down();
    return table;
  }
  // Waits until both windows of the first comparison have been asked for.
  void WaitUntilAsked() { asked_.wait(); }

 private:
  int num_read_ = 0;
  std::latch asked_{1};
};

TEST(Decider, GivesADecisionUpAfterAStop) {
  const Stream stream = ManySamples();
  SlowToJudge source;
  const TriggerSpec spec =
      config::Read<TriggerSpec>(
          "{type: drift, evaluate: {samples: 500}, of: columns, columns: [a, b, c, d, e, f, g, h], "
          "reference: {samples: 500}, current: {samples: 500}, statistic: {type: mmd, "
          "permutations: 100000}, criterion: {type: p_value}}",
          "trigger")
          .value();
  Decider decider = Decider::Create(spec, "", &source).value();
  std::stop_source stop;
  decider.EndAt(stop.get_token());
  const std::jthread stopper([&] {
    source.WaitUntilAsked();
    stop.request_stop();
  });
  Samples ahead{stream.times, stream.keys};
  ASSERT_THAT(decider.Next(ahead), IsOk());
  EXPECT_THAT(decider.Next(ahead),
              StatusIs(absl::StatusCode::kCancelled, HasSubstr("no longer needed")));
}

}  // namespace
}  // namespace tidemill::supervisor
