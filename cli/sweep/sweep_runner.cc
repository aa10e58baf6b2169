#include "cli/sweep/sweep_runner.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "fmt/format.h"

#include "cli/pipelines/submission.h"
#include "cli/results/run_report.h"
#include "cli/terminal/text.h"
#include "cli/views/interrupts.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using supervisor::SupervisorClient;

constexpr std::chrono::milliseconds kPoll{100};

std::pair<int32_t, int32_t> KeyOf(const SweepRun& run) {
  return {static_cast<int32_t>(run.place + 1), static_cast<int32_t>(run.rung + 1)};
}

// An error of the stack, not of one run.
bool IsOfStack(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsUnauthenticated(status) || absl::IsPermissionDenied(status);
}

}  // namespace

SweepRunner::SweepRunner(const Session& session, SweepOptions options, SweepProgress& progress,
                         SweepResult& result)
    : session_(session), options_(std::move(options)), progress_(progress), result_(result) {
  result_.settings.resize(result_.plan.settings().size());
}

absl::Status SweepRunner::Run() {
  const InterruptScope interrupts;
  RETURN_IF_ERROR(FindKnown());
  std::vector<size_t> settings(result_.plan.settings().size());
  std::iota(settings.begin(), settings.end(), size_t{0});
  for (size_t rung = 0; rung < NumRungs() && !settings.empty(); ++rung) {
    RETURN_IF_ERROR(RunRung(rung, settings));
    settings = Settle(rung, settings);
  }
  return absl::OkStatus();
}

absl::Status SweepRunner::FindKnown() {
  v1::ListRunsRequest request;
  request.set_sweep(result_.name);
  request.set_pipeline_name(result_.pipeline);
  ASSIGN_OR_RETURN(const v1::ListRunsResponse runs,
                   session_.Ask(&SupervisorClient::FindRuns, request));
  for (const v1::Run& run : runs.runs()) {
    known_[{run.in_sweep().setting(), run.in_sweep().rung()}] = run;
  }
  if (!known_.empty()) {
    progress_.Say(
        fmt::format("sweep {} continues: {} of its runs are there", result_.name, known_.size()));
  }
  return absl::OkStatus();
}

absl::Status SweepRunner::RunRung(size_t rung, const std::vector<size_t>& settings) {
  if (result_.halving) {
    progress_.Say(fmt::format("rung {} of {}: {} settings with {}", rung + 1, NumRungs(),
                              settings.size(), EffortText(*result_.halving, rung)));
  }
  const std::vector<Job> jobs = JobsOf(rung, settings);
  const absl::Status ended = RunJobs(jobs);
  Summarise(result_);
  return ended;
}

std::vector<SweepRunner::Job> SweepRunner::JobsOf(size_t rung,
                                                  const std::vector<size_t>& settings) {
  std::vector<Job> jobs;
  for (const size_t setting : settings) {
    SettingResult& own = result_.settings[setting];
    own.rung = rung;
    for (size_t seed = 0; seed < result_.plan.num_seeds(); ++seed) {
      own.runs.push_back({.place = result_.plan.PlaceOf(setting, seed), .rung = rung});
    }
  }
  // All settings with one seed before the next seed.
  for (const size_t setting : settings) {
    for (SweepRun& run : result_.settings[setting].runs) {
      if (run.rung == rung) jobs.push_back(&run);
    }
  }
  std::ranges::stable_sort(jobs, {}, [](const SweepRun* run) { return run->place; });
  return jobs;
}

bool SweepRunner::HasEnded(const SweepRun& run) const {
  return run.state != v1::RUN_STATE_UNSPECIFIED && run.state != v1::RUN_STATE_RUNNING;
}

