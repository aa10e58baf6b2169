#include "selector/trials/selection_promises.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "selector/choosing/chooser.h"
#include "selector/columns/training_set_file.h"
#include "selector/policies/plugin/plugin_selection.h"
#include "selector/trials/invented_facts.h"

namespace tidemill::selector::trials {
namespace {

constexpr int64_t kFirstKey = int64_t{1} << 44;
constexpr int64_t kTrigger = 2;
// For the trial of memory: both include what a policy needs for one block.
constexpr int64_t kFewCandidates = 150'000;
constexpr int64_t kManyCandidates = 450'000;
// The memory that a policy may keep for each candidate: a few numbers.
constexpr double kMaxBytesOfCandidate = 100;
// For the trial of weights.
constexpr int64_t kNumSeeds = 24;
// More standard errors than these are not an accident, even with few seeds.
constexpr double kMaxErrors = 6;

struct Chosen {
  std::vector<int64_t> keys;
  std::vector<float> weights;
  ChoiceNotes notes;
  double seconds = 0;
  // The peak memory of this process's children when the choice was made.
  int64_t peak_bytes = 0;
};

// The peak memory of a process, in bytes.
int64_t PeakOf(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string word; file >> word;) {
    if (word != "VmHWM:") continue;
    int64_t kilobytes = 0;
    file >> kilobytes;
    return kilobytes << 10;
  }
  return 0;
}

int64_t PeakBelow(pid_t process) {
  int64_t peak = 0;
  std::error_code error;
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
    std::ifstream file(task.path() / "children");
    for (pid_t child = 0; file >> child;) peak += PeakOf(child) + PeakBelow(child);
  }
  return peak;
}

// Samples of a stream, a second apart.
struct Stream {
  explicit Stream(int64_t num_samples) {
    for (int64_t i = 0; i < num_samples; ++i) {
      keys.push_back(kFirstKey + i);
      event_times.push_back(1'600'000'000'000'000 + i * 1'000'000);
      labels.push_back(InventedFacts::LabelOf(keys.back()));
    }
  }
  Candidates From(size_t first, size_t count) const {
    return {.keys = std::span(keys).subspan(first, count),
            .event_times = std::span(event_times).subspan(first, count),
            .labels = std::span(labels).subspan(first, count)};
  }

  std::vector<int64_t> keys;
  std::vector<int64_t> event_times;
  std::vector<int64_t> labels;
};

// How a choice is made.
struct Circumstances {
  size_t piece = size_t{1} << 17;
  int64_t seed = 7;
};

absl::StatusOr<Chosen> ChooseFrom(const SelectionSpec& spec, const Stream& stream,
                                  const Circumstances& how) {
  std::error_code error;
  const std::string folder = std::filesystem::temp_directory_path(error).string();
  const auto begin = std::chrono::steady_clock::now();
  InventedFacts facts(std::max<size_t>(how.piece, 64));
  TrainingSetWriter writer(folder);
  const auto chooser = ChooserFor(
      spec, {.seed = how.seed, .purpose = "selection", .trigger = kTrigger},
      {.folder = folder, .facts = &facts, .most_shown = static_cast<int64_t>(how.piece)}, writer);
  for (size_t first = 0; first < stream.keys.size(); first += how.piece) {
    const size_t count = std::min(how.piece, stream.keys.size() - first);
    RETURN_IF_ERROR(chooser->Add(stream.From(first, count)));
  }
  RETURN_IF_ERROR(chooser->Finish());
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  Chosen chosen{.keys = std::vector<int64_t>(static_cast<size_t>(writer.num_keys())),
                .weights = {},
                .notes = chooser->notes(),
                .seconds = taken.count(),
                .peak_bytes = PeakBelow(getpid())};
  RETURN_IF_ERROR(writer.ReadKeys(0, chosen.keys));
  if (!writer.weighted()) return chosen;
  chosen.weights.resize(chosen.keys.size());
  RETURN_IF_ERROR(writer.ReadWeights(0, chosen.weights));
  return chosen;
}

// A number of a sample whose mean the weights claim to keep.
struct Statistic {
  const char* name;
  double (*of)(int64_t key);
};

constexpr Statistic kStatistics[] = {
    {"the weights themselves", [](int64_t) { return 1.0; }},
    {"the place in the stream", [](int64_t key) { return static_cast<double>(key - kFirstKey); }},
    {"the share of class 1",
     [](int64_t key) { return InventedFacts::LabelOf(key) == 1 ? 1.0 : 0.0; }},
    {"a column",
     [](int64_t key) { return static_cast<double>(InventedFacts::NumberOf("trial", key)); }}};

class Trial {
 public:
  Trial(const SelectionSpec& spec, int64_t num_samples) : spec_(spec), stream_(num_samples) {}

  absl::StatusOr<SelectionTrial> Run() {
    ASSIGN_OR_RETURN(whole_, ChooseFrom(spec_, stream_, {}));
    SelectionTrial trial{.num_samples = std::ssize(stream_.keys),
                         .num_chosen = std::ssize(whole_.keys),
                         .num_left_out = whole_.notes.num_left_out};
    trial.promises.push_back(Chooses());
    trial.promises.push_back(ChoosesCandidatesInOrder());
    ASSIGN_OR_RETURN(trial.promises.emplace_back(),
                     Same("chooses the same in another process", whole_piece()));
    for (const size_t piece : {1, 7, 1000}) {
      ASSIGN_OR_RETURN(
          trial.promises.emplace_back(),
          Same(fmt::format("chooses the same from candidates in pieces of {}", piece), piece));
    }
    if (ClaimsToBeUnbiased()) {
      ASSIGN_OR_RETURN(trial.promises.emplace_back(), IsUnbiased());
    }
    ASSIGN_OR_RETURN(trial.promises.emplace_back(), RemembersLittle(trial));
    return trial;
  }

