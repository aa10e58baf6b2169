// A uniform draw of 10 % of resident candidates by a selection plug-in, sealed on disk, against the
// same draw by the built-in policy, which has two threads. Both choose the same samples. A
// plug-in's process runs already, as it does when the candidates take longer to list than it takes
// to start; what its start takes is printed beside it.
#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/testing/tree.h"
#include "base/threads/worker_pool.h"
#include "benchmarks/bench_folder.h"
#include "benchmarks/paired.h"
#include "config/config.h"
#include "selector/columns/training_set_file.h"
#include "selector/policies/plugin_chooser.h"
#include "selector/policies/plugin_selection.h"
#include "selector/policies/uniform.h"

namespace tidemill {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kFirstKey = int64_t{1} << 44;
// As storage lists them.
constexpr size_t kPiece = 65'536;
constexpr double kFraction = 0.1;

// The plug-ins lie where the build has them.
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
  selector::PluginSelection spec;
  spec.use = file + ":UniformShare";
  config::Problems problems;
  BuiltFiles files;
  spec.TakeFiles(files, problems);
  RETURN_IF_ERROR(problems.ToStatus());
  return spec;
}

class Bench {
 public:
  Bench(selector::PluginSelection spec, int64_t count, const std::string& folder)
      : spec_(std::move(spec)), folder_(folder), keys_(static_cast<size_t>(count)) {
    std::iota(keys_.begin(), keys_.end(), kFirstKey);
  }

  absl::Status Run(const std::string& name) {
    const benchmarks::Side plugin{.prepare = [this] { StartProcess(); },
                                  .work = [this] { return ChooseByPlugin(); }};
    const benchmarks::Side built_in{.prepare = [] {}, .work = [this] { return ChooseBuiltIn(); }};
    const auto result = benchmarks::Measure(name, "Mcandidates/s", 1e6, plugin, built_in);
    RETURN_IF_ERROR(status_);
    if (digest_ != built_in_digest_) return Internal("the plug-in chose other samples");
    benchmarks::Report(result);
    fmt::print(stderr, "  the start of its process took {:.0f} ms\n", seconds_to_start_ * 1e3);
    return absl::OkStatus();
  }

 private:
  void StartProcess() {
    ++seed_;
    const auto begin = Clock::now();
    instance_ = selector::InstanceOf(spec_, Random());
    Note(instance_->Created().status());
    seconds_to_start_ = std::chrono::duration<double>(Clock::now() - begin).count();
  }

  double ChooseByPlugin() {
    selector::TrainingSetWriter writer(folder_);
    selector::PluginChooser chooser(spec_, std::move(instance_), Random(), {.folder = folder_},
                                    writer);
    digest_ = Choose(chooser, writer);
    return static_cast<double>(keys_.size());
  }

  double ChooseBuiltIn() {
    selector::Uniform draw;
    draw.fraction = kFraction;
    selector::TrainingSetWriter writer(folder_);
    const auto chooser =
        selector::MakeChooser(draw, Random(), {.folder = folder_, .pool = &pool_}, writer);
    built_in_digest_ = Choose(*chooser, writer);
    return static_cast<double>(keys_.size());
  }

  std::string Choose(selector::Chooser& chooser, selector::TrainingSetWriter& writer) {
    for (std::span<const int64_t> rest = keys_; !rest.empty();) {
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

  RandomKey Random() const { return {.seed = seed_, .purpose = "selection", .trigger = 1}; }
  void Note(const absl::Status& status) {
    if (status_.ok()) status_ = status;
  }

  const selector::PluginSelection spec_;
  const std::string folder_;
  std::vector<int64_t> keys_;
  WorkerPool pool_{"selection", 1};  // With the caller's thread, the selector's default.
  std::unique_ptr<plugin::PluginInstance> instance_;
  int64_t seed_ = 0;
  double seconds_to_start_ = 0;
  std::string digest_, built_in_digest_;
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
