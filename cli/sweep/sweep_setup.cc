#include "cli/sweep/sweep_setup.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/digest.h"
#include "cli/pipelines/dataset_registration.h"
#include "cli/sweep/sweep_value.h"
#include "config/config.h"
#include "config/documents/document.h"
#include "storage/client/storage_client.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using supervisor::PipelineSpec;

// Problems that are marked at places of the pipeline file, or of the `--set` of a setting.
config::Problems MarkedIn(const PipelineFile& file, const Setting& values) {
  return config::Problems(config::ReadDocument(
      {.text = file.text, .name = file.name, .variables = file.variables, .overrides = values}));
}

SetupOrProblems Failed(absl::Status status) { return {.status = std::move(status)}; }

// The values of every axis that a first look at the pipeline needs.
Setting FirstValuesOf(const std::vector<SweepAxis>& axes) {
  Setting values;
  for (const SweepAxis& axis : axes) {
    values.push_back({.path = axis.key, .value = axis.values.front()});
  }
  return values;
}

std::vector<int64_t> SeedsFrom(int64_t first, int64_t count) {
  std::vector<int64_t> seeds;
  for (int64_t i = 0; i < count; ++i) seeds.push_back(first + i);
  return seeds;
}

// What a sweep cannot do with a pipeline.
void CheckPipeline(const SweepRequest& request, const PipelineSpec& spec,
                   config::Problems& problems) {
  if (spec.live) {
    problems.Add("live", "makes the pipeline live, and a sweep is over runs that end",
                 "leave it out, or write --set live=null");
  }
  const std::vector<std::string> measures = MeasuresOf(spec);
  if (!request.measure.empty() && std::ranges::find(measures, request.measure) == measures.end()) {
    problems.Add(
        "evaluation",
        fmt::format("has no measure '{}', by which --measure compares", request.measure),
        measures.empty() ? "it has none" : fmt::format("it has {}", fmt::join(measures, ", ")));
  }
  if (request.halving && measures.empty()) {
    problems.Add("evaluation", "measures nothing, by which settings could be halved");
  }
}

// A key that makes rungs of triggers another thing for each setting.
bool MovesTriggers(const std::string& key) {
  for (const char* section :
       {"trigger", "replay", "datasets", "evaluation", "preprocess.dataset"}) {
    const std::string_view name = section;
    if (key == name ||
        (key.starts_with(name) && (key[name.size()] == '.' || key[name.size()] == '['))) {
      return true;
    }
  }
  return false;
}

void CheckHalving(const SweepRequest& request, const SweepPlan& plan, config::Problems& problems) {
  if (!request.halving) return;
  if (plan.settings().size() < 2) {
    problems.Add("", "has one setting, and --halving has nothing to halve",
                 "sweep several values, or leave out --halving");
  }
  for (const SweepAxis& axis : plan.axes()) {
    if (axis.values.size() < 2 || !MovesTriggers(axis.key)) continue;
    problems.Add(axis.key,
                 "is swept, so settings have other triggers or windows at the same rung, and "
                 "--halving cannot compare them",
                 "leave out --halving");
  }
}

// Checks every setting. Returns the number of the first that is not valid.
std::optional<size_t> CheckSettings(SweepSetup& setup, config::Problems& problems) {
  std::map<std::string, size_t> seen;
  std::string all;
  for (size_t i = 0; i < setup.plan.settings().size(); ++i) {
    PipelineFile file = setup.file;
    file.overrides = setup.plan.ValuesAt(i);
    supervisor::DiskFiles& files = setup.files.emplace_back(FilesOf(file));
    auto checked = CheckPipelineFile(file, files);
    if (!checked.problems.empty()) {
      problems = checked.problems;
      return i;
    }
    const std::string canonical = config::Print(checked.value);
    const auto [first, is_new] = seen.emplace(canonical, i);
    if (!is_new) {
      problems = MarkedIn(setup.file, file.overrides);
      problems.Add(file.overrides.front().path,
                   fmt::format("makes the same pipeline as an earlier setting: {}",
                               TextOf(setup.plan, setup.plan.settings()[first->second])),
                   "leave one of the values out");
      return i;
    }
    all += canonical;
    if (i > 0) continue;
    setup.first = std::move(checked.value);
    setup.warnings = checked.warnings;
  }
  setup.fingerprint = Sha256(all);
  return std::nullopt;
}

