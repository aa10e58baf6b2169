// The selections of a run of five triggers, each a uniform draw of 10 % of resident candidates by a
// plug-in, sealed on disk, against the same draws by the built-in policy, which has two threads.
// Both choose the same samples. The start of the plug-in's process counts: a run has one for all of
// its triggers.
#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/testing/tree.h"
#include "base/threads/worker_pool.h"
#include "benchmarks/bench_folder.h"
#include "benchmarks/paired.h"
#include "config/config.h"
#include "plugin/process/run_hosts.h"
#include "selector/columns/training_set_file.h"
#include "selector/policies/plugin/plugin_selection.h"
#include "selector/policies/plugin_chooser.h"
#include "selector/policies/uniform.h"

namespace tidemill {
namespace {

constexpr int64_t kFirstKey = int64_t{1} << 44;
// As storage lists them.
constexpr size_t kPiece = 65'536;
constexpr double kFraction = 0.1;
constexpr size_t kTriggers = 5;

// The plug-ins are in the build.
class BuiltFiles final : public config::NamedFiles {
 public:
  std::optional<std::string> Read(const std::string& name, size_t most, std::string_view key,
                                  config::Problems& problems) override {
    const std::string path = name.ends_with(".so")
                                 ? tidemill::testing::InBuild("tests/plugin/" + name)
                                 : tidemill::testing::InTree("tests/plugin/plugins/" + name);
    auto bytes = files::Read(path, most);
    if (bytes.ok()) return *std::move(bytes);
    problems.Add(key, std::string(bytes.status().message()));
    return std::nullopt;
  }
};

absl::StatusOr<selector::PluginSelection> Submitted(const std::string& file) {
  selector::PluginSelection named;
  named.use = file + ":UniformShare";
  selector::SelectionSpec policy = std::move(named);
  config::Problems problems;
  BuiltFiles files;
  policy->TakeFiles(files, problems);
  RETURN_IF_ERROR(problems.ToStatus());
  return *policy.As<selector::PluginSelection>();
}

class Bench {
 public:
  Bench(selector::PluginSelection spec, int64_t count, const std::string& folder)
      : spec_(std::move(spec)), folder_(folder), keys_(static_cast<size_t>(count)) {
    std::iota(keys_.begin(), keys_.end(), kFirstKey);
  }

  absl::Status Run(const std::string& name) {
    const benchmarks::Side plugin{.prepare = [this] { ++seed_; },
                                  .work = [this] { return ChooseByPlugin(); }};
    const benchmarks::Side built_in{.prepare = [] {}, .work = [this] { return ChooseBuiltIn(); }};
    const auto result = benchmarks::Measure(name, "Mcandidates/s", 1e6, plugin, built_in);
    RETURN_IF_ERROR(status_);
    if (digests_ != built_in_digests_) return Internal("the plug-in chose other samples");
    if (num_started_ != 1) return Internal("a run started {} processes", num_started_);
    benchmarks::Report(result);
    return absl::OkStatus();
  }

 private:
  double ChooseByPlugin() {
    const auto hosts = std::make_shared<plugin::RunHosts>();
    digests_ = ChooseAtEachTrigger(spec_, {.folder = folder_, .hosts = hosts});
    num_started_ = hosts->num_started();
    return static_cast<double>(keys_.size());
  }

  double ChooseBuiltIn() {
    selector::Uniform draw;
    draw.fraction = kFraction;
    built_in_digests_ = ChooseAtEachTrigger(draw, {.folder = folder_, .pool = &pool_});
    return static_cast<double>(keys_.size());
  }

  template <typename Policy>
  std::vector<std::string> ChooseAtEachTrigger(const Policy& policy,
                                               const selector::Workplace& workplace) {
    std::vector<std::string> digests;
    for (size_t trigger = 0; trigger < kTriggers; ++trigger) {
      const size_t begin = keys_.size() * trigger / kTriggers;
      const size_t end = keys_.size() * (trigger + 1) / kTriggers;
      const RandomKey random{
          .seed = seed_, .purpose = "selection", .trigger = static_cast<int64_t>(trigger) + 1};
      selector::TrainingSetWriter writer(folder_);
      const auto chooser = selector::MakeChooser(policy, random, workplace, writer);
      digests.push_back(
          Choose(std::span<const int64_t>(keys_).subspan(begin, end - begin), *chooser, writer));
    }
    return digests;
  }

  std::string Choose(std::span<const int64_t> keys, selector::Chooser& chooser,
                     selector::TrainingSetWriter& writer) {
    for (std::span<const int64_t> rest = keys; !rest.empty();) {
      const auto piece = rest.first(std::min(rest.size(), kPiece));
      rest = rest.subspan(piece.size());
      Note(chooser.Add({.keys = piece, .event_times = piece}));
    }
    Note(chooser.Finish());
    auto digest = writer.Seal();
    Note(digest.status());
    Note(writer.Publish(folder_ + "/chosen.batch"));
    return digest.ok() ? *std::move(digest) : "";
  }

  void Note(const absl::Status& status) {
    if (status_.ok()) status_ = status;
  }

  const selector::PluginSelection spec_;
  const std::string folder_;
  std::vector<int64_t> keys_;
  WorkerPool pool_{"selection", 1};  // With the caller's thread, the selector's default.
  int64_t seed_ = 0;
  int64_t num_started_ = 0;
  std::vector<std::string> digests_, built_in_digests_;
  absl::Status status_;
};

absl::Status Run(const std::string& name, const std::string& file, int64_t count) {
  const benchmarks::BenchFolder folder("plugin_select");
  ASSIGN_OR_RETURN(selector::PluginSelection spec, Submitted(file));
  return Bench(std::move(spec), count, folder.path()).Run(name);
}

}  // namespace
}  // namespace tidemill

int main() {
  const int64_t count = tidemill::benchmarks::NumSamples(10'000'000);
  absl::Status status = tidemill::Run("plugin_select_vs_builtin", "libchoices.so", count);
  if (status.ok()) {
    status = tidemill::Run("plugin_select_vs_builtin_numpy", "choices.py", count);
  }
  if (status.ok()) return 0;
  fmt::print(stderr, "plugin_select_vs_builtin_bench: {}\n", std::string(status.message()));
  return 1;
}
