// What every engine keeps, whatever starts its processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <functional>

#include "base/files.h"
#include "base/testing/becomes.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_folder.h"
#include "base/testing/tree.h"
#include "config/config.h"
#include "engine/backend.h"
#include "engine/backends/testing/slurm_cluster.h"

namespace tidemill::engine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::IsOkAndHolds;
using ::testing::Not;
using testing::SlurmCluster;
using testing::StatusIs;

using Numbers = std::vector<int64_t>;

// An engine under test: its settings, once its surroundings are there.
struct Tested {
  std::string name;
  // Returns YAML of the settings; nothing when this machine lacks what it needs. `folder` is empty
  // and may be filled.
  std::function<std::string(const std::string& folder)> settings;
};

void PrintTo(const Tested& tested, std::ostream* out) { *out << tested.name; }

// The program of deploy/, which keeps its files in `folder`.
std::string UsersProgram(const std::string& folder) {
  setenv("PROCESS_ENGINE_FOLDER", folder.c_str(), /*overwrite=*/1);
  return testing::InTree("deploy/process_engine.py");
}

constexpr char kSlurm[] = "{type: slurm, partition: cpu, refresh: 0s}";

// A stand-in for kubectl and a cluster, which keeps a file for each Job. The process is the pod.
std::string Kubectl(const std::string& folder) {
  const std::string path = files::Join(folder, "kubectl");
  const std::string script = R"py(#!/usr/bin/env python3
import json, os, signal, subprocess, sys
folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cluster")
os.makedirs(folder, exist_ok=True)
words = sys.argv[1:]

def runs(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False

def things(job):
    state = "True" if not runs(job["pid"]) else "False"
    yield {**job, "kind": "Job", "status": {"conditions": [{"type": "Complete", "status": state}]}}
    yield {"kind": "Pod", "metadata": {**job["metadata"], "name": job["metadata"]["name"] + "-x7x2f"},
           "spec": {"nodeName": "node-1"}, "status": {"phase": "Running"}}

def jobs():
    for name in os.listdir(folder):
        with open(os.path.join(folder, name)) as file:
            yield json.load(file)

if words[0] == "get":
    labels = dict(pair.split("=") for pair in words[3].split(","))
    print(json.dumps({"kind": "List", "items": [thing for job in jobs()
        if labels.items() <= job["metadata"]["labels"].items() for thing in things(job)]}))
elif words[0] == "apply":
    for text in filter(str.strip, sys.stdin.read().split("---\n")):
        job = json.loads(text)
        if os.path.exists(os.path.join(folder, job["metadata"]["name"])):
            continue
        job["pid"] = subprocess.Popen(job["command"], env={**os.environ, "TIDEMILL_MEMBER": job["member"]},
            start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL).pid
        with open(os.path.join(folder, job["metadata"]["name"]), "w") as file:
            json.dump(job, file)
elif words[0] == "delete" and os.path.exists(os.path.join(folder, words[2])):
    with open(os.path.join(folder, words[2])) as file:
        pid = json.load(file)["pid"]
    if runs(pid):
        os.kill(pid, signal.SIGTERM)
    os.remove(os.path.join(folder, words[2]))
)py";
  EXPECT_THAT(files::WriteAtomically(path, script), IsOk());
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

// JSON is YAML, too.
std::string JobTemplate(const std::string& folder) {
  const std::string path = files::Join(folder, "job.yaml");
  const std::string job = R"({"metadata": {"name": "$NAME", "labels": {
      # A comment, and lines whose values are not given.
      "kueue.x-k8s.io/queue-name": "$QUEUE",
      "tidemill/stack": "$STACK", "tidemill/group": "$GROUP", "tidemill/number": "$NUMBER"}},
    "command": $COMMAND, "member": "$MEMBER"})";
  EXPECT_THAT(files::WriteAtomically(path, job), IsOk());
  return path;
}

const Tested kTested[] = {
    {"Local", [](const std::string&) { return "local"; }},
    {"Command",
     [](const std::string& folder) {
       return "{type: command, program: " + UsersProgram(folder) + "}";
     }},
    {"Slurm",
     [](const std::string&) { return SlurmCluster::OfThisProgram() == nullptr ? "" : kSlurm; }},
    {"Kubernetes",
     [](const std::string& folder) {
       return "{type: kubernetes, job: " + JobTemplate(folder) + ", kubectl: " + Kubectl(folder) +
              "}";
     }},
};

