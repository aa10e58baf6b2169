// Trigger policies of users, in Python and in C++: what built-in policies promise, and what becomes
// of a plug-in that does wrong.
#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/descriptor.h"
#include "base/files.h"
#include "base/printable.h"
#include "base/testing/status_matchers.h"
#include "base/testing/tree.h"
#include "config/config.h"
#include "plugin/process/run_hosts.h"
#include "supervisor/trials/drifting_evidence.h"
#include "supervisor/trials/trigger_promises.h"
#include "supervisor/triggers/errors/performance_trigger.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/plugin/plugin_trigger.h"
#include "supervisor/triggers/testing/policy_driver.h"
#include "tests/plugin/test_plugins.h"

namespace tidemill::supervisor {
namespace {

using testing::Drive;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ManySamples;
using testing::Stream;
using ::tidemill::testing::IsOk;
using trials::DriftingEvidence;

TriggerSpec MustSubmit(const std::string& yaml) {
  auto spec = tests::SubmittedPart<TriggerSpec>(yaml);
  EXPECT_THAT(spec, IsOk());
  return spec.ok() ? *std::move(spec) : TriggerSpec();
}

// By the language of the file.
struct Tested {
  const char* language;
  const char* mistakes;
  const char* faulty;
  const char* level;
};

class PluginTriggers : public ::testing::TestWithParam<Tested> {
 protected:
  void TearDown() override { EXPECT_THAT(tests::Descendants(), IsEmpty()); }

  static std::string Mistakes() {
    return fmt::format("{{type: plugin, use: '{}', with: {{at: 0.7}}}}", GetParam().mistakes);
  }
  // A decision every hundred samples, of which the third goes wrong.
  std::vector<Decision> DecideFaulty(const std::string& how, const std::string& on_fault,
                                     const std::string& more = "") {
    const TriggerSpec spec = MustSubmit(fmt::format(
        "{{type: plugin, use: '{}', with: {{how: {}, file: {}}}, on_fault: {}{}}}",
        GetParam().faulty, how, tidemill::testing::InTree("tests/plugin/trigger_plugin_test.cc"),
        on_fault, more));
    return testing::Decide(spec, stream_, 1000, &source_);
  }
  // What the third decision says about its fault.
  std::string FaultOf(const std::string& how, const std::string& more = "") {
    const std::vector<Decision> decisions = DecideFaulty(how, "skip", more);
    EXPECT_GT(decisions.size(), 4U);
    if (decisions.size() < 5) return "";
    EXPECT_FALSE(decisions[1].verdict.has_fault());
    EXPECT_FALSE(decisions[2].fired);
    if (!decisions[2].verdict.has_fault()) return "no fault";
    traceback_ = decisions[2].verdict.fault().traceback();
    return decisions[2].verdict.fault().what();
  }