absl::Status SweepRunner::RunJobs(const std::vector<Job>& jobs) {
  // What a killed command has left running is waited for first.
  for (const Job job : jobs) {
    const auto found = known_.find(KeyOf(*job));
    if (found == known_.end() || found->second.state() != v1::RUN_STATE_RUNNING) continue;
    RETURN_IF_ERROR(Start(*job));
  }
  for (size_t next = 0;;) {
    RETURN_IF_ERROR(Look(jobs));
    if (InterruptScope::Count() > 0) return Interrupt(jobs);
    const auto running = static_cast<size_t>(std::ranges::count_if(
        jobs, [](const Job job) { return job->state == v1::RUN_STATE_RUNNING; }));
    size_t free = options_.parallel > running ? options_.parallel - running : 0;
    for (; next < jobs.size() && free > 0; ++next) {
      if (jobs[next]->state != v1::RUN_STATE_UNSPECIFIED) continue;
      RETURN_IF_ERROR(Start(*jobs[next]));
      if (jobs[next]->state == v1::RUN_STATE_RUNNING) --free;
    }
    Show(jobs);
    if (std::ranges::all_of(jobs, [this](const Job job) { return HasEnded(*job); })) break;
    std::this_thread::sleep_for(kPoll);
  }
  return absl::OkStatus();
}

absl::Status SweepRunner::Start(SweepRun& run) {
  const auto found = known_.find(KeyOf(run));
  absl::Status started;
  if (found == known_.end()) {
    started = Submit(run);
  } else {
    run.id = found->second.run_id();
    run.state = found->second.state();
    if (run.state == v1::RUN_STATE_SUCCEEDED) return End(run);
    if (run.state == v1::RUN_STATE_RUNNING) return absl::OkStatus();
    const auto resumed = session_.Ask(&SupervisorClient::ResumeRun, RunId{run.id});
    started = resumed.status();
    if (resumed.ok()) run.state = resumed->state();
  }
  if (started.ok()) return absl::OkStatus();
  if (IsOfStack(started)) return started;
  run.state = v1::RUN_STATE_FAILED;
  run.error = std::string(started.message());
  SayEnd(run);
  return absl::OkStatus();
}

config::Override SweepRunner::EffortOf(size_t rung) const {
  const std::optional<int64_t> effort = result_.halving->rungs[rung].effort;
  return {.path = "training.epochs", .value = std::to_string(effort.value_or(0))};
}

absl::Status SweepRunner::Submit(SweepRun& run) {
  PipelineFile file = options_.file;
  file.overrides = result_.plan.ValuesAt(run.place);
  int64_t max_triggers = options_.max_triggers;
  if (result_.halving && result_.halving->rungs[run.rung].effort) {
    if (result_.halving->unit == "epochs") {
      const config::Override effort = EffortOf(run.rung);
      std::erase_if(file.overrides, [&](const auto& set) { return set.path == effort.path; });
      file.overrides.push_back(effort);
    } else {
      max_triggers = *result_.halving->rungs[run.rung].effort;
    }
  }
  file.tags.push_back(result_.name);  // For `runs list --tag`.
  if (result_.halving) file.tags.push_back(RungTag(run.rung, NumRungs()));
  file.in_sweep.emplace();
  file.in_sweep->set_sweep(result_.name);
  file.in_sweep->set_setting(static_cast<int32_t>(run.place + 1));
  file.in_sweep->set_rung(static_cast<int32_t>(run.rung + 1));
  ASSIGN_OR_RETURN(const v1::SubmitPipelineResponse submitted,
                   SubmitPipeline(session_, file, options_.files[result_.plan.SettingAt(run.place)],
                                  max_triggers, storage::v1::ON_OTHER_SPEC_UNSPECIFIED));
  run.id = submitted.run_id();
  run.state = v1::RUN_STATE_RUNNING;
  return absl::OkStatus();
}

absl::Status SweepRunner::Look(const std::vector<Job>& jobs) {
  v1::ListRunsRequest request;
  request.set_sweep(result_.name);
  request.set_pipeline_name(result_.pipeline);
  ASSIGN_OR_RETURN(const v1::ListRunsResponse listed,
                   session_.Ask(&SupervisorClient::FindRuns, request));
  std::map<int64_t, const v1::Run*> by_id;
  for (const v1::Run& run : listed.runs()) by_id[run.run_id()] = &run;
  for (const Job job : jobs) {
    if (job->state != v1::RUN_STATE_RUNNING) continue;
    const auto found = by_id.find(job->id);
    if (found == by_id.end()) {
      job->state = v1::RUN_STATE_FAILED;
      job->error = fmt::format("run {} was deleted", job->id);
      SayEnd(*job);
      continue;
    }
    job->num_triggers = found->second->num_triggers();
    if (found->second->state() == v1::RUN_STATE_RUNNING) continue;
    job->state = found->second->state();
    RETURN_IF_ERROR(End(*job));
  }
  return absl::OkStatus();
}