// The number of triggers of a replay; std::nullopt where the policy cannot be tried without
// trainings.
absl::StatusOr<std::optional<int64_t>> CountTriggers(const Session& session,
                                                     const SweepSetup& setup) {
  const Setting values = setup.plan.ValuesAt(0);
  ASSIGN_OR_RETURN(const auto registrations, RegistrationsOf(setup.file.name, values, session));
  for (const storage::v1::RegisterDatasetRequest& one : registrations) {
    RETURN_IF_ERROR(session
                        .Ask(&storage::StorageClient::RegisterDataset, one.name(), one.spec(),
                             one.command(), storage::v1::ON_OTHER_SPEC_UNSPECIFIED)
                        .status());
  }
  v1::WatchBacktestRequest request;
  request.set_pipeline_name(setup.first.name);
  request.set_pipeline(config::Print(setup.first));
  const auto ignore = [](const v1::WatchBacktestResponse::Progress&) {};
  const auto tried = session.Follow(&supervisor::SupervisorClient::WatchBacktest, request, ignore);
  if (absl::IsFailedPrecondition(tried.status()) || absl::IsInvalidArgument(tried.status())) {
    return std::optional<int64_t>();
  }
  RETURN_IF_ERROR(tried.status());
  if (tried->results().empty()) return std::optional<int64_t>();
  return std::optional<int64_t>(tried->results(0).num_triggers());
}

absl::StatusOr<HalvingPlan> HalvingByEpochs(const SweepRequest& request, const SweepSetup& setup) {
  config::Problems problems = MarkedIn(setup.file, setup.plan.ValuesAt(0));
  const int64_t epochs = setup.first.training.epochs;
  if (epochs < 2) {
    problems.Add("training.epochs",
                 "is 1 and the pipeline has one trigger, so --halving has no smaller effort",
                 "write more epochs, or leave out --halving");
  }
  for (const SweepAxis& axis : setup.plan.axes()) {
    if (axis.key != "training.epochs" || axis.values.size() < 2) continue;
    problems.Add(axis.key, "is swept, and --halving halves by epochs where there is one trigger",
                 "leave out one of them");
  }
  RETURN_IF_ERROR(problems.ToStatus());
  const size_t count = setup.plan.settings().size();
  const int64_t first = request.first_rung > 0 ? request.first_rung : FirstEffort(count, epochs);
  return HalvingPlan{.unit = "epochs", .rungs = RungsOf(count, first, epochs)};
}

}  // namespace

SetupOrProblems SetUpSweep(const SweepRequest& request, bool remote) {
  auto file = ReadPipelineFile(request.file);
  if (!file.ok()) return Failed(file.status());
  file->data_elsewhere = remote;
  auto axes = AxesOf(request.set);
  if (!axes.ok()) return Failed(axes.status());
  // The seeds begin with that of the file.
  PipelineFile first = *file;
  first.overrides = FirstValuesOf(*axes);
  const auto checked = CheckPipelineFile(first);
  if (!checked.problems.empty()) return {.problems = checked.problems};
  auto plan =
      SweepPlan::Make(*std::move(axes), SeedsFrom(checked.value.training.seed, request.num_seeds));
  if (!plan.ok()) return Failed(plan.status());
  SweepSetup setup{.file = *std::move(file), .plan = *std::move(plan)};
  config::Problems problems = MarkedIn(setup.file, setup.plan.ValuesAt(0));
  CheckPipeline(request, checked.value, problems);
  CheckHalving(request, setup.plan, problems);
  if (!problems.empty()) return {.problems = problems};
  if (CheckSettings(setup, problems)) return {.problems = problems};
  return {.setup = std::move(setup)};
}

absl::StatusOr<HalvingPlan> PlanHalving(const Session& session, const SweepRequest& request,
                                        const SweepSetup& setup) {
  ASSIGN_OR_RETURN(std::optional<int64_t> most, CountTriggers(session, setup));
  if (most && request.max_triggers > 0) most = std::min(*most, request.max_triggers);
  if (most && *most < 2) return HalvingByEpochs(request, setup);
  if (!most && request.first_rung == 0) {
    return FailedPrecondition(
        "the trigger policy of {} asks models, so the number of its triggers is not known before "
        "trainings; name that of the first rung: --first-rung 2",
        setup.file.name);
  }
  const size_t count = setup.plan.settings().size();
  const int64_t first = request.first_rung > 0 ? request.first_rung : FirstEffort(count, *most);
  return HalvingPlan{.unit = "triggers", .rungs = RungsOf(count, first, most)};
}

std::string NameOfSweep(const SweepRequest& request, const SweepSetup& setup, int generation) {
  constexpr size_t kMaxOfName = 40;
  constexpr size_t kDigits = 8;
  std::string all = fmt::format("{} {} {}", setup.fingerprint, fmt::join(setup.plan.seeds(), ","),
                                request.max_triggers);
  if (request.halving) {
    all += fmt::format(" halving {} {}", request.first_rung, request.measure);
  }
  std::string name = setup.first.name.substr(0, kMaxOfName) + "-" + Sha256(all).substr(0, kDigits);
  return generation > 1 ? fmt::format("{}-{}", name, generation) : name;
}

}  // namespace tidemill::cli
