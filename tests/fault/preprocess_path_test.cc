// Batches on their way from workers to consumers, with real processes, some of which are killed.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "preprocess/worker/job_opener.h"
#include "tests/prepared_set.h"

namespace tidemill::tests {
namespace {

using preprocess::JobSpec;
using preprocess::WorkerSource;
using preprocess::WorkerSourceOptions;
using ::tidemill::testing::IsOk;

constexpr int64_t kNumSamples = 20'000;
constexpr int kNumWorkers = 3;
constexpr char kWorkerProgram[] = "tidemill-preprocess-worker";
constexpr char kDispatcherProgram[] = "tidemill-preprocess";
// Workers take their time, so that there is something to kill, and splits are small.
constexpr char kSlow[] = "preprocess_worker.after_making=delay:4ms";
constexpr int64_t kBytesAhead = int64_t{256} << 10;

// How many random kills a test makes; `make nightly` asks for more.
int NumSeeds(const char* variable, int otherwise) {
  const char* const text = getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

std::vector<std::string> DescribeAll(const std::vector<loader::TrainingBatch>& batches) {
  std::vector<std::string> described;
  for (const loader::TrainingBatch& batch : batches) described.push_back(Describe(batch));
  return described;
}

class PreprocessPath : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    set_ = new PreparedSet(kNumSamples, kNumWorkers, {{"TIDEMILL_FAILPOINTS", kSlow}});
  }
  static void TearDownTestSuite() {
    delete set_;
    set_ = nullptr;
  }

  // Kills one of the processes of a program.
  static void KillOneOf(const char* program, std::mt19937& random) {
    std::vector<int> processes;
    // The one killed before may not be back yet.
    while (processes.empty()) processes = set_->stack().Processes(program);
    kill(processes[random() % processes.size()], SIGKILL);
  }

  // Reads a source to its end and kills one process of the program when `kill_at` batches have
  // come.
  static std::vector<std::string> ReadAndKill(WorkerSource& source, int64_t kill_at,
                                              const char* program, std::mt19937& random) {
    std::vector<std::string> batches;
    while (true) {
      if (std::ssize(batches) == kill_at) KillOneOf(program, random);
      const auto next = source.Next();
      EXPECT_THAT(next, IsOk()) << set_->stack().Logs();
      if (!next.ok() || !*next) return batches;
      batches.push_back(Describe(**next));
    }
  }