class EngineSuite : public ::testing::TestWithParam<Tested> {
 protected:
  void SetUp() override {
    const std::string settings = GetParam().settings(folder_.path());
    if (settings.empty()) return testing::SkipWithoutSlurm();
    const auto spec = config::Read<BackendSpec>(settings, "engine.yaml");
    ASSERT_THAT(spec, IsOk());
    auto engine = (*spec)->Open({.name = "suite", .folder = folder_.path()});
    ASSERT_THAT(engine, IsOk());
    engine_ = *std::move(engine);
  }
  void TearDown() override {
    if (engine_ == nullptr) return;
    for (const Group& group : {group_, other_}) {
      for (const Started& process : List(group)) {
        EXPECT_THAT(engine_->End(group, process), IsOk());
      }
      EXPECT_TRUE(Becomes(group, {}));
    }
  }

  std::vector<Started> List(const Group& group) {
    auto started = engine_->List(group);
    EXPECT_THAT(started, IsOk());
    return started.ok() ? *std::move(started) : std::vector<Started>();
  }
  Numbers Running(const Group& group) {
    Numbers numbers;
    for (const Started& process : List(group)) {
      if (process.phase == Phase::kRunning) numbers.push_back(process.number);
    }
    return numbers;
  }
  // Whether those with the numbers run, and no others are there, before long.
  bool Becomes(const Group& group, const Numbers& numbers) {
    return testing::Becomes(
        [&] { return Running(group) == numbers && List(group).size() == numbers.size(); });
  }
  absl::Status Start(const Group& group, const Numbers& numbers) {
    return engine_->Start(group, numbers);
  }

  // Writes the name that it was given, and then waits to be ended.
  Group GroupNamed(const std::string& name) const {
    return {.name = name,
            .command = {"sh", "-c",
                        "echo $TIDEMILL_MEMBER >> " + files::Join(folder_.path(), "members") +
                            "; exec sleep 600"}};
  }
  // The names that processes were given, one a start.
  std::string Members() const {
    return files::Read(files::Join(folder_.path(), "members")).value_or("");
  }
  bool AwaitMembers(size_t bytes) const {
    return testing::Becomes([&] { return Members().size() >= bytes; });
  }

  testing::TempFolder folder_;
  Group group_ = GroupNamed("workers");
  Group other_ = GroupNamed("trainers");
  std::unique_ptr<Engine> engine_;
};

INSTANTIATE_TEST_SUITE_P(Engines, EngineSuite, ::testing::ValuesIn(kTested),
                         [](const auto& each) { return each.param.name; });

TEST_P(EngineSuite, StartsTheGivenNumbersAndListsThem) {
  ASSERT_THAT(Start(group_, {1, 3}), IsOk());
  EXPECT_TRUE(Becomes(group_, {1, 3}));
  for (const Started& process : List(group_)) EXPECT_THAT(process.id, Not(IsEmpty()));
  ASSERT_TRUE(AwaitMembers(20));
  EXPECT_THAT(Members(), AllOf(HasSubstr("workers/1\n"), HasSubstr("workers/3\n")));
}

TEST_P(EngineSuite, StartsNothingTwice) {
  ASSERT_THAT(Start(group_, {1}), IsOk());
  ASSERT_THAT(Start(group_, {1, 2}), IsOk());
  EXPECT_TRUE(Becomes(group_, {1, 2}));
  ASSERT_THAT(Start(group_, {1, 2}), IsOk());
  EXPECT_TRUE(Becomes(group_, {1, 2}));
  ASSERT_TRUE(AwaitMembers(20));
  EXPECT_EQ(Members().size(), 20);
}

TEST_P(EngineSuite, EndsOneAndLeavesTheOthers) {
  ASSERT_THAT(Start(group_, {1, 2, 3}), IsOk());
  ASSERT_TRUE(Becomes(group_, {1, 2, 3}));
  const Started second = List(group_)[1];
  EXPECT_THAT(engine_->End(group_, second), IsOk());
  EXPECT_TRUE(Becomes(group_, {1, 3}));
  EXPECT_THAT(engine_->End(group_, second), IsOk());
  EXPECT_TRUE(Becomes(group_, {1, 3}));
}

TEST_P(EngineSuite, StartsANumberAgainAfterItHasEnded) {
  ASSERT_THAT(Start(group_, {1}), IsOk());
  ASSERT_TRUE(Becomes(group_, {1}));
  ASSERT_THAT(engine_->End(group_, List(group_)[0]), IsOk());
  ASSERT_TRUE(Becomes(group_, {}));
  ASSERT_THAT(Start(group_, {1}), IsOk());
  EXPECT_TRUE(Becomes(group_, {1}));
}