 private:
  size_t whole_piece() const { return Circumstances().piece; }

  plugin::Promise Chooses() const {
    const bool has_fault = whole_.notes.fault.has_value();
    return {.text = "chooses",
            .is_kept = !has_fault && !whole_.keys.empty(),
            .detail = has_fault ? whole_.notes.fault->what
                                : fmt::format("{} of {} candidates", whole_.keys.size(),
                                              stream_.keys.size())};
  }

  plugin::Promise ChoosesCandidatesInOrder() const {
    plugin::Promise promise{.text = "chooses candidates, each once, in the order of the stream"};
    size_t next = 0;
    for (const int64_t key : whole_.keys) {
      while (next < stream_.keys.size() && stream_.keys[next] != key) ++next;
      if (next++ < stream_.keys.size()) continue;
      promise.is_kept = false;
      promise.detail = fmt::format("sample {} is out of order", key);
      break;
    }
    return promise;
  }

  absl::StatusOr<plugin::Promise> Same(std::string text, size_t piece) {
    ASSIGN_OR_RETURN(const Chosen again, ChooseFrom(spec_, stream_, {.piece = piece}));
    plugin::Promise promise{.text = std::move(text)};
    if (again.notes.fault) {
      promise.is_kept = false;
      promise.detail = again.notes.fault->what;
    } else if (again.keys != whole_.keys) {
      promise.is_kept = false;
      const auto [mine, theirs] = std::ranges::mismatch(again.keys, whole_.keys);
      promise.detail = fmt::format("from sample {} of the choice on it chooses others",
                                   theirs - whole_.keys.begin() + 1);
    } else if (again.weights != whole_.weights) {
      promise.is_kept = false;
      promise.detail = "it chooses the same samples with other weights";
    }
    return promise;
  }

  bool ClaimsToBeUnbiased() const {
    const PluginSelection* const plugin = spec_.As<PluginSelection>();
    if (plugin == nullptr) return false;
    const auto declaration = plugin->Declaration();
    return declaration.ok() && declaration->unbiased;
  }

  // The mean over the choices of several runs, against that of all candidates.
  absl::StatusOr<plugin::Promise> IsUnbiased() {
    plugin::Promise promise{.text = "keeps means over all candidates by its weights, as it says"};
    std::vector<std::vector<double>> means(std::size(kStatistics));
    for (int64_t seed = 1; seed <= kNumSeeds; ++seed) {
      ASSIGN_OR_RETURN(const Chosen chosen, ChooseFrom(spec_, stream_, {.seed = seed}));
      if (chosen.keys.empty()) return promise;
      for (size_t i = 0; i < means.size(); ++i) {
        means[i].push_back(MeanOf(kStatistics[i], chosen.keys, chosen.weights));
      }
    }
    for (size_t i = 0; i < means.size() && promise.is_kept; ++i) {
      const double wanted = MeanOf(kStatistics[i], stream_.keys, {});
      const auto [mean, error] = MeanAndError(means[i]);
      if (std::abs(mean - wanted) <= kMaxErrors * error + 1e-6 * std::abs(wanted)) continue;
      promise.is_kept = false;
      promise.detail = fmt::format("the mean of {} is {:.6g} over {} choices, and {:.6g} over all",
                                   kStatistics[i].name, mean, kNumSeeds, wanted);
    }
    return promise;
  }

  static double MeanOf(const Statistic& statistic, std::span<const int64_t> keys,
                       std::span<const float> weights) {
    double sum = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      sum += statistic.of(keys[i]) * (weights.empty() ? 1.0 : static_cast<double>(weights[i]));
    }
    return keys.empty() ? 0 : sum / static_cast<double>(keys.size());
  }

  // The mean, and its standard error.
  static std::pair<double, double> MeanAndError(const std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    double mean = 0, squares = 0;
    for (const double value : values) mean += value / count;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return {mean, std::sqrt(squares / (count - 1) / count)};
  }

  absl::StatusOr<plugin::Promise> RemembersLittle(SelectionTrial& trial) {
    ASSIGN_OR_RETURN(const Chosen few, ChooseFrom(spec_, Stream(kFewCandidates), {}));
    ASSIGN_OR_RETURN(const Chosen many, ChooseFrom(spec_, Stream(kManyCandidates), {}));
    trial.candidates_per_second = static_cast<double>(kManyCandidates) / many.seconds;
    const double bytes = std::max(0.0, static_cast<double>(many.peak_bytes - few.peak_bytes) /
                                           static_cast<double>(kManyCandidates - kFewCandidates));
    return plugin::Promise{.text = "remembers a few numbers of each candidate at most",
                           .is_kept = bytes <= kMaxBytesOfCandidate,
                           .detail = fmt::format("about {:.0f} bytes of each", bytes)};
  }

  const SelectionSpec& spec_;
  const Stream stream_;
  Chosen whole_;
};

}  // namespace

bool SelectionTrial::KeepsAll() const {
  return std::ranges::all_of(promises, &plugin::Promise::is_kept);
}

absl::StatusOr<SelectionTrial> TrySelection(const SelectionSpec& spec, int64_t num_samples) {
  return Trial(spec, num_samples).Run();
}

}  // namespace tidemill::selector::trials
