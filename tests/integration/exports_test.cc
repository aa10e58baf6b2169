// Runs that begin while a program writes the files of their dataset. Each run holds every record
// that was there when it began, or names the file that has it and ends with exit code 8.
// TIDEMILL_TEST_SEEDS is the number of exports; `kAtOnce` of them run at the same time.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/mutex.h"
#include "base/numbers/random.h"
#include "base/testing/status_matchers.h"
#include "storage/client/storage_client.h"
#include "supervisor_client/supervisor_client.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using tidemill::testing::IsOk;

constexpr int64_t kStart = 1'700'000'000;
constexpr int kAtOnce = 6;
constexpr int kPartial = 8;

int NumSeeds() {
  const char* const number = std::getenv("TIDEMILL_TEST_SEEDS");
  return number == nullptr ? 4 : std::atoi(number);
}

int64_t NanosNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

class Draws {
 public:
  explicit Draws(int seed) : seed_(seed) {}
  int64_t Below(int64_t limit) {
    return static_cast<int64_t>(RandomUnit({.seed = seed_, .purpose = "exports"}, next_++) *
                                static_cast<double>(limit));
  }
  bool Happens(double probability) {
    return RandomUnit({.seed = seed_, .purpose = "exports"}, next_++) < probability;
  }

 private:
  const int64_t seed_;
  int64_t next_ = 0;
};

// What an export does next.
struct Step {
  enum class Kind { kAppend, kRewrite, kRename };
  Kind kind = Kind::kAppend;
  int64_t pause_millis = 0;  // Before it.
  int64_t split = 0;         // The bytes of the first of two writes.
  int64_t between_millis = 0;
  std::string name;
  std::string path;
  std::string hidden;         // Where a file is written before it gets its name.
  std::string bytes;          // New ones, or all of the file.
  std::set<int64_t> records;  // All of the file after it.
};

struct Export {
  std::string name = {};
  std::string folder = {};
  std::string log = {};
  std::string scratch = {};  // For the output of commands.
  std::string keys = {};     // More keys of the dataset.
  int64_t begin_after_millis = 0;
  bool runs_again = false;
  std::vector<Step> steps = {};
};

std::string Line(int64_t record) {
  return fmt::format("{},{},{}\n", kStart + record, record % 7, record % 2 == 0 ? "a" : "b");
}

