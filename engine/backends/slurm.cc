// Jobs of a Slurm cluster. What is started at once is one job array, with its numbers as tasks:
//
//   Start(3, 7) --sbatch---> job 17, "tidemill-STACK-workers", with the tasks 17_3 and 17_7
//   List()      --squeue---> 17_3 RUNNING on n1, 17_7 PENDING for "Resources"
//   End(7)      --scancel--> SIGTERM; SIGKILL after KillWait of slurm.conf
//
// Slurm knows all: jobs are found in its queue, by name and user. A task that is preempted, or
// whose host fails, is queued again by Slurm with its id and number, and is listed as waiting.
//
// Hosts share the stack's folder, which has the logs: <folder>/logs/workers_3.log.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_split.h"
#include "fmt/ranges.h"

#include "base/files.h"
#include "base/logs/log_file.h"
#include "base/paths/shell_word.h"
#include "base/printable.h"
#include "config/config.h"
#include "engine/backend.h"
#include "engine/run_program.h"
#include "rpc/members/own_name.h"

namespace tidemill::engine {

struct Slurm {
  static constexpr std::string_view kType = "slurm";
  static constexpr std::string_view kDoc =
      "Jobs of a Slurm cluster whose hosts share the folder of the stack. It needs sbatch, squeue "
      "and scancel.";

  std::string partition;
  std::vector<std::string> options;
  std::vector<std::string> workers;
  std::vector<std::string> trainers;
  std::vector<std::string> evaluators;
  Duration refresh{5'000'000};

  void Fields(auto&& field) {
    field("partition", partition, "The partition. Empty: the one that Slurm takes by default.");
    field("options", options, "Further options of sbatch, such as `--account=vision`.");
    field("workers", workers, "Options of sbatch for workers, on top of those.");
    field("trainers", trainers, "Options of sbatch for trainers, such as `--partition=gpu`.");
    field("evaluators", evaluators, "Options of sbatch for evaluators.");
    field("refresh", refresh, "Slurm is asked for its queue no more often than this.",
          {.min = 0, .max = 600});
  }
  void Check(config::Problems& problems) const {
    CheckOptions("options", options, problems);
    CheckOptions("workers", workers, problems);
    CheckOptions("trainers", trainers, problems);
    CheckOptions("evaluators", evaluators, problems);
  }
  const std::vector<std::string>& OptionsOf(const Group& group) const {
    if (group.name == "workers") return workers;
    return group.name == "trainers" ? trainers : evaluators;
  }

