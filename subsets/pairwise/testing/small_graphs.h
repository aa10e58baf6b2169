// Graphs that are small enough to try all choices, and the expected results.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "base/testing/status_matchers.h"
#include "subsets/pairwise/csr_graph.h"
#include "subsets/pairwise/greedy.h"
#include "subsets/pairwise/selection.h"

namespace tidemill::subsets::testing {

// Writes a small graph that is all in memory. INVALID_ARGUMENT for pairs with unknown nodes, of a
// node with itself, or that occur twice.
inline absl::Status WriteCsrGraph(const std::string& folder, std::span<const float> utilities,
                                  std::span<const Pair> pairs) {
  std::vector<std::vector<CsrEdge>> rows(utilities.size());
  for (const Pair& pair : pairs) {
    const int64_t count = std::ssize(rows);
    if (std::min(pair.from, pair.to) < 0 || std::max(pair.from, pair.to) >= count ||
        pair.from == pair.to) {
      return InvalidArgument("({}, {}) is not a pair of two different nodes among {} nodes",
                             pair.from, pair.to, count);
    }
    rows[static_cast<size_t>(pair.from)].push_back(
        {static_cast<uint32_t>(pair.to), pair.similarity});
    rows[static_cast<size_t>(pair.to)].push_back(
        {static_cast<uint32_t>(pair.from), pair.similarity});
  }
  ASSIGN_OR_RETURN(CsrWriter writer,
                   CsrWriter::Create(folder, std::ssize(utilities), 2 * std::ssize(pairs)));
  std::copy(utilities.begin(), utilities.end(), writer.utilities().begin());
  for (std::vector<CsrEdge>& row : rows) {
    std::ranges::sort(row, {}, &CsrEdge::node);
    if (std::ranges::adjacent_find(row, {}, &CsrEdge::node) != row.end()) {
      return InvalidArgument("a pair of nodes is listed twice; leave one out");
    }
    writer.AddRow(row);
  }
  return absl::OkStatus();
}

using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

// A folder of a test, which the destructor removes.
class TestFolder {
 public:
  TestFolder() {
    static std::atomic<int> number = 0;
    path_ = ::testing::TempDir() + fmt::format("pairwise.{}.{}", ::getpid(), number++);
    std::filesystem::create_directories(path_);
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Finds the neighbours of a node by looking at all pairs.
struct SmallGraph {
  std::vector<float> utilities;
  std::vector<Pair> pairs;

  int64_t num_nodes() const { return std::ssize(utilities); }
  int64_t max_degree() const { return num_nodes(); }
  float utility(int64_t node) const { return utilities[static_cast<size_t>(node)]; }
  template <typename Visit>
  void ForEachNeighbor(int64_t node, Visit&& visit) const {
    for (const Pair& pair : pairs) {
      const auto similarity = [&] { return pair.similarity; };
      if (pair.from == node) visit(pair.to, similarity);
      if (pair.to == node) visit(pair.from, similarity);
    }
  }

  double Objective(double alpha, const std::vector<int64_t>& chosen) const {
    const std::set<int64_t> set(chosen.begin(), chosen.end());
    double f = 0;
    for (const int64_t node : set)
      f += alpha * static_cast<double>(utilities[static_cast<size_t>(node)]);
    for (const Pair& pair : pairs) {
      if (set.contains(pair.from) && set.contains(pair.to)) {
        f -= (1 - alpha) * static_cast<double>(pair.similarity);
      }
    }
    return f;
  }

  // Tries all choices of k of at most 20 nodes.
  double Best(double alpha, int64_t k) const {
    double best = -std::numeric_limits<double>::infinity();
    for (uint32_t bits = 0; bits < uint32_t{1} << utilities.size(); ++bits) {
      if (std::popcount(bits) != k) continue;
      std::vector<int64_t> chosen;
      for (size_t v = 0; v < utilities.size(); ++v) {
        if ((bits >> v & 1) != 0) chosen.push_back(static_cast<int64_t>(v));
      }
      best = std::max(best, Objective(alpha, chosen));
    }
    return best;
  }

  // The greedy algorithm by its definition: looks at every node in every step.
  std::vector<int64_t> Greedily(double alpha, int64_t k,
                                std::vector<double>* gains = nullptr) const {
    std::vector<int64_t> chosen;
    while (std::ssize(chosen) < k) {
      int64_t best = -1;
      double most = 0;
      for (int64_t v = 0; v < std::ssize(utilities); ++v) {
        if (std::find(chosen.begin(), chosen.end(), v) != chosen.end()) continue;
        auto with = chosen;
        with.push_back(v);
        const double gain = Objective(alpha, with) - Objective(alpha, chosen);
        if (best < 0 || gain > most + 1e-12) {
          best = v;
          most = gain;
        }
      }
      chosen.push_back(best);
      if (gains != nullptr) gains->push_back(most);
    }
    return chosen;
  }
};

static_assert(Graph<SmallGraph>);

// The example of eight nodes in a ring from the description of the algorithm.
inline SmallGraph Ring() {
  return {.utilities = {.9F, .85F, .8F, .55F, .5F, .45F, .2F, .1F},
          .pairs = {{0, 1, .9F},
                    {1, 2, .3F},
                    {2, 3, .6F},
                    {3, 4, .8F},
                    {4, 5, .2F},
                    {5, 6, .7F},
                    {6, 7, .5F},
                    {0, 7, .1F}}};
}

// Makes `nodes` nodes with random utility. Each becomes the neighbour of `degree` others, with
// random similarities.
inline SmallGraph RandomGraph(int64_t seed, int64_t nodes, int64_t degree) {
  const RandomKey random{.seed = seed, .purpose = "test"};
  int64_t draw = 0;
  SmallGraph graph;
  std::set<std::pair<int64_t, int64_t>> seen;
  for (int64_t v = 0; v < nodes; ++v) {
    graph.utilities.push_back(static_cast<float>(RandomUnit(random, draw++)));
    for (int64_t i = 0; i < degree; ++i) {
      const auto w = static_cast<int64_t>(RandomUnit(random, draw++) * static_cast<double>(nodes));
      const auto similarity = static_cast<float>(RandomUnit(random, draw++));
      if (w == v || !seen.insert(std::minmax(v, w)).second) continue;
      graph.pairs.push_back({v, w, similarity});
    }
  }
  return graph;
}

struct Chosen {
  std::vector<int64_t> nodes;
  PairwiseOutcome outcome;
};

inline absl::StatusOr<Chosen> Choose(const GraphSpec& graph, int64_t num_nodes,
                                     const PairwiseOptions& options) {
  const TestFolder folder;
  ASSIGN_OR_RETURN(PairwiseOutcome outcome, SelectPairwise(graph, options, folder.path()));
  ASSIGN_OR_RETURN(const SharedFile file, SharedFile::Open(outcome.chosen_file));
  Chosen chosen{.nodes = {}, .outcome = std::move(outcome)};
  ForEachNode(file.As<const uint64_t>(), 0, num_nodes,
              [&](int64_t node) { chosen.nodes.push_back(node); });
  return chosen;
}

inline absl::StatusOr<Chosen> Choose(const SmallGraph& graph, const PairwiseOptions& options) {
  const TestFolder folder;
  RETURN_IF_ERROR(WriteCsrGraph(folder.path(), graph.utilities, graph.pairs));
  return Choose(CsrFolder{folder.path()}, std::ssize(graph.utilities), options);
}

}  // namespace tidemill::subsets::testing