absl::Status SweepRunner::End(SweepRun& run) {
  ASSIGN_OR_RETURN(const v1::GetRunResponse full, FetchRun(session_, run.id));
  NoteEnd(full, options_.measure, run);
  if (run.value) {
    const double value = run.value->value;
    const bool is_better =
        !best_value_ || (run.value->lower_is_better ? value < *best_value_ : value > *best_value_);
    if (is_better) {
      best_value_ = value;
      best_ = fmt::format("{} {} ({})", run.value->measure, Measure(value), TextOfPlace(run.place));
    }
  }
  SayEnd(run);
  return absl::OkStatus();
}

absl::Status SweepRunner::Interrupt(const std::vector<Job>& jobs) {
  size_t num_stopped = 0;
  for (const Job job : jobs) {
    if (job->state != v1::RUN_STATE_RUNNING) continue;
    const auto stopped = session_.Ask(&SupervisorClient::StopRun, RunId{job->id});
    RETURN_IF_ERROR(stopped.status());
    job->state = stopped->state();
    ++num_stopped;
  }
  return Cancelled("{} runs of sweep {} are stopped; the same command continues it", num_stopped,
                   result_.name);
}

void SweepRunner::Show(const std::vector<Job>& jobs) {
  SweepProgress::Counts counts{.best = best_};
  for (const Job job : jobs) {
    if (HasEnded(*job)) {
      ++counts.ended;
    } else if (job->state == v1::RUN_STATE_RUNNING) {
      counts.running.push_back(fmt::format("run {}: {} triggers", job->id, job->num_triggers));
    } else {
      ++counts.waiting;
    }
  }
  progress_.Update(counts);
}

std::string SweepRunner::TextOfPlace(size_t place) const {
  std::string text = TextOf(result_.plan, result_.plan.settings()[result_.plan.SettingAt(place)]);
  if (result_.plan.seeds().empty()) return text;
  return fmt::format("{} {}={}", text, kSeedKey,
                     result_.plan.seeds()[place / result_.plan.settings().size()]);
}

void SweepRunner::SayEnd(const SweepRun& run) {
  const std::string who = run.id == 0 ? TextOfPlace(run.place)
                                      : fmt::format("run {}, {}", run.id, TextOfPlace(run.place));
  if (run.state == v1::RUN_STATE_FAILED) {
    progress_.Say(fmt::format("{}: failed: {}", who, OneLine(run.error)), Tone::kBad);
  } else if (run.state == v1::RUN_STATE_STOPPED) {
    progress_.Say(fmt::format("{}: stopped", who), Tone::kDoubtful);
  } else {
    progress_.Say(
        fmt::format("{}: {}, trained for {}", who,
                    run.value ? fmt::format("{} {}", run.value->measure, Measure(run.value->value))
                              : "nothing was measured",
                    Elapsed(run.training_seconds)));
  }
}

std::vector<size_t> SweepRunner::Settle(size_t rung, const std::vector<size_t>& settings) {
  const bool is_last = rung + 1 == NumRungs();
  std::vector<Ranked> ranked;
  for (const size_t number : settings) {
    SettingResult& setting = result_.settings[number];
    setting.fate = is_last ? Fate::kDone : Fate::kHalved;
    for (const SweepRun& run : setting.runs) {
      if (run.rung != rung || run.state == v1::RUN_STATE_SUCCEEDED) continue;
      if (run.state == v1::RUN_STATE_STOPPED && setting.fate != Fate::kFailed) {
        setting.fate = Fate::kStopped;
      } else if (run.state == v1::RUN_STATE_FAILED) {
        setting.fate = Fate::kFailed;
        setting.error = run.id == 0 ? run.error : fmt::format("run {}: {}", run.id, run.error);
      }
    }
    if (setting.fate == Fate::kHalved) ranked.push_back({number, setting.value});
  }
  if (is_last) return {};
  const size_t keep = result_.halving->rungs[rung + 1].num_settings;
  const std::vector<size_t> survivors = Survivors(ranked, result_.lower_is_better, keep);
  for (const size_t number : survivors) result_.settings[number].fate = Fate::kOpen;
  return survivors;
}

}  // namespace tidemill::cli