 private:
  static void CheckOptions(const char* key, const std::vector<std::string>& options,
                           config::Problems& problems) {
    for (const std::string& option : options) {
      if (!option.starts_with("--")) {
        problems.Add(key, fmt::format("has {}, which does not begin with --", Quoted(option)),
                     "write each as `--NAME` or `--NAME=VALUE`");
      } else if (option.starts_with("--array") || option.starts_with("--job-name")) {
        problems.Add(key, fmt::format("has {}, by which Tidemill finds its jobs", Quoted(option)),
                     "leave it out");
      }
    }
  }
};

namespace {

using SteadyClock = std::chrono::steady_clock;

// What squeue is asked for, each column followed by '|', in the order of ReadJob().
constexpr char kColumns[] =
    "--Format=ArrayJobID:|,ArrayTaskID:|,State:|,Reason:|,NodeList:|,SubmitTime:|,StartTime:|,"
    "EndTime:|,exit_code:|";
constexpr size_t kNumColumns = 9;

// What Slurm said last of the jobs of a group.
struct Queue {
  std::vector<Started> started = {};
  // Slurm remembers these for MinJobAge of slurm.conf, without those that ended while they waited.
  std::vector<Ended> ended = {};
};

std::optional<int64_t> NumberIn(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

// Returns std::nullopt for "N/A", "NONE".
std::optional<Timestamp> SecondsIn(std::string_view text) {
  const auto seconds = NumberIn(text);
  if (!seconds) return std::nullopt;
  return Timestamp{*seconds * 1'000'000};
}

// Returns std::nullopt for a job in another state than one that has ended.
std::optional<std::string> HowItEnded(const std::string& state, int64_t wait_status) {
  static const std::set<std::string> kStates = {
      "BOOT_FAIL", "CANCELLED",     "COMPLETED", "DEADLINE", "FAILED",
      "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",  "TIMEOUT"};
  if (!kStates.contains(state)) return std::nullopt;
  if (state == "COMPLETED") return "exit code 0";
  if (state != "FAILED") return state;
  const int64_t signal = wait_status & 0x7f;
  return signal != 0 ? fmt::format("signal {}", signal)
                     : fmt::format("exit code {}", wait_status >> 8);
}

// What is in no state of the first two sets has its processors: it runs, or is suspended.
Phase PhaseOf(const std::string& state) {
  static const std::set<std::string> kWaiting = {"CONFIGURING", "PENDING",      "REQUEUED",
                                                 "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT"};
  static const std::set<std::string> kEnding = {"COMPLETING", "STAGE_OUT"};
  if (kWaiting.contains(state)) return Phase::kWaiting;
  return kEnding.contains(state) ? Phase::kEnding : Phase::kRunning;
}

void ReadJob(const std::vector<std::string>& columns, Queue& queue) {
  const auto number = NumberIn(columns[1]);
  if (!number) return;  // A job of this name that was not submitted here: it has no tasks.
  const std::string& state = columns[2];
  const std::string id = columns[0] + "_" + columns[1];
  if (const auto how = HowItEnded(state, NumberIn(columns[8]).value_or(0))) {
    queue.ended.push_back({.number = *number, .id = id, .how = *how});
    return;
  }
  const Phase phase = PhaseOf(state);
  const size_t since = phase == Phase::kWaiting ? 5 : phase == Phase::kRunning ? 6 : 7;
  const std::string reason = columns[3] == "None" ? state : columns[3];
  queue.started.push_back({.number = *number,
                           .phase = phase,
                           .id = id,
                           .reason = state == "RUNNING" ? "" : Printable(reason),
                           .host = Printable(columns[4]),
                           .since = SecondsIn(columns[since])});
}

absl::StatusOr<Queue> ReadQueue(const std::string& text) {
  Queue queue;
  for (const auto line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> columns = absl::StrSplit(line, '|');
    if (columns.size() != kNumColumns + 1) {
      return Unavailable("squeue wrote a line that has not {} columns: {}", kNumColumns,
                         Quoted({line.data(), line.size()}));
    }
    ReadJob(columns, queue);
  }
  std::ranges::sort(queue.started, {}, &Started::number);
  return queue;
}

std::set<std::string> IdsOf(const std::vector<Ended>& all) {
  std::set<std::string> ids;
  for (const Ended& ended : all) ids.insert(ended.id);
  return ids;
}

class SlurmEngine final : public Engine {
 public:
  SlurmEngine(Slurm spec, std::string stack, std::string logs)
      : spec_(std::move(spec)), stack_(std::move(stack)), logs_(std::move(logs)) {}

  absl::StatusOr<std::vector<Started>> List(const Group& group) override {
    Known& known = known_[group.name];
    const std::chrono::microseconds refresh(spec_.refresh.micros);
    if (!known.asked_at || SteadyClock::now() - *known.asked_at >= refresh) {
      RETURN_IF_ERROR(Ask(group, known));
    }
    return known.queue.started;
  }

  absl::Status Start(const Group& group, std::span<const int64_t> numbers) override {
    Known& known = known_[group.name];
    RETURN_IF_ERROR(Ask(group, known));
    std::set<int64_t> missing(numbers.begin(), numbers.end());
    for (const Started& started : known.queue.started) missing.erase(started.number);
    if (missing.empty()) return absl::OkStatus();
    known.asked_at.reset();
    return RunProgram(Submission(group, missing), {.input = Script(group)}).status();
  }

  absl::Status End(const Group& group, const Started& process) override {
    known_[group.name].asked_at.reset();
    return RunProgram({"scancel", process.id}).status();
  }

  std::vector<Ended> TakeEnded(const Group& group) override {
    Known& known = known_[group.name];
    std::vector<Ended> news;
    for (const Ended& ended : known.queue.ended) {
      if (!known.told->contains(ended.id)) news.push_back(ended);
    }
    if (known.told) known.told = IdsOf(known.queue.ended);
    return news;
  }

 private:
  struct Known {
    Queue queue;
    // Unset when something has changed since.
    std::optional<SteadyClock::time_point> asked_at;
    // The ids of what TakeEnded() has returned, or had ended before the first question.
    std::optional<std::set<std::string>> told;
  };

  std::string NameOf(const Group& group) const {
    return fmt::format("tidemill-{}-{}", stack_, group.name);
  }

  absl::Status Ask(const Group& group, Known& known) const {
    ASSIGN_OR_RETURN(const std::string text,
                     RunProgram({"squeue", "--me", "--array", "--noheader", "--states=all",
                                 "--name=" + NameOf(group), kColumns},
                                {.variables = {"SLURM_TIME_FORMAT=%s"}}));
    ASSIGN_OR_RETURN(known.queue, ReadQueue(text));
    known.asked_at = SteadyClock::now();
    if (!known.told) known.told = IdsOf(known.queue.ended);
    return absl::OkStatus();
  }

  std::vector<std::string> Submission(const Group& group, const std::set<int64_t>& numbers) const {
    const Resources& needs = group.resources;
    std::vector<std::string> words = {"sbatch",
                                      "--job-name=" + NameOf(group),
                                      fmt::format("--array={}", fmt::join(numbers, ",")),
                                      fmt::format("--output={}/{}_%a.log", logs_, group.name),
                                      "--open-mode=append",
                                      "--nodes=1",
                                      "--ntasks=1",
                                      "--requeue",
                                      "--signal=B:TERM@60"};
    if (!spec_.partition.empty()) words.push_back("--partition=" + spec_.partition);
    if (needs.processors > 0) words.push_back(fmt::format("--cpus-per-task={}", needs.processors));
    if (needs.memory_bytes > 0) {
      words.push_back(fmt::format("--mem={}K", (needs.memory_bytes + 1023) / 1024));
    }
    if (needs.gpus > 0) words.push_back(fmt::format("--gres=gpu:{}", needs.gpus));
    for (const auto* options : {&spec_.options, &spec_.OptionsOf(group)}) {
      words.insert(words.end(), options->begin(), options->end());
    }
    return words;
  }

  // What a task runs. The program takes the place of the shell, so that it gets SIGTERM.
  std::string Script(const Group& group) const {
    std::string command;
    for (const std::string& word : group.command) command += " " + ShellWord(word);
    return fmt::format(
        "#!/bin/sh\n"
        "export {}={}/$SLURM_ARRAY_TASK_ID\n"
        "export {}={}/{}_$SLURM_ARRAY_TASK_ID.log\n"
        "exec{}\n",
        rpc::kMemberVariable, group.name, log::kFileVariable, ShellWord(logs_), group.name,
        command);
  }

  const Slurm spec_;
  const std::string stack_;
  const std::string logs_;
  std::map<std::string, Known> known_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> OpenEngine(const Slurm& spec, const Stack& stack) {
  RETURN_IF_ERROR(RunProgram({"sbatch", "--version"}).status());
  const std::string logs = files::Join(stack.folder, "logs");
  if (logs.find('%') != std::string::npos || logs.find('\\') != std::string::npos) {
    return FailedPrecondition("sbatch cannot write logs to {}: choose a folder without % and \\",
                              Quoted(logs));
  }
  RETURN_IF_ERROR(files::CreateFolder(logs));
  return std::make_unique<SlurmEngine>(spec, stack.name, logs);
}

TIDEMILL_PART(Backend, BackendOf, Slurm)

}  // namespace tidemill::engine