// The pauses of an export of few files are long, and no export takes much more than a minute.
Export Draw(int seed, const std::string& files) {
  Draws draws(seed);
  Export all{.name = fmt::format("e{}", seed)};
  all.folder = files + "/" + all.name;
  all.log = all.folder + ".log";
  all.scratch = all.folder + ".scratch";
  if (draws.Happens(0.25)) all.keys += ", settle_limit: 1500ms";
  if (draws.Happens(0.2)) all.keys += ", append: true";
  const int64_t num_files = 1 + draws.Below(30);
  const int64_t longest = 20 + draws.Below(2000);
  std::vector<std::string> names;
  std::map<std::string, std::set<int64_t>> records;
  int64_t next = 0, length = 0;
  while (std::ssize(names) < num_files || draws.Happens(0.8)) {
    Step step;
    const bool is_new = names.empty() || (std::ssize(names) < num_files && draws.Happens(0.7));
    if (is_new) names.push_back(fmt::format("d{:02}.csv", names.size()));
    step.name = is_new ? names.back() : names[static_cast<size_t>(draws.Below(std::ssize(names)))];
    step.path = all.folder + "/" + step.name;
    step.hidden = all.folder + "/." + step.name;
    step.kind = static_cast<Step::Kind>(draws.Below(3));
    step.pause_millis = draws.Below(longest);
    length += step.pause_millis;
    step.between_millis = draws.Happens(0.3) ? draws.Below(300) : 0;
    std::set<int64_t>& of_file = records[step.name];
    if (of_file.empty() || step.kind != Step::Kind::kAppend) step.bytes = "t,x,y\n";
    if (step.kind != Step::Kind::kAppend) {
      for (const int64_t record : of_file) step.bytes += Line(record);
    }
    for (int64_t i = 0, count = 1 + draws.Below(60); i < count; ++i) {
      step.bytes += Line(next);
      of_file.insert(next++);
    }
    step.split = draws.Below(std::ssize(step.bytes));
    step.records = of_file;
    all.steps.push_back(std::move(step));
    if (length > 60'000) break;
  }
  all.begin_after_millis = draws.Below(std::min<int64_t>(length + 500, 5000));
  all.runs_again = draws.Happens(0.3);
  return all;
}

void PauseFor(int64_t millis) {
  const timespec length{.tv_sec = millis / 1000, .tv_nsec = millis % 1000 * 1'000'000};
  nanosleep(&length, nullptr);
}

// An entry of the log: from when on the records of a step are there, or those before it are not.
struct Entry {
  int64_t nanos;
  int64_t step;
  int64_t is_there;
};

// The process that writes the files. It only uses what a child of a process with threads may use.
[[noreturn]] void Write(const Export& all) {
  const int log = open(all.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  const auto note = [&](size_t step, bool is_there) {
    const Entry entry{NanosNow(), static_cast<int64_t>(step), is_there ? 1 : 0};
    if (write(log, &entry, sizeof(entry)) != sizeof(entry)) _exit(2);
  };
  for (size_t i = 0; i < all.steps.size(); ++i) {
    const Step& step = all.steps[i];
    PauseFor(step.pause_millis);
    if (step.kind == Step::Kind::kRewrite) note(i, false);
    const bool renames = step.kind == Step::Kind::kRename;
    const int how = step.kind == Step::Kind::kAppend ? O_APPEND : O_TRUNC;
    const int file =
        open(renames ? step.hidden.c_str() : step.path.c_str(), O_WRONLY | O_CREAT | how, 0600);
    const auto split = static_cast<size_t>(step.split);
    if (write(file, step.bytes.data(), split) < 0) _exit(2);
    PauseFor(step.between_millis);
    if (write(file, step.bytes.data() + split, step.bytes.size() - split) < 0) _exit(2);
    close(file);
    if (renames && rename(step.hidden.c_str(), step.path.c_str()) != 0) _exit(2);
    note(i, true);
  }
  _exit(0);
}

// Returns the records that were there at this time, by the names of their files.
std::map<std::string, std::set<int64_t>> ThereAt(const Export& all, int64_t nanos) {
  std::map<std::string, std::set<int64_t>> there;
  std::ifstream log(all.log, std::ios::binary);
  Entry entry{};
  while (log.read(reinterpret_cast<char*>(&entry), sizeof(entry)) && entry.nanos <= nanos) {
    const Step& step = all.steps.at(static_cast<size_t>(entry.step));
    there[step.name] = entry.is_there != 0 ? step.records : std::set<int64_t>();
  }
  return there;
}

std::string WritePipeline(const Export& all, const std::string& files) {
  const std::string path = files + "/" + all.name + ".yaml";
  std::ofstream(path) << fmt::format(R"(version: 1
name: {0}
datasets:
  {0}: {{path: "{1}", files: "*.csv", format: csv, event_time: {{column: t, format: unix}},
       label: {{column: y, classes: [a, b]}}{2}}}
preprocess: {{dataset: {0}, graph: [{{parse_csv: {{columns: [x]}}}},
             {{stack: {{columns: all, into: input}}}}, {{label: {{into: target}}}}]}}
model: {{type: logistic, outputs: 2}}
trigger: {{type: amount, samples: 400}}
training: {{epochs: 1, batch_size: 64, optimizer: {{type: sgd, lr: 0.1}}, loss: cross_entropy,
           seed: 1}}
)",
                                     all.name, all.folder, all.keys);
  return path;
}

// The stack's, for several threads.
struct Services {
  std::string state;
  rpc::Peer supervisor;
  rpc::Peer storage;
};

// The records of a dataset as a run has pinned it.
std::set<int64_t> Held(const Services& services, const nlohmann::json& run) {
  std::set<int64_t> records;
  const auto got = supervisor::SupervisorClient(services.supervisor)
                       .GetRun({run.at("run").get<int64_t>()}, /*with_events=*/true);
  EXPECT_THAT(got, IsOk());
  for (const auto& event : got->events()) {
    if (!event.event().has_dataset_synced()) continue;
    storage::v1::ListSamplesRequest list;
    *list.mutable_snapshot() = event.event().dataset_synced().snapshot();
    const auto add = [&](const batch::Batch& rows) {
      for (const int64_t time : rows.Find(batch::kEventTimeColumn)->Values<int64_t>()) {
        records.insert(time / 1'000'000 - kStart);
      }
      return absl::OkStatus();
    };
    EXPECT_THAT(storage::StorageClient(services.storage).ListSamples(list, add), IsOk());
  }
  return records;
}

std::set<std::string> NotTaken(const nlohmann::json& run) {
  std::set<std::string> names;
  for (const auto& dataset : run.at("left_out").at("not_taken")) {
    for (const auto& file : dataset.at("first")) names.insert(file.at("file").get<std::string>());
  }
  return names;
}

struct Tally {
  std::atomic<int> num_runs = 0, num_whole = 0, num_named = 0, num_empty = 0;
  std::atomic<int64_t> num_records = 0;
};

// Runs the pipeline, and checks what the run holds. Returns a description of the first fault.
std::string RunAndCheck(const Services& services, const Export& all, const std::string& pipeline,
                        Tally& tally) {
  const int64_t begin = NanosNow();
  const CommandResult result = RunTidemill(
      {"run", pipeline, "--json", "--quiet", "--state", services.state}, {}, all.scratch);
  const auto there = ThereAt(all, begin);
  int64_t num_there = 0;
  for (const auto& [name, records] : there) num_there += std::ssize(records);
  ++tally.num_runs;
  tally.num_records += num_there;
  if (num_there == 0) {
    ++tally.num_empty;
    return "";
  }
  // Without any sample, a run fails.
  if (result.exit_code == 1 && result.out.find("not taken: ") != std::string::npos) {
    ++tally.num_named;
    return "";
  }
  if (result.exit_code != 0 && result.exit_code != kPartial) {
    return fmt::format("exit code {}: {}{}", result.exit_code, result.err, result.out);
  }
  const nlohmann::json run = result.Json();
  const std::set<int64_t> held = Held(services, run);
  const std::set<std::string> named = NotTaken(run);
  for (const auto& [name, records] : there) {
    const bool holds = std::ranges::includes(held, records);
    if (holds || (named.contains(name) && result.exit_code == kPartial)) continue;
    return fmt::format("run {}, exit code {}: lacks records of {}, names [{}]",
                       run.at("run").dump(), result.exit_code, name, fmt::join(named, ", "));
  }
  if (!named.empty() && result.exit_code != kPartial) return "names files, and ends with 0";
  ++(named.empty() ? tally.num_whole : tally.num_named);
  return "";
}

std::string Try(const Services& services, const std::string& files, int seed, Tally& tally) {
  const Export all = Draw(seed, files);
  std::filesystem::create_directories(all.folder);
  std::filesystem::create_directories(all.scratch);
  const std::string pipeline = WritePipeline(all, files);
  const pid_t writer = fork();
  if (writer == 0) Write(all);
  PauseFor(all.begin_after_millis);
  std::string fault = RunAndCheck(services, all, pipeline, tally);
  if (fault.empty() && all.runs_again) fault = RunAndCheck(services, all, pipeline, tally);
  kill(writer, SIGKILL);
  int status = 0;
  waitpid(writer, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) fault += "; the writer failed";
  return fault;
}

TEST(Exports, EveryRunHoldsWhatWasThereWhenItBeganOrNamesWhatItDidNotTake) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const Services services{.state = stack.state(),
                          .supervisor = stack.PeerOf("supervisor", rpc::v1::ROLE_OPERATOR),
                          .storage = stack.PeerOf("storage")};
  Tally tally;
  Mutex mutex;
  std::map<int, std::string> faults;
  std::atomic<int> next = 1;
  const auto work = [&] {
    for (int seed = next++; seed <= NumSeeds(); seed = next++) {
      const std::string fault = Try(services, stack.files(), seed, tally);
      if (fault.empty()) continue;
      MutexLock lock(mutex);
      faults[seed] = fault;
    }
  };
  std::vector<std::thread> workers;
  for (int i = 0; i < std::min(kAtOnce, NumSeeds()); ++i) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  for (const auto& [seed, fault] : faults) ADD_FAILURE() << "seed " << seed << ": " << fault;
  fmt::print("{} runs: {} hold all of the {} records, {} name files, {} began before any record\n",
             tally.num_runs.load(), tally.num_whole.load(), tally.num_records.load(),
             tally.num_named.load(), tally.num_empty.load());
}

}  // namespace
}  // namespace tidemill::tests
