// What every engine keeps, whatever starts its processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_folder.h"
#include "config/config.h"
#include "engine/backend.h"

namespace tidemill::engine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using ::testing::Not;
using testing::StatusIs;

using Numbers = std::vector<int64_t>;

// An engine that is to be tested: what its settings are, once its surroundings are there.
struct Tested {
  std::string name;
  // Returns YAML of the settings. `folder` is empty and may be filled.
  std::function<std::string(const std::string& folder)> settings;
};

void PrintTo(const Tested& tested, std::ostream* out) { *out << tested.name; }

// A program that keeps what it has started as files with process ids.
std::string UsersProgram(const std::string& folder) {
  const std::string path = files::Join(folder, "my-engine");
  const std::string script = R"py(#!/usr/bin/env python3
import json, os, signal, subprocess, sys
verb, stack, group = sys.argv[1:4]
folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), stack + "." + group)
os.makedirs(folder, exist_ok=True)

def runs(number):
    try:
        pid = int(open(os.path.join(folder, number)).read())
        return pid if open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] != "Z" else None
    except (FileNotFoundError, ProcessLookupError):
        return None

if verb == "list":
    print(json.dumps([{"number": int(n), "phase": "running", "id": str(runs(n)), "host": "here"}
                      for n in os.listdir(folder) if runs(n)]))
elif verb == "start" and not runs(sys.argv[4]):
    what = json.load(sys.stdin)
    child = subprocess.Popen(what["command"], env={**os.environ, **what["variables"]},
                             start_new_session=True, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    open(os.path.join(folder, sys.argv[4]), "w").write(str(child.pid))
elif verb == "end" and runs(sys.argv[4]):
    os.kill(runs(sys.argv[4]), signal.SIGTERM)
)py";
  EXPECT_THAT(files::WriteAtomically(path, script), IsOk());
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

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
    {"Kubernetes",
     [](const std::string& folder) {
       return "{type: kubernetes, job: " + JobTemplate(folder) + ", kubectl: " + Kubectl(folder) +
              "}";
     }},
};

class EngineSuite : public ::testing::TestWithParam<Tested> {
 protected:
  void SetUp() override {
    const auto spec = config::Read<BackendSpec>(GetParam().settings(folder_.path()), "engine.yaml");
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
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (Running(group) != numbers || List(group).size() != numbers.size()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return true;
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
    for (int i = 0; i < 1200 && Members().size() < bytes; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return Members().size() >= bytes;
  }

  testing::TempFolder folder_;
  Group group_ = GroupNamed("workers");
  Group other_ = GroupNamed("trainers");
  std::unique_ptr<Engine> engine_;
};

INSTANTIATE_TEST_SUITE_P(Engines, EngineSuite, ::testing::ValuesIn(kTested),
                         [](const auto& each) { return each.param.name; });

TEST_P(EngineSuite, StartsTheNumbersThatItIsToldAndListsThem) {
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

TEST_P(EngineSuite, NoticesAProcessThatEndsByItself) {
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
  for (int i = 0; i < 600 && ended.empty(); ++i) {
    ended = (*engine)->TakeEnded(group);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
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
  EXPECT_THAT(list("echo hello"), StatusIs(unavailable, HasSubstr("no JSON list: 'hello")));
  EXPECT_THAT(list(R"(echo '[{"phase": "running"}]')"),
              StatusIs(unavailable, HasSubstr("no whole number `number`")));
  EXPECT_THAT(list(R"(echo '[{"number": 1, "phase": "up"}]')"),
              StatusIs(unavailable, HasSubstr("write waiting, running or ending")));
}

}  // namespace
}  // namespace tidemill::engine