TEST_P(EngineSuite, KeepsGroupsApart) {
  ASSERT_THAT(Start(group_, {1, 2}), IsOk());
  ASSERT_THAT(Start(other_, {1}), IsOk());
  EXPECT_TRUE(Becomes(group_, {1, 2}));
  EXPECT_TRUE(Becomes(other_, {1}));
}

TEST_P(EngineSuite, NoticesAProcessThatHasEnded) {
  group_.command = {"sh", "-c", "exit 3"};
  ASSERT_THAT(Start(group_, {1}), IsOk());
  EXPECT_TRUE(Becomes(group_, {}));
}

TEST(LocalEngine, SaysHowAProcessEnded) {
  const testing::TempFolder folder;
  const auto spec = config::Read<BackendSpec>("local", "engine.yaml");
  auto engine = (*spec)->Open({.name = "suite", .folder = folder.path()});
  const Group group{.name = "workers", .command = {"sh", "-c", "exit 3"}};
  const Numbers numbers = {7};
  ASSERT_THAT((*engine)->Start(group, numbers), IsOk());
  std::vector<Ended> ended;
  EXPECT_TRUE(testing::Becomes([&] {
    ended = (*engine)->TakeEnded(group);
    return !ended.empty();
  }));
  EXPECT_THAT(ended,
              ElementsAre(AllOf(Field(&Ended::number, 7), Field(&Ended::how, "exit code 3"))));
  EXPECT_THAT((*engine)->TakeEnded(group), IsEmpty());
}

TEST(CommandEngine, SaysWhatTheProgramGotWrong) {
  const testing::TempFolder folder;
  const auto list = [&](const std::string& script) {
    const std::string path = files::Join(folder.path(), "program");
    EXPECT_THAT(files::WriteAtomically(path, "#!/bin/sh\n" + script), IsOk());
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    const auto spec =
        config::Read<BackendSpec>("{type: command, program: " + path + "}", "engine.yaml");
    return (*(*spec)->Open({.name = "s", .folder = folder.path()}))
        ->List({.name = "g", .command = {}})
        .status();
  };
  const auto unavailable = absl::StatusCode::kUnavailable;
  EXPECT_THAT(list("echo no route to cloud >&2; exit 4"),
              StatusIs(unavailable, HasSubstr("ended with code 4: no route to cloud")));
  EXPECT_THAT(list("echo hello"), StatusIs(unavailable, HasSubstr("not a JSON list: 'hello")));
  EXPECT_THAT(list(R"(echo '[{"phase": "running"}]')"),
              StatusIs(unavailable, HasSubstr("no whole number `number`")));
  EXPECT_THAT(list(R"(echo '[{"number": 1, "phase": "up"}]')"),
              StatusIs(unavailable, HasSubstr("write waiting, running or ending")));
}

class SlurmEngine : public ::testing::Test {
 protected:
  void SetUp() override {
    cluster_ = SlurmCluster::OfThisProgram();
    if (cluster_ == nullptr) return testing::SkipWithoutSlurm();
    engine_ = Open();
  }
  std::unique_ptr<Engine> Open() const {
    const auto spec = config::Read<BackendSpec>(kSlurm, "engine.yaml");
    auto engine = (*spec)->Open({.name = "slurm-test", .folder = folder_.path()});
    EXPECT_THAT(engine, IsOk());
    return *std::move(engine);
  }
  // Waits until the first process is as `wanted` says.
  Started Await(const Group& group, const std::function<bool(const Started&)>& wanted) {
    Started first;
    EXPECT_TRUE(testing::Becomes([&] {
      const auto seen = engine_->List(group).value_or(std::vector<Started>());
      if (!seen.empty()) first = seen[0];
      return !seen.empty() && wanted(first);
    })) << first.id
        << " " << first.reason;
    return first;
  }
  std::vector<Ended> AwaitEnded(const Group& group) {
    std::vector<Ended> ended;
    EXPECT_TRUE(testing::Becomes([&] {
      EXPECT_THAT(engine_->List(group), IsOk());
      ended = engine_->TakeEnded(group);
      return !ended.empty();
    }));
    return ended;
  }

  testing::TempFolder folder_;
  SlurmCluster* cluster_ = nullptr;
  std::unique_ptr<Engine> engine_;
};

bool Runs(const Started& process) { return process.phase == Phase::kRunning; }