  const Stream stream_ = ManySamples(700);
  DriftingEvidence source_{stream_};
  std::string traceback_;
};

INSTANTIATE_TEST_SUITE_P(Plugins, PluginTriggers,
                         ::testing::Values(Tested{"Python", "mistakes.py:Mistakes",
                                                  "faulty.py:Faulty", "level.py:Level"},
                                           Tested{"Cpp", "libpolicies.so:Mistakes",
                                                  "libpolicies.so:Faulty", "libpolicies.so:Level"}),
                         [](const auto& tested) { return std::string(tested.param.language); });

TEST_P(PluginTriggers, DecideAsTheBuiltInPolicyToTheLastBit) {
  const Stream stream = ManySamples();
  DriftingEvidence source(stream);
  const TriggerSpec built_in =
      PerformanceTrigger{.evaluate = {.samples = 90}, .criterion = ThresholdCriterion{.at = .7}};
  const std::vector<Decision> expected = testing::Decide(built_in, stream, 1000, &source);
  const std::vector<Decision> decided =
      testing::Decide(MustSubmit(Mistakes()), stream, 1000, &source);
  ASSERT_EQ(decided.size(), expected.size());
  for (size_t i = 0; i < decided.size(); ++i) {
    EXPECT_EQ(decided[i].at, expected[i].at);
    EXPECT_EQ(decided[i].fired, expected[i].fired);
    EXPECT_EQ(decided[i].num_new, expected[i].num_new);
    EXPECT_EQ(ValueOf(decided[i].verdict.observed(), number::kScore),
              ValueOf(expected[i].verdict.observed(), number::kScore));
  }
}

TEST_P(PluginTriggers, DecideTheSameHoweverTheStreamIsCut) {
  const TriggerSpec spec = MustSubmit(Mistakes());
  const std::vector<Decision> whole = testing::Decide(spec, stream_, 1000, &source_);
  for (const size_t chunk : {1, 7}) {
    EXPECT_EQ(testing::Decide(spec, stream_, chunk, &source_), whole);
  }
}

TEST_P(PluginTriggers, ContinueFromWhatWasSealedAtEachDecision) {
  const TriggerSpec spec = MustSubmit(Mistakes());
  const std::vector<Decision> whole = testing::Decide(spec, stream_, 1000, &source_);
  const auto killed = [&](Decider& decider) {
    decider = testing::Make(spec, decider.Seal(), &source_);
  };
  EXPECT_EQ(Drive(testing::Make(spec, "", &source_), stream_, 0, 1000, killed), whole);
}

TEST_P(PluginTriggers, DecideTheSameWhenTheirProcessesAreKilled) {
  const TriggerSpec spec = MustSubmit(Mistakes());
  const std::vector<Decision> whole = testing::Decide(spec, stream_, 1000, &source_);
  size_t place = 0;
  // The outermost at one decision, the innermost at the next.
  const auto killed = [&](Decider&) {
    const std::vector<pid_t> processes = tests::Descendants();
    if (processes.empty()) return;
    kill(++place % 2 == 0 ? processes.front() : processes.back(), SIGKILL);
  };
  EXPECT_EQ(Drive(testing::Make(spec, "", &source_), stream_, 0, 1000, killed), whole);
  EXPECT_GT(place, 2U);
}

TEST_P(PluginTriggers, OfARunHaveOneProcess) {
  const TriggerSpec spec = MustSubmit(Mistakes());
  const std::vector<Decision> whole = testing::Decide(spec, stream_, 1000, &source_);
  const auto run = std::make_shared<plugin::RunHosts>();
  const auto made = [&](const std::string& sealed) {
    Decider decider = testing::Make(spec, sealed, &source_);
    decider.BelongTo(run);
    return decider;
  };
  const auto resumed = [&](Decider& decider) { decider = made(decider.Seal()); };
  EXPECT_EQ(Drive(made(""), stream_, 0, 1000, resumed), whole);
  ASSERT_GT(whole.size(), 3U);
  EXPECT_EQ(run->num_started(), 1);
  EXPECT_THAT(run->TakeDeaths(), IsEmpty());
}

TEST_P(PluginTriggers, OfARunReportAProcessThatDied) {
  const TriggerSpec spec = MustSubmit(Mistakes());
  const std::vector<Decision> whole = testing::Decide(spec, stream_, 1000, &source_);
  const auto run = std::make_shared<plugin::RunHosts>();
  const auto made = [&](const std::string& sealed) {
    Decider decider = testing::Make(spec, sealed, &source_);
    decider.BelongTo(run);
    return decider;
  };
  size_t num_killed = 0;
  const auto killed = [&](Decider& decider) {
    // The first decision does not ask the plug-in.
    if (tests::Descendants().empty()) return;
    // One that waits for its next use, too.
    if (++num_killed == 2) decider = made(decider.Seal());
    tests::KillDescendants();
  };
  EXPECT_EQ(Drive(made(""), stream_, 0, 1000, killed), whole);
  EXPECT_EQ(run->num_started(), static_cast<int64_t>(num_killed));
  const std::vector<plugin::HostDeath> deaths = run->TakeDeaths();
  ASSERT_EQ(deaths.size(), num_killed - 1);
  EXPECT_EQ(deaths[0].plugin, GetParam().mistakes);
}

TEST_P(PluginTriggers, ReadTheFilesThatThePipelineNamesInEachSandbox) {
  int num_working = 0;
  for (const char* const sandbox : {"bwrap", "landlock", "none"}) {
    setenv("TIDEMILL_PLUGIN_SANDBOX", sandbox, 1);
    const auto spec = tests::SubmittedPart<TriggerSpec>(
        fmt::format("{{type: plugin, use: '{}', files: [level.txt]}}", GetParam().level));
    if (!spec.ok() && spec.status().message().find("sandbox") != absl::string_view::npos) continue;
    ASSERT_THAT(spec, IsOk()) << sandbox;
    ++num_working;
    const std::vector<Decision> decided = testing::Decide(*spec, stream_, 1000, &source_);
    ASSERT_GT(decided.size(), 3U);
    EXPECT_EQ(decided[0].verdict.observed().at("level"), 0.25) << sandbox;
    EXPECT_TRUE(decided[0].fired);
  }
  unsetenv("TIDEMILL_PLUGIN_SANDBOX");
  EXPECT_GT(num_working, 1);
}

TEST_P(PluginTriggers, SayWhichFileThePipelineDoesNotName) {
  const auto spec = tests::SubmittedPart<TriggerSpec>(
      fmt::format("{{type: plugin, use: '{}'}}", GetParam().level));
  EXPECT_THAT(std::string(spec.status().message()),
              HasSubstr("the pipeline names no file 'level.txt'"));
  EXPECT_THAT(std::string(spec.status().message()), HasSubstr("write files: [level.txt]"));
}

TEST_P(PluginTriggers, FindARecordedAnswerAgain) {
  const TriggerSpec spec = MustSubmit(Mistakes());
  const std::vector<Decision> whole = testing::Decide(spec, stream_, 1000, &source_);
  for (const Decision& decision : whole) {
    EXPECT_TRUE(AreEqual(spec->Replay(decision.verdict), decision.verdict));
    EXPECT_FALSE(spec->Explain(decision.verdict).empty());
  }
}

TEST_P(PluginTriggers, SayWhatTheyLookAt) {
  const TriggerSpec spec = MustSubmit(Mistakes());
  EXPECT_TRUE(spec->Needs().model_answers);
  EXPECT_EQ(config::Print(MustSubmit(config::Print(spec))), config::Print(spec));
}

TEST_P(PluginTriggers, RefuseASettingThatTheyDoNotHave) {
  const auto spec = tests::SubmittedPart<TriggerSpec>(
      fmt::format("{{type: plugin, use: '{}', with: {{att: 0.7}}}}", GetParam().mistakes));
  EXPECT_THAT(std::string(spec.status().message()), HasSubstr("did you mean 'at'?"));
  const auto other = tests::SubmittedPart<TriggerSpec>(
      fmt::format("{{type: plugin, use: '{}x'}}", GetParam().mistakes));
  EXPECT_THAT(std::string(other.status().message()), HasSubstr("Mistakes"));
}

TEST_P(PluginTriggers, ThatFailEndTheRunOrAnswerAsThePipelineSays) {
  const TriggerSpec fails =
      MustSubmit(fmt::format("{{type: plugin, use: '{}'}}", GetParam().faulty));
  Decider decider = testing::Make(fails, "", &source_);
  Samples ahead = stream_.View();
  ASSERT_THAT(decider.Next(ahead), IsOk());
  ASSERT_THAT(decider.Next(ahead), IsOk());
  const auto failed = decider.Next(ahead);
  EXPECT_THAT(std::string(failed.status().message()), HasSubstr("thrown on purpose"));
  EXPECT_THAT(std::string(failed.status().message()), HasSubstr(GetParam().faulty));

  const std::vector<Decision> fired = DecideFaulty("throw", "fire");
  ASSERT_GT(fired.size(), 3U);
  EXPECT_TRUE(fired[2].fired);
  EXPECT_THAT(fired[2].verdict.fault().what(), HasSubstr("thrown on purpose"));
}

TEST_P(PluginTriggers, ThatFailSayWhatAndWhereAndTheNextDecisionIsMade) {
  EXPECT_THAT(FaultOf("throw"), HasSubstr("thrown on purpose"));
  EXPECT_THAT(FaultOf("exit"), HasSubstr("exited with code 3"));
  EXPECT_THAT(FaultOf("crash"), HasSubstr("signal 11"));
  EXPECT_THAT(FaultOf("poke_input"), HasSubstr("signal 11"));
  EXPECT_THAT(FaultOf("loop", ", timeout: 500ms"), HasSubstr("took longer than 500ms"));
  // Shared objects do not tell where they are.
  if (std::string_view(GetParam().faulty).find(".py") != std::string_view::npos) {
    EXPECT_THAT(traceback_, HasSubstr("in loop"));
  }
  EXPECT_THAT(FaultOf("not_finite"), HasSubstr("decisions"));
}

TEST_P(PluginTriggers, GetNoMoreMemoryThanThePipelineSays) {
  EXPECT_THAT(FaultOf("memory", ", memory: 512MiB"),
              ::testing::AnyOf(HasSubstr("emory"), HasSubstr("bad_alloc")));
}

TEST_P(PluginTriggers, StartNothingAndReachNothing) {
  const auto refused = ::testing::AnyOf(HasSubstr("may not"), HasSubstr("not permitted"));
  EXPECT_THAT(FaultOf("fork"), refused);
  EXPECT_THAT(FaultOf("connect"), refused);
  EXPECT_THAT(FaultOf("kill_parent"), refused);
  EXPECT_THAT(FaultOf("read_file"), HasSubstr("No such file"));
  EXPECT_NE(FaultOf("write_file"), "no fault");
  EXPECT_FALSE(std::filesystem::exists("/tmp/of_a_plugin"));
}

TEST_P(PluginTriggers, MayPrintAGigabyte) { EXPECT_EQ(FaultOf("print_much"), "no fault"); }

TEST(Examples, KeepWhatIsPromisedOfEveryPolicy) {
  for (const char* const use :
       {"holidays.py:Holidays", "libholidays.so:Holidays", "expected_loss.py:ExpectedLoss"}) {
    const TriggerSpec spec = MustSubmit(fmt::format("{{type: plugin, use: '{}'}}", use));
    const auto trial = trials::TryTrigger(spec, 3000, {60'000'000});
    ASSERT_THAT(trial, IsOk()) << use;
    for (const trials::Promise& promise : trial->promises) {
      EXPECT_TRUE(promise.is_kept) << use << " " << promise.text << ": " << promise.detail;
    }
    EXPECT_GT(trial->num_fired, 0) << use;
  }
}

TEST(Examples, DecideTheSameInBothLanguages) {
  const Stream stream = ManySamples(3000, 60'000'000);
  DriftingEvidence source(stream);
  const auto decide = [&](const char* use) {
    std::vector<std::string> decided;
    for (const Decision& decision : testing::Decide(
             MustSubmit(fmt::format("{{type: plugin, use: '{}'}}", use)), stream, 1000, &source)) {
      decided.push_back(fmt::format("{} {} {}", decision.at.event_time.micros, decision.fired,
                                    decision.verdict.ShortDebugString()));
    }
    return decided;
  };
  const std::vector<std::string> decided = decide("holidays.py:Holidays");
  EXPECT_GT(decided.size(), 10U);
  EXPECT_EQ(decide("libholidays.so:Holidays"), decided);
}

// One that speaks in the place of its host says what it likes, and its owner continues.
TEST(PythonTriggers, ThatAnswerNonsenseAreFaults) {
  const Stream stream = ManySamples(500);
  DriftingEvidence source(stream);
  for (const char* const how : {"nonsense", "nested", "cut_off", "zero_byte", "leave"}) {
    const TriggerSpec spec = MustSubmit(fmt::format(
        "{{type: plugin, use: 'faulty.py:Faulty', with: {{how: {}}}, on_fault: skip}}", how));
    const std::vector<Decision> decisions = testing::Decide(spec, stream, 1000, &source);
    ASSERT_GT(decisions.size(), 3U) << how;
    ASSERT_TRUE(decisions[2].verdict.has_fault()) << how;
    EXPECT_TRUE(IsPrintable(decisions[2].verdict.fault().what())) << how;
    EXPECT_THAT(decisions[2].verdict.fault().what(), HasSubstr("faulty.py:Faulty")) << how;
  }
  EXPECT_THAT(tests::Descendants(), IsEmpty());
}

// Descriptors of an owner may have any numbers.
TEST(PythonTriggers, StartInAProcessWithManyFilesOpen) {
  std::vector<Descriptor> open_files;
  while (open_files.empty() || open_files.back().number() < 110) {
    open_files.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(open_files.back().is_open());
    if (open_files.back().number() >= 92) {
      EXPECT_THAT(
          tests::SubmittedPart<TriggerSpec>("{type: plugin, use: 'libpolicies.so:Mistakes'}"),
          IsOk());
    }
  }
}

TEST(PythonTriggers, TellTheLineThatFailed) {
  const Stream stream = ManySamples(400);
  DriftingEvidence source(stream);
  const TriggerSpec spec = MustSubmit(
      "{type: plugin, use: 'faulty.py:Faulty', with: {how: write_input}, on_fault: skip}");
  const std::vector<Decision> decisions = testing::Decide(spec, stream, 1000, &source);
  ASSERT_GT(decisions.size(), 2U);
  ASSERT_TRUE(decisions[2].verdict.has_fault());
  EXPECT_THAT(decisions[2].verdict.fault().what(), HasSubstr("faulty.py:"));
  EXPECT_THAT(decisions[2].verdict.fault().what(), HasSubstr("read-only"));
  EXPECT_THAT(decisions[2].verdict.fault().traceback(), HasSubstr("evidence[\"labels\"][0] = 7"));
}

}  // namespace
}  // namespace tidemill::supervisor
