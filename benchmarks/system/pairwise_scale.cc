// Pairwise selection from an implicit graph of any size, by worker processes of bounded memory.
//
//   pairwise_scale --nodes=1e8 --fraction=0.1 --alpha=0.9 --partitions=16 --rounds=8 --workers=2
//                  --worker-memory=800 [--central] [--at-least=0.98]
//
// Prints a line of JSON: what was chosen, its objective beside that of a random subset, the
// seconds, and the greatest sum of RssAnon over this process and all workers. With --central the
// greedy algorithm on all nodes in one process is run as well, which takes 28 bytes for each.
//
// Of central greedy's objective ours is given as the plain ratio and normalised: the share of the
// way from the random subset's objective to central greedy's. The latter is the smaller of the two
// wherever a random subset is worth anything, says the same at every alpha, and is what --at-least
// holds against: below it the program fails.
#include <getopt.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/process/program_folder.h"
#include "benchmarks/bench_folder.h"
#include "benchmarks/system/process_tree_memory.h"
#include "subsets/pairwise/node_set.h"
#include "subsets/pairwise/selection.h"

namespace tidemill {
namespace {

using nlohmann::json;

struct Flags {
  double nodes = 1e6;
  double fraction = 0.1;
  double neighbors = 10;
  double worker_memory = 800;  // MiB.
  double at_least = 0;
  bool central = false;
  bool implicit = true;
  subsets::PairwiseOptions options;
};

// std::nullopt for unknown flags.
std::optional<Flags> Parse(int argc, char** argv) {
  Flags flags;
  double sampled = 0;
  double partitions = 16;
  double rounds = 8;
  double workers = 2;
  double seed = 1;
  double bounding = 1;
  const struct {
    const char* name;
    double* into;
  } numbers[] = {{"nodes", &flags.nodes},
                 {"fraction", &flags.fraction},
                 {"neighbors", &flags.neighbors},
                 {"alpha", &flags.options.alpha},
                 {"partitions", &partitions},
                 {"rounds", &rounds},
                 {"workers", &workers},
                 {"worker-memory", &flags.worker_memory},
                 {"bounding", &bounding},
                 {"sampled-bounding", &sampled},
                 {"seed", &seed},
                 {"at-least", &flags.at_least}};
  std::vector<option> long_options;
  for (const auto& number : numbers) {
    long_options.push_back({number.name, required_argument, nullptr, 0});
  }
  long_options.push_back({"central", no_argument, nullptr, 0});
  long_options.push_back({"implicit", no_argument, nullptr, 0});
  long_options.push_back({});
  int index = 0;
  for (int got = 0; (got = getopt_long(argc, argv, "", long_options.data(), &index)) != -1;) {
    if (got != 0) return std::nullopt;
    const auto at = static_cast<size_t>(index);
    if (at < std::size(numbers)) *numbers[at].into = std::atof(optarg);
    if (at == std::size(numbers)) flags.central = true;
  }
  flags.options.count = std::llround(flags.nodes * flags.fraction);
  flags.options.partitions = std::llround(partitions);
  flags.options.rounds = std::llround(rounds);
  flags.options.seed = std::llround(seed);
  flags.options.bounding = bounding != 0;
  if (sampled > 0) flags.options.sampled_bounding = sampled;
  flags.options.workers.count = std::llround(workers);
  flags.options.workers.memory = std::llround(flags.worker_memory) << 20;
  return flags;
}

// What a function took.
template <typename Function>
auto Timed(double& seconds, Function&& function) {
  const auto begin = std::chrono::steady_clock::now();
  auto result = function();
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

// The time of this process and of all children that have ended.
double ProcessorSeconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
  }
  return seconds;
}

absl::StatusOr<double> RandomObjective(const subsets::GraphSpec& graph, const Flags& flags,
                                       const std::string& folder) {
  const auto nodes = static_cast<int64_t>(flags.nodes);
  {
    ASSIGN_OR_RETURN(const auto file, subsets::SharedFile::Create(folder + "/random.set",
                                                                  subsets::NumWords(nodes) * 8));
    const Permutation order({.seed = flags.options.seed, .purpose = "pairwise/random"}, nodes);
    for (int64_t i = 0; i < flags.options.count; ++i) {
      subsets::Insert(file.As<uint64_t>(), order(i));
    }
  }
  return subsets::PairwiseObjective(graph, flags.options, folder, "random.set");
}

// The greedy algorithm on all nodes.
absl::Status AddCentral(const subsets::GraphSpec& graph, const Flags& flags,
                        const std::string& folder, json& report) {
  subsets::PairwiseOptions options = flags.options;
  options.bounding = false;
  options.partitions = 1;
  options.rounds = 1;
  options.workers.memory = 0;
  double seconds = 0;
  ASSIGN_OR_RETURN(const auto central,
                   Timed(seconds, [&] { return SelectPairwise(graph, options, folder); }));
  const double ours = report["objective"];
  const double random = report["random_objective"];
  report["central_objective"] = central.objective;
  report["central_seconds"] = seconds;
  report["ratio"] = ours / central.objective;
  report["normalised"] = (ours - random) / (central.objective - random);
  return absl::OkStatus();
}

absl::StatusOr<json> Measure(const Flags& flags, const std::string& folder) {
  const subsets::GraphSpec graph =
      subsets::ImplicitGraphSpec{.num_nodes = static_cast<int64_t>(flags.nodes),
                                 .neighbors = static_cast<int64_t>(flags.neighbors),
                                 .seed = flags.options.seed};
  double seconds = 0;
  int64_t most = 0;
  const auto select = [&] {
    const benchmarks::ProcessTreeMemory memory;
    auto outcome = SelectPairwise(graph, flags.options, folder);
    most = memory.most();
    return outcome;
  };
  const double processor_before = ProcessorSeconds();
  ASSIGN_OR_RETURN(const subsets::PairwiseOutcome outcome, Timed(seconds, select));
  json rounds = json::array();
  for (const subsets::PairwiseRound& round : outcome.rounds) {
    rounds.push_back({{"parts", round.parts}, {"nodes", round.nodes}, {"picked", round.picked}});
  }
  json report = {{"name", "pairwise"},
                 {"nodes", static_cast<int64_t>(flags.nodes)},
                 {"neighbors", static_cast<int64_t>(flags.neighbors)},
                 {"chosen", outcome.num_chosen},
                 {"alpha", flags.options.alpha},
                 {"partitions", flags.options.partitions},
                 {"max_rounds", flags.options.rounds},
                 {"workers", flags.options.workers.count},
                 {"seconds", seconds},
                 {"processor_seconds", ProcessorSeconds() - processor_before},
                 {"rss_anon", most},
                 {"included", outcome.num_included},
                 {"discarded", outcome.num_discarded},
                 {"undecided", outcome.num_undecided},
                 {"bounding_passes", outcome.bounding_passes},
                 {"rounds", rounds},
                 {"objective", outcome.objective}};
  ASSIGN_OR_RETURN(report["random_objective"], RandomObjective(graph, flags, folder));
  if (flags.central) RETURN_IF_ERROR(AddCentral(graph, flags, folder, report));
  return report;
}

int Run(int argc, char** argv) {
  std::optional<Flags> flags = Parse(argc, argv);
  const auto programs = process::ProgramFolder();
  if (!flags || !programs.ok()) {
    fmt::print(stderr, "see the head of pairwise_scale.cc for the flags\n");
    return 2;
  }
  flags->options.workers.program = files::Join(*programs, "tidemill-select-worker");
  flags->options.progress = [](const std::string& what) { fmt::print(stderr, "{}\n", what); };
  const benchmarks::BenchFolder folder("pairwise");
  const absl::StatusOr<json> report = Measure(*flags, folder.path());
  if (!report.ok()) {
    fmt::print(stderr, "{}\n", report.status().ToString());
    return 1;
  }
  fmt::print("{}\n", report->dump());
  if (flags->central && report->at("normalised") < flags->at_least) {
    fmt::print(stderr, "{} of the way from a random subset to central greedy, less than {}\n",
               report->at("normalised").get<double>(), flags->at_least);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace tidemill

int main(int argc, char** argv) { return tidemill::Run(argc, argv); }
