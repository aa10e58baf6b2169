// Kills services while policies look at samples and at what models say about them: whatever dies,
// the run decides the same, by the same numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/testing/status_matchers.h"
#include "supervisor_client/supervisor_client.h"
#include "tests/run_comparison.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::SizeIs;
using tidemill::testing::IsOk;

// By name: what a policy looks at, over 1,200 samples, one a minute, whose classes drift.
const std::map<std::string, std::string>& Policies() {
  static const std::map<std::string, std::string> policies = {
      {"each_sample",
       "{type: drift, evaluate: {samples: 1}, of: labels, reference: {samples: 40}, current: "
       "{samples: 40}, statistic: {type: binned}, criterion: {type: threshold, at: 0.3}}"},
      {"embeddings",
       "{type: drift, evaluate: {samples: 50}, of: embeddings, reference: {samples: 150}, current: "
       "{samples: 150}, statistic: {type: mmd}, criterion: {type: quantile, tail: 0.2}}"},
      {"predictions",
       "{type: drift, evaluate: {every: 1h}, of: predictions, reference: {samples: 150}, current: "
       "{samples: 120}, statistic: {type: ks}, criterion: {type: threshold, at: 0.2}}"},
      {"performance",
       "{type: performance, evaluate: {samples: 50}, measure: accuracy, criterion: {type: "
       "threshold, at: 0.8}}"},
      {"detector",
       "{type: detector, evaluate: {samples: 50}, detector: {type: page_hinkley, threshold: 10}}"},
  };
  return policies;
}

struct Outcome {
  std::vector<std::string> fingerprint;
  // Numbers, cuts and verdicts, less the seconds that they took.
  std::vector<std::string> decisions;
};

Outcome Observe(const std::string& policy, const std::map<std::string, std::string>& environment) {
  const Stack stack;
  EXPECT_EQ(stack.Tidemill({"up"}, environment).exit_code, 0) << stack.Logs();
  const CommandResult result = stack.Tidemill(
      {"run", WriteSmallPipeline(stack.files(), Policies().at(policy)), "--json"}, environment);
  EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  Outcome outcome{.fingerprint = Fingerprint(result.Json()), .decisions = {}};
  supervisor::SupervisorClient supervisor(stack.PeerOf("supervisor", rpc::v1::ROLE_OPERATOR));
  const auto run = supervisor.GetRun(RunId{result.Json().at("run").get<int64_t>()}, false);
  EXPECT_THAT(run, IsOk());
  for (supervisor::v1::Decision decision : run->decisions()) {
    decision.clear_seconds();
    decision.clear_decided_at();
    outcome.decisions.push_back(decision.DebugString());
  }
  return outcome;
}

const Outcome& Undisturbed(const std::string& policy) {
  static std::map<std::string, Outcome> outcomes;
  const auto found = outcomes.find(policy);
  return found != outcomes.end() ? found->second
                                 : outcomes.emplace(policy, Observe(policy, {})).first->second;
}

struct Kill {
  const char* policy;
  const char* point;
};

class Decisions : public ::testing::TestWithParam<Kill> {};

TEST_P(Decisions, AreTheSameWhenAServiceIsKilledMeanwhile) {
  const auto [policy, point] = GetParam();
  const Outcome& undisturbed = Undisturbed(policy);
  ASSERT_EQ(undisturbed.fingerprint.front(), "succeeded");
  ASSERT_THAT(undisturbed.decisions, SizeIs(::testing::Gt(5U)));
  const Stack scratch;
  const std::string marks = scratch.files() + "/marks";
  std::filesystem::create_directory(marks);
  const Outcome killed = Observe(policy, {{"TIDEMILL_FAILPOINTS", std::string(point) + "=kill"},
                                          {"TIDEMILL_FAILPOINTS_ONCE", marks}});
  EXPECT_TRUE(std::filesystem::exists(marks + "/" + point)) << "nothing passed " << point;
  EXPECT_EQ(killed.decisions, undisturbed.decisions);
  EXPECT_EQ(killed.fingerprint, undisturbed.fingerprint);
}

INSTANTIATE_TEST_SUITE_P(EachPolicy, Decisions,
                         ::testing::Values(Kill{"each_sample",
                                                "supervisor.after_unfired_decisions"},
                                           Kill{"embeddings", "supervisor.after_decision"},
                                           Kill{"embeddings", "evaluator.before_columns"},
                                           Kill{"predictions", "evaluate.mid_columns"},
                                           Kill{"performance", "supervisor.after_train"},
                                           Kill{"performance", "evaluator.before_columns"},
                                           Kill{"detector", "storage.send_block"}),
                         [](const auto& tested) {
                           std::string name =
                               std::string(tested.param.policy) + "_" + tested.param.point;
                           for (char& c : name) {
                             if (c == '.') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace tidemill::tests