  static PreparedSet* set_;
};

PreparedSet* PreprocessPath::set_ = nullptr;

TEST_F(PreprocessPath, WorkersGiveTheBatchesThatThisProcessWouldMake) {
  const JobSpec job = set_->Job(64, 2);
  const std::vector<std::string> expected = DescribeAll(set_->Expected(job));
  for (const auto transport : {preprocess::Transport::kAuto, preprocess::Transport::kFrames}) {
    const auto source = set_->Consume(job, 0, 0, {.link = {.transport = transport}});
    EXPECT_EQ(ReadAll(*source), expected);
    EXPECT_EQ(source->counters().num_made_here, 0);
    EXPECT_GT(source->counters().links.size(), 1u) << "several workers took part";
  }
}

TEST_F(PreprocessPath, AKilledWorkerNeitherLosesNorRepeatsABatch) {
  const JobSpec job = set_->Job(32, 3);
  const std::vector<std::string> expected = DescribeAll(set_->Expected(job));
  for (int seed = 0; seed < NumSeeds("TIDEMILL_WORKER_KILLS", 4); ++seed) {
    std::mt19937 random(static_cast<uint32_t>(seed));
    const auto kill_at = static_cast<int64_t>(random() % expected.size());
    const auto source = set_->Consume(job, 0, 0, {.bytes_ahead = kBytesAhead});
    EXPECT_EQ(ReadAndKill(*source, kill_at, kWorkerProgram, random), expected)
        << "seed " << seed << ", killed at batch " << kill_at;
    EXPECT_EQ(source->counters().num_made_here, 0);
  }
}

TEST_F(PreprocessPath, AConsumerThatWaitsMakesBatchesToo) {
  const JobSpec job = set_->Job(32, 6);
  const std::vector<std::string> expected = DescribeAll(set_->Expected(job));
  const auto source = set_->Consume(job, 0, 0, {.bytes_ahead = kBytesAhead, .threads_here = 2});
  EXPECT_EQ(ReadAll(*source), expected);
  const preprocess::WorkerSourceCounters counters = source->counters();
  int64_t num_sent = 0;
  for (const auto& [worker, link] : counters.links) num_sent += link.num_batches;
  EXPECT_GT(counters.num_made_here, 0);
  EXPECT_GT(num_sent, 0);
  // A split that is issued again, for whatever reason, may be sent twice.
  EXPECT_GE(counters.num_made_here + num_sent, std::ssize(expected));
  EXPECT_LT(counters.num_made_here, std::ssize(expected));
  EXPECT_GT(source->work().busy_ns, source->work_here().busy_ns) << "workers worked, too";
}

TEST_F(PreprocessPath, AKilledWorkerIsNotNoticedByAConsumerThatHelps) {
  const JobSpec job = set_->Job(32, 3);
  const std::vector<std::string> expected = DescribeAll(set_->Expected(job));
  std::mt19937 random(3);
  const auto source = set_->Consume(job, 0, 0, {.bytes_ahead = kBytesAhead, .threads_here = 1});
  EXPECT_EQ(ReadAndKill(*source, 100, kWorkerProgram, random), expected);
}

TEST_F(PreprocessPath, AKilledDispatcherIsNotNoticedByTheConsumer) {
  const JobSpec job = set_->Job(32, 3);
  const std::vector<std::string> expected = DescribeAll(set_->Expected(job));
  for (int seed = 0; seed < NumSeeds("TIDEMILL_DISPATCHER_KILLS", 2); ++seed) {
    std::mt19937 random(static_cast<uint32_t>(seed));
    const auto kill_at = static_cast<int64_t>(random() % expected.size());
    const auto source = set_->Consume(job, 0, 0, {.bytes_ahead = kBytesAhead});
    EXPECT_EQ(ReadAndKill(*source, kill_at, kDispatcherProgram, random), expected)
        << "seed " << seed << ", killed at batch " << kill_at;
  }
}

TEST_F(PreprocessPath, AWorkerThatJoinsTakesPartAndOneThatIsAskedToLeaveLosesNothing) {
  const JobSpec job = set_->Job(32, 6);
  const std::vector<std::string> expected = DescribeAll(set_->Expected(job));
  const auto source = set_->Consume(job, 0, 0, {.bytes_ahead = kBytesAhead});
  std::vector<std::string> got;
  int joined = 0;
  bool took_part = false;
  while (true) {
    const auto next = source->Next();
    ASSERT_THAT(next, IsOk());
    if (!*next) break;
    got.push_back(Describe(**next));
    if (std::ssize(got) == 20) {
      joined = set_->StartWorker("joining");
      set_->AwaitRegistration("joining");  // Most of the job is still to be made then.
    }
    if (took_part || joined == 0) continue;
    const auto links = source->counters().links;
    took_part = std::ranges::any_of(links, [](const auto& link) {
      return link.first.find("joining") != std::string::npos && link.second.num_batches > 0;
    });
    if (took_part) kill(joined, SIGTERM);
  }
  EXPECT_TRUE(took_part);
  if (!took_part) kill(joined, SIGTERM);
  EXPECT_EQ(got, expected);
  EXPECT_EQ(source->counters().num_made_here, 0);
  EXPECT_EQ(set_->AwaitWorker(joined), 0) << "it left in peace";
}

TEST_F(PreprocessPath, ConsumersTogetherSeeTheSameGlobalBatchesHoweverManyTheyAre) {
  std::vector<std::vector<int64_t>> whole;
  for (const int64_t consumers : {1, 2, 3, 4}) {
    JobSpec job = set_->Job(48, 1);
    job.num_lanes = consumers;
    const std::string name = fmt::format("global/{}", consumers);
    std::vector<std::vector<int64_t>> batches;
    for (int64_t lane = 0; lane < consumers; ++lane) {
      const auto source = set_->Consume(job, lane, 0, {.job_name = name});
      batches.resize(static_cast<size_t>(source->num_batches()));
      while (const auto next = source->Next().value()) {
        const auto ordinals = next->rows.Find("ordinal")->Values<int64_t>();
        auto& batch = batches[static_cast<size_t>(next->index)];
        batch.insert(batch.end(), ordinals.begin(), ordinals.end());
      }
    }
    if (consumers == 1) whole = batches;
    EXPECT_EQ(batches, whole) << consumers << " consumers";
  }
}

TEST_F(PreprocessPath, ConsumersThatResumeInOtherNumbersSeeWhatWasLeft) {
  JobSpec job = set_->Job(48, 1);
  const std::vector<loader::TrainingBatch> whole = set_->Expected(job);
  const int64_t resumed_at = std::ssize(whole) / 3;
  job.num_lanes = 2;
  for (int64_t lane = 0; lane < 2; ++lane) {
    const auto source = set_->Consume(job, lane, resumed_at, {.job_name = "resumed"});
    for (int64_t number = resumed_at; number < std::ssize(whole); ++number) {
      const auto next = source->Next();
      ASSERT_THAT(next, IsOk());
      ASSERT_TRUE(next->has_value());
      const auto all = whole[number].rows.Find("ordinal")->Values<int64_t>();
      const auto got = (*next)->rows.Find("ordinal")->Values<int64_t>();
      const size_t half = 24;
      const auto part = lane == 0 ? all.first(std::min(half, all.size()))
                                  : all.subspan(std::min(half, all.size()));
      EXPECT_TRUE(std::ranges::equal(got, part)) << "batch " << number << " lane " << lane;
    }
    EXPECT_FALSE(source->Next()->has_value());
  }
}

TEST_F(PreprocessPath, ASlowWorkerGetsNoMoreThanItCanDo) {
  const int slow = set_->StartWorker(
      "slow", {{"TIDEMILL_FAILPOINTS", "preprocess_worker.after_making=delay:100ms"}});
  ASSERT_GT(slow, 0);
  set_->AwaitRegistration("slow");
  const JobSpec job = set_->Job(32, 6);
  const auto source = set_->Consume(job);
  std::map<std::string, int64_t> shares;
  int64_t total = 0;
  while (const auto next = source->Next().value()) {
    ++total;
    for (const auto& [name, link] : source->counters().links) shares[name] = link.num_batches;
  }
  bool took_part = false;
  for (const auto& [name, batches] : shares) {
    if (name.find("slow") == std::string::npos) continue;
    took_part = batches > 0;
    EXPECT_LT(batches, total / 6) << "a quarter would be as much as the others do";
  }
  EXPECT_TRUE(took_part);
  kill(slow, SIGKILL);
  set_->AwaitWorker(slow);
}

TEST_F(PreprocessPath, ManyConsumersSpreadOverTheWorkersEachReadingFromFew) {
  constexpr int kConsumers = 12;
  constexpr int64_t kMaxWorkers = 2;
  const JobSpec job = set_->Job(256, 1);
  const std::vector<std::string> expected = DescribeAll(set_->Expected(job));
  std::vector<std::unique_ptr<WorkerSource>> sources;
  for (int i = 0; i < kConsumers; ++i) {
    sources.push_back(set_->Consume(job, 0, 0, {.most_workers = kMaxWorkers}));
  }
  std::map<std::string, int> consumers;
  for (const auto& source : sources) {
    EXPECT_EQ(ReadAll(*source), expected);
    const auto links = source->counters().links;
    EXPECT_LE(std::ssize(links), kMaxWorkers);
    for (const auto& [name, link] : links) ++consumers[name];
  }
  EXPECT_GE(consumers.size(), 3u) << "all workers have consumers";
  for (const auto& [name, count] : consumers) EXPECT_LT(count, kConsumers) << name;
}

TEST_F(PreprocessPath, AConsumerThatStandsStillBoundsWhatIsMadeForIt) {
  const JobSpec job = set_->Job(2000, 400);
  const auto source = set_->Consume(job, 0, 0, {.bytes_ahead = int64_t{4} << 20});
  ASSERT_TRUE(source->Next().value().has_value());
  const std::string name = source->job_name();
  const auto find = [&]() -> preprocess::v1::Job {
    const auto known = set_->Dispatcher().ListJobs();
    EXPECT_THAT(known, IsOk());
    for (const auto& one : known->jobs()) {
      if (one.name() == name) return one;
    }
    return {};
  };
  // Until nothing more is issued: workers ask again within a tenth of a second.
  int64_t issued = 0;
  for (int same = 0; same < 300; ++same) {
    const preprocess::v1::Job known = find();
    if (known.num_issued() != issued) same = 0;
    issued = known.num_issued();
  }
  EXPECT_GT(issued, 1);
  const int64_t batch_bytes = (int64_t{4} << 20) / (2000 * 32);
  EXPECT_LE(issued, 2 * batch_bytes) << "of " << find().num_batches();
}

TEST_F(PreprocessPath, WithoutWorkersTheConsumerMakesItsBatchesItself) {
  const PreparedSet alone(2000, 1);
  const JobSpec job = alone.Job(50, 1);
  const std::vector<std::string> expected = DescribeAll(alone.Expected(job));
  for (const int worker : alone.stack().Processes(kWorkerProgram)) kill(worker, SIGSTOP);
  const auto source = alone.Consume(job, 0, 0, {.patience = std::chrono::milliseconds{1}});
  const std::vector<std::string> got = ReadAll(*source);
  for (const int worker : alone.stack().Processes(kWorkerProgram)) kill(worker, SIGCONT);
  EXPECT_EQ(got, expected);
  EXPECT_GT(source->counters().num_made_here, 0);
}

TEST_F(PreprocessPath, TheConsumerMakesWhatItAwaitsFromWorkersThatAreStuck) {
  const PreparedSet stuck(2000, 1,
                          {{"TIDEMILL_FAILPOINTS", "preprocess_worker.after_making=delay:4000ms"}});
  const JobSpec job = stuck.Job(50, 1);
  const auto source = stuck.Consume(job, 0, 0, {.standstill = std::chrono::milliseconds{100}});
  EXPECT_EQ(ReadAll(*source), DescribeAll(stuck.Expected(job)));
  EXPECT_GT(source->counters().num_made_here, 0);
}

class PreprocessFailpoint : public ::testing::TestWithParam<const char*> {};

TEST_P(PreprocessFailpoint, ADispatcherKilledWhileItWritesProgressIsNotNoticed) {
  const std::string point = GetParam();
  std::string marks = "/tmp/tidemill-marks-XXXXXX";
  ASSERT_NE(mkdtemp(marks.data()), nullptr);
  const PreparedSet set(
      4000, 1, {{"TIDEMILL_FAILPOINTS", point + "=kill"}, {"TIDEMILL_FAILPOINTS_ONCE", marks}});
  const JobSpec job = set.Job(32, 1);
  const std::vector<std::string> expected = DescribeAll(set.Expected(job));
  const auto source = set.Consume(job);
  std::vector<std::string> got;
  // Once all is issued, progress is written alone: read slowly until it was.
  while (const auto next = source->Next().value()) {
    got.push_back(Describe(*next));
    if (got.size() < expected.size() / 2) continue;
    for (int call = 0; call < 100 && !std::filesystem::exists(marks + "/" + point); ++call) {
      EXPECT_THAT(set.Dispatcher().ListJobs(), IsOk());
    }
  }
  EXPECT_TRUE(std::filesystem::exists(marks + "/" + point)) << "nothing passed " << point;
  EXPECT_EQ(got, expected);
  std::filesystem::remove_all(marks);
}

INSTANTIATE_TEST_SUITE_P(Progress, PreprocessFailpoint,
                         ::testing::Values("preprocess.before_progress",
                                           "preprocess.after_progress"),
                         [](const ::testing::TestParamInfo<const char*>& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST_F(PreprocessPath, AJobThatCannotBeOpenedFailsItsConsumerAndNobodyElse) {
  JobSpec broken = set_->Job(32, 1);
  const JobSpec sound = set_->Job(32, 1);
  const auto fine = set_->Consume(sound);
  auto source = set_->Consume(broken, 0, 0, {.job_name = "sound/1"});
  source.reset();
  WorkerSourceOptions options{.dispatcher = set_->stack().PeerOf("preprocess"),
                              .job_name = "broken/1"};
  auto opened =
      preprocess::MakeJobOpener(set_->stack().PeerOf("selector"), set_->stack().PeerOf("storage"));
  preprocess::v1::GetJobResponse known;
  known.set_spec(config::Print(sound));
  auto parts = opened(known);
  ASSERT_THAT(parts, IsOk());
  auto maker =
      loader::BatchMaker::Create(std::move(parts->parts), PreparedSet::PlanOf(sound, 0, 0));
  broken.trigger = 99;  // Was never sealed.
  auto failing = WorkerSource::Open(broken, "", *std::move(maker), options);
  ASSERT_THAT(failing, IsOk());
  EXPECT_EQ((*failing)->Next().status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadAll(*fine), DescribeAll(set_->Expected(sound)));
}

}  // namespace
}  // namespace tidemill::tests
