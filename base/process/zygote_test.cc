#include "base/process/zygote.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/usage/account.h"

namespace tidemill::process {
namespace {

std::string Program() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  const std::string self(path, static_cast<size_t>(size));
  return self.substr(0, self.rfind('/')) + "/process_test_job";
}

std::unique_ptr<Zygote> StartZygote() {
  auto zygote = Zygote::Start(Program());
  EXPECT_TRUE(zygote.ok()) << zygote.status().ToString();
  return *std::move(zygote);
}

std::unique_ptr<Job> Spawn(Zygote& zygote, const std::vector<std::string>& arguments,
                           SpawnMode mode = SpawnMode::kFork) {
  auto job = zygote.Spawn(arguments, mode);
  EXPECT_TRUE(job.ok()) << job.status().ToString();
  return *std::move(job);
}

// Waits for the end of a process that is not a child of this one.
bool Ends(pid_t pid) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) return true;
  pollfd polled{fd, POLLIN, 0};
  const bool ended = poll(&polled, 1, 20'000) == 1;
  close(fd);
  return ended;
}

// Runs a job that works for 30 ms. Returns how it ended, and what the account of its caller has.
std::pair<JobExit, int64_t> Measure(Zygote& zygote, SpawnMode mode, bool kills) {
  const auto account = std::make_shared<usage::Account>();
  const usage::Scope scope(account);
  const auto job = Spawn(zygote, {"work", "30", kills ? "hang" : "end"}, mode);
  job->ReadLine();  // Its process id.
  EXPECT_EQ(job->ReadLine(), "done");
  if (kills) job->Kill();
  const JobExit exit = job->Wait();
  EXPECT_EQ(job->Wait().processor_nanos, exit.processor_nanos);
  return {exit, account->Total().job_nanos};
}

TEST(Zygote, TellsTheTimeOfAJobHoweverItEnds) {
  const auto zygote = StartZygote();
  for (const SpawnMode mode : {SpawnMode::kFork, SpawnMode::kExecute}) {
    for (const bool kills : {false, true}) {
      const auto [exit, counted] = Measure(*zygote, mode, kills);
      EXPECT_EQ(exit.signal.has_value(), kills);
      EXPECT_GE(exit.processor_nanos, 29'000'000) << "the kernel counts in microseconds";
      EXPECT_EQ(counted, exit.processor_nanos) << "once, although it was waited for twice";
    }
  }
}

TEST(Zygote, DefaultsHoldWhereTheEnvironmentSaysNothing) {
  setenv("TIDEMILL_SAID", "by the environment", /*overwrite=*/1);
  const auto zygote =
      Zygote::Start(Program(), {"TIDEMILL_SAID=by default", "TIDEMILL_UNSAID=by default"});
  unsetenv("TIDEMILL_SAID");
  ASSERT_TRUE(zygote.ok()) << zygote.status().ToString();
  const auto value_of = [&](const std::string& name) {
    const auto job = Spawn(**zygote, {"variable", name});
    job->ReadLine();  // Its process id.
    return job->ReadLine().value_or("none");
  };
  EXPECT_EQ(value_of("TIDEMILL_SAID"), "by the environment");
  EXPECT_EQ(value_of("TIDEMILL_UNSAID"), "by default");
  EXPECT_EQ(value_of("TIDEMILL_NEITHER"), "absent");
}

TEST(Zygote, HundredJobsEachReportTheirOwnArguments) {
  const auto zygote = StartZygote();
  std::vector<std::unique_ptr<Job>> jobs;
  for (int i = 0; i < 100; ++i) jobs.push_back(Spawn(*zygote, {"echo", std::to_string(i), ""}));
  std::set<std::string> pids;
  for (int i = 0; i < 100; ++i) {
    pids.insert(jobs[i]->ReadLine().value_or("none"));
    EXPECT_EQ(jobs[i]->ReadLine(), std::to_string(i));
    EXPECT_EQ(jobs[i]->ReadLine(), "");
    EXPECT_EQ(jobs[i]->ReadLine(), std::nullopt);
    EXPECT_TRUE(jobs[i]->Wait().ok());
  }
  EXPECT_EQ(pids.size(), 100u);
}

TEST(Zygote, AJobThatReturnsACodeIsToldApartFromOneThatDies) {
  const auto zygote = StartZygote();
  EXPECT_EQ(Spawn(*zygote, {"exit", "3"})->Wait().code, 3);
  EXPECT_EQ(Spawn(*zygote, {"abort"})->Wait().signal, SIGSEGV);
}

TEST(Zygote, RunHandsOverEachLineAndReturnsHowTheJobEnded) {
  const auto zygote = StartZygote();
  std::vector<std::string> lines;
  const auto take = [&](const std::string& line) {
    lines.push_back(line);
    return absl::OkStatus();
  };
  const auto exit = zygote->Run({"echo", "one", "two"}, SpawnMode::kFork, take, {});
  ASSERT_TRUE(exit.ok()) << exit.status().ToString();
  EXPECT_TRUE(exit->ok());
  ASSERT_EQ(lines.size(), 3u);  // Its process id is the first.
  EXPECT_EQ(lines[1], "one");
  EXPECT_EQ(lines[2], "two");
  EXPECT_EQ(zygote->Run({"exit", "3"}, SpawnMode::kFork, take, {})->code, 3);
}

