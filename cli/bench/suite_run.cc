#include "cli/bench/suite_run.h"

#include <fcntl.h>
#include <sys/file.h>

#include <chrono>
#include <cstdio>
#include <utility>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/time.h"
#include "cli/terminal/pace.h"
#include "cli/terminal/text.h"
#include "cli/terminal/view.h"

namespace tidemill::cli {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string NameOfCase(const BenchCase& one) { return one.entry->spec.name + " " + one.name; }

// Says how far a plan has come. Cases take as much longer than expected as those before them did.
class SuiteProgress {
 public:
  SuiteProgress(const BudgetedPlan& plan, bool quiet)
      : num_cases_(plan.cases.size()), seconds_left_(plan.seconds), quiet_(quiet) {}

  void Begin(const BenchCase& one) {
    ++number_;
    if (quiet_) return;
    const double pace = expected_ > 0 ? taken_ / expected_ : 1;
    PrintToStderr(fmt::format("[{}/{}] {}, about {} left\n", number_, num_cases_,
                              OneLine(NameOfCase(one)), About(seconds_left_ * pace)));
  }
  void Skip(const BenchCase& one) {
    ++number_;
    seconds_left_ -= one.seconds;
  }
  void End(const BenchCase& one, double seconds) {
    seconds_left_ -= one.seconds;
    expected_ += one.seconds;
    taken_ += seconds;
  }

 private:
  const size_t num_cases_;
  size_t number_ = 0;
  double seconds_left_;
  double expected_ = 0;
  double taken_ = 0;
  const bool quiet_;
};

absl::Status MeasureOne(const BenchCase& one, const std::string& digest, const CaseRunner& runner,
                        const nlohmann::ordered_json& machine, ResultsFile& results) {
  const auto begin = Clock::now();
  ASSIGN_OR_RETURN(nlohmann::ordered_json measured, runner.Measure(one));
  nlohmann::ordered_json result = {{"case", one.name},
                                   {"digest", digest},
                                   {"measured_at", FormatTimestamp(Now())},
                                   {"seconds", SecondsSince(begin)},
                                   {"machine", machine}};
  if (one.seed) result["seed"] = *one.seed;
  if (one.sweep != nullptr) result["prices"] = one.prices;
  result.update(measured);
  RETURN_IF_ERROR(results.Add(std::move(result)));
  return runner.Forget(one);
}

}  // namespace

absl::StatusOr<SuiteResults> SuiteResults::Open(const std::string& folder) {
  RETURN_IF_ERROR(files::CreateFolder(folder));
  const std::string path = files::Join(folder, ".lock");
  Descriptor lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.is_open() || flock(lock.number(), LOCK_EX | LOCK_NB) != 0) {
    return FailedPrecondition(
        "another process measures into '{}'; wait for it, or name another folder with --results",
        folder);
  }
  return SuiteResults(folder, std::move(lock));
}

absl::StatusOr<SuiteResults> SuiteResults::Read(const std::string& folder) {
  if (!files::Exists(folder)) {
    return NotFound("'{}' does not exist; `tidemill bench run` measures", folder);
  }
  return SuiteResults(folder, Descriptor());
}

absl::StatusOr<ResultsFile*> SuiteResults::Of(const std::string& entry) {
  if (const auto found = files_.find(entry); found != files_.end()) return &found->second;
  ASSIGN_OR_RETURN(ResultsFile file, ResultsFile::Open(files::Join(folder_, entry + ".jsonl")));
  return &files_.emplace(entry, std::move(file)).first->second;
}

absl::StatusOr<SuiteOutcome> RunSuite(const BudgetedPlan& plan, const CaseRunner& runner,
                                      const nlohmann::ordered_json& machine, SuiteResults& results,
                                      bool quiet) {
  SuiteOutcome outcome;
  SuiteProgress progress(plan, quiet);
  for (const BenchCase& one : plan.cases) {
    ASSIGN_OR_RETURN(ResultsFile * file, results.Of(one.entry->spec.name));
    ASSIGN_OR_RETURN(const std::string digest, DigestOf(one));
    if (file->Find(one.name, digest) != nullptr) {
      ++outcome.num_kept;
      progress.Skip(one);
      continue;
    }
    progress.Begin(one);
    const auto begin = Clock::now();
    absl::Status status = MeasureOne(one, digest, runner, machine, *file);
    progress.End(one, SecondsSince(begin));
    if (absl::IsCancelled(status) || absl::IsUnavailable(status)) return status;
    if (status.ok()) {
      ++outcome.num_measured;
    } else {
      outcome.failed.push_back(
          fmt::format("{}: {}", NameOfCase(one), std::string(status.message())));
      PrintToStderr(fmt::format("tidemill: {}\n", Printable(outcome.failed.back())));
    }
  }
  return outcome;
}

}  // namespace tidemill::cli