TEST_F(SlurmEngine, SaysHowAProcessEnded) {
  const Group group{.name = "failing", .command = {"sh", "-c", "echo 'one two'; exit 3"}};
  const Numbers numbers = {7};
  ASSERT_THAT(engine_->Start(group, numbers), IsOk());
  EXPECT_THAT(AwaitEnded(group),
              ElementsAre(AllOf(Field(&Ended::number, 7), Field(&Ended::how, "exit code 3"))));
  EXPECT_THAT(engine_->TakeEnded(group), IsEmpty());
  EXPECT_EQ(files::Read(files::Join(folder_.path(), "logs/failing_7.log")).value_or(""),
            "one two\n");
}

TEST_F(SlurmEngine, SaysWhyAProcessWaits) {
  Group group{.name = "large", .command = {"true"}, .resources = {.processors = 64}};
  const Numbers numbers = {1};
  ASSERT_THAT(engine_->Start(group, numbers), IsOk());
  const Started waiting =
      Await(group, [](const Started& process) { return process.reason == "PartitionConfig"; });
  EXPECT_EQ(waiting.phase, Phase::kWaiting);
  EXPECT_TRUE(waiting.since.has_value());
  EXPECT_THAT(engine_->End(group, waiting), IsOk());
  EXPECT_THAT(engine_->List(group), IsOkAndHolds(IsEmpty()));
}

TEST_F(SlurmEngine, AnEngineThatIsOpenedAgainFindsWhatTheFirstHasStarted) {
  const Group group{.name = "kept", .command = {"sleep", "600"}};
  const Numbers numbers = {1};
  ASSERT_THAT(engine_->Start(group, numbers), IsOk());
  const Started first = Await(group, Runs);
  engine_ = Open();
  ASSERT_THAT(engine_->Start(group, numbers), IsOk());
  EXPECT_EQ(Await(group, Runs).id, first.id);
  EXPECT_THAT(engine_->End(group, first), IsOk());
}

TEST_F(SlurmEngine, AProcessWhoseHostFailsRunsAgainElsewhere) {
  const Group group{.name = "moved", .command = {"sleep", "600"}};
  const Numbers numbers = {1};
  ASSERT_THAT(engine_->Start(group, numbers), IsOk());
  const Started first = Await(group, Runs);
  cluster_->Do("kill " + first.host);
  const Started second = Await(
      group, [&](const Started& process) { return Runs(process) && process.host != first.host; });
  EXPECT_EQ(second.id, first.id);
  cluster_->Do("start " + first.host);
  EXPECT_THAT(engine_->End(group, second), IsOk());
}

TEST_F(SlurmEngine, KnowsNothingWhileTheControllerIsAway) {
  const Group group{.name = "away", .command = {"sleep", "600"}};
  const Numbers numbers = {1};
  ASSERT_THAT(engine_->Start(group, numbers), IsOk());
  const Started first = Await(group, Runs);
  cluster_->Do("stop controller");
  const auto is_unavailable =
      StatusIs(absl::StatusCode::kUnavailable, HasSubstr("Unable to contact slurm controller"));
  EXPECT_THAT(engine_->List(group), is_unavailable);
  EXPECT_THAT(engine_->Start(group, numbers), is_unavailable);
  EXPECT_THAT(engine_->End(group, first), is_unavailable);
  cluster_->Do("start controller");
  EXPECT_EQ(Await(group, Runs).id, first.id);
  EXPECT_THAT(engine_->End(group, first), IsOk());
}

TEST_F(SlurmEngine, SaysWhatSbatchRefuses) {
  const auto spec = config::Read<BackendSpec>("{type: slurm, partition: none-such}", "engine.yaml");
  const auto engine = (*spec)->Open({.name = "slurm-test", .folder = folder_.path()});
  const Numbers numbers = {1};
  EXPECT_THAT((*engine)->Start({.name = "workers", .command = {"true"}}, numbers),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr("sbatch ended with code 1"), HasSubstr("none-such"))));
}

TEST(SlurmSettings, RefuseOptionsByWhichJobsAreFound) {
  const auto refused = [](const std::string& option) {
    return config::Read<BackendSpec>("{type: slurm, options: ['" + option + "']}", "e.yaml")
        .status();
  };
  EXPECT_THAT(refused("--account=vision"), IsOk());
  EXPECT_THAT(refused("--array=1-5"), StatusIs(absl::StatusCode::kInvalidArgument,
                                               HasSubstr("by which Tidemill finds its jobs")));
  EXPECT_THAT(refused("-p gpu"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("does not begin with --")));
}

}  // namespace
}  // namespace tidemill::engine