TEST(Zygote, RunKillsAJobWhoseReportsAreRefusedOrThatIsStopped) {
  const auto zygote = StartZygote();
  const auto refused =
      zygote->Run({"hang"}, SpawnMode::kFork,
                  [](const std::string&) { return absl::DataLossError("not a report"); }, {});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kDataLoss);
  std::stop_source stop;
  pid_t pid = 0;
  const auto stopped = zygote->Run(
      {"hang"}, SpawnMode::kFork,
      [&](const std::string& line) {
        pid = std::stoi(line);
        stop.request_stop();
        return absl::OkStatus();
      },
      stop.get_token());
  EXPECT_EQ(stopped.status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(Ends(pid));
  const auto never = zygote->Run(
      {"hang"}, SpawnMode::kFork, [](const std::string&) { return absl::OkStatus(); },
      stop.get_token());
  EXPECT_EQ(never.status().code(), absl::StatusCode::kCancelled) << "it was stopped before";
}

TEST(Zygote, AJobThatIsStoppedMayFinishWithinItsGrace) {
  for (const auto& [what, grace, finishes] :
       {std::tuple("finish", 60'000, true), std::tuple("finish", 0, false),
        std::tuple("hang", 60'000, false)}) {
    const auto zygote = StartZygote();
    zygote->SetGrace(std::chrono::milliseconds(grace));
    std::stop_source stop;
    std::vector<std::string> lines;
    const auto sink = [&](const std::string& line) {
      lines.push_back(line);
      if (line == "begun" || std::string(what) == "hang") stop.request_stop();
      return absl::OkStatus();
    };
    const auto exit = zygote->Run({what}, SpawnMode::kFork, sink, stop.get_token());
    EXPECT_EQ(exit.status().code(), absl::StatusCode::kCancelled);
    EXPECT_EQ(lines.back() == "finished", finishes) << what << " within " << grace << " ms";
  }
}

TEST(Zygote, AJobThatDoesNotFinishIsKilledAfterItsGrace) {
  const auto zygote = StartZygote();
  zygote->SetGrace(std::chrono::milliseconds(20));
  std::stop_source stop;
  const auto sink = [&](const std::string&) {
    stop.request_stop();
    return absl::OkStatus();
  };
  EXPECT_EQ(zygote->Run({"ignore"}, SpawnMode::kFork, sink, stop.get_token()).status().code(),
            absl::StatusCode::kCancelled);
}

TEST(Zygote, AKilledJobIsReportedAndTheOthersContinue) {
  const auto zygote = StartZygote();
  const auto hanging = Spawn(*zygote, {"hang"});
  const auto other = Spawn(*zygote, {"hang"});
  hanging->Kill();
  EXPECT_EQ(hanging->Wait().signal, SIGKILL);
  const pid_t pid = std::stoi(other->ReadLine().value_or("0"));
  EXPECT_EQ(kill(pid, 0), 0);
  EXPECT_EQ(Spawn(*zygote, {"exit", "0"})->Wait().code, 0);
}

TEST(Zygote, AnExecutedJobRunsTheSameProgram) {
  const auto zygote = StartZygote();
  const auto job = Spawn(*zygote, {"echo", "fresh"}, SpawnMode::kExecute);
  EXPECT_TRUE(job->ReadLine().has_value());
  EXPECT_EQ(job->ReadLine(), "fresh");
  EXPECT_TRUE(job->Wait().ok());
}

TEST(Zygote, ADeadZygoteTakesItsJobsAlongAndIsStartedAgain) {
  const auto zygote = StartZygote();
  const auto job = Spawn(*zygote, {"hang"});
  const pid_t pid = std::stoi(job->ReadLine().value_or("0"));
  kill(zygote->pid(), SIGKILL);
  EXPECT_THAT(job->Wait().Describe(), ::testing::HasSubstr("lost"));
  EXPECT_TRUE(Ends(pid));
  EXPECT_EQ(Spawn(*zygote, {"exit", "0"})->Wait().code, 0);
}

TEST(Zygote, JobsEndWithTheServerHoweverItEnds) {
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  const pid_t server = fork();
  if (server == 0) {
    const auto zygote = StartZygote();
    const auto job = Spawn(*zygote, {"hang"});
    const std::string line = job->ReadLine().value_or("") + '\n';
    const bool written = write(fds[1], line.data(), line.size()) > 0;
    if (!written) _exit(1);
    for (;;) pause();
  }
  char line[32] = {};
  ASSERT_GT(read(fds[0], line, sizeof(line) - 1), 0);
  kill(server, SIGKILL);
  waitpid(server, nullptr, 0);
  EXPECT_TRUE(Ends(std::stoi(line)));
  close(fds[0]);
  close(fds[1]);
}

TEST(Zygote, TheFirstJobExecutesTheProgramAndTheNextOnesForkIt) {
  const auto zygote = StartZygote();
  EXPECT_EQ(zygote->pid(), 0);
  EXPECT_EQ(Spawn(*zygote, {"exit", "0"})->Wait().code, 0);
  const pid_t pid = zygote->pid();
  EXPECT_NE(pid, 0);
  EXPECT_EQ(Spawn(*zygote, {"exit", "0"})->Wait().code, 0);
  EXPECT_EQ(zygote->pid(), pid);
}

TEST(Zygote, AMissingProgramIsNamed) {
  const auto zygote = Zygote::Start("/nonexistent/program");
  EXPECT_EQ(zygote.status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace tidemill::process
