// Selection policies that look at embeddings: what the last layer of the run's newest model is
// given for each candidate. While there is no model, they choose all candidates.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "config/config.h"
#include "selector/client/draw_spec.h"

namespace tidemill::selector {

struct KCenter : Draw {
  static constexpr std::string_view kType = "k_center";
  static constexpr std::string_view kDoc =
      "Trains on samples such that no candidate is far from all of them.";
  static constexpr std::string_view kRule =
      "again and again the candidate farthest (Euclidean distance of embeddings) from those "
      "chosen, "
      "the first being the one nearest to the mean";
  static constexpr std::string_view kWeights =
      "1 each, or with `weights: inverse_probability` in proportion to the candidates nearest to "
      "it";
  static constexpr std::string_view kCost =
      "O(N k d) time; the radius is at most twice the best possible, four times with `partitions`. "
      "Embeddings that need more than half of the memory budget are cut into so many parts that "
      "each fits, of which a remark tells";
  static constexpr std::string_view kSource =
      "Gonzalez (1985); Sener and Savarese, Active learning for CNNs: a core-set approach (ICLR "
      "2018)";
  Weighting weights = Weighting::kNone;
  int64_t partitions = 1;

  void Fields(auto&& field) {
    Draw::Fields(field);
    field("weights", weights, "What weight a sample gets in the loss.");
    field("partitions", partitions,
          "Choose from so many random parts by themselves, then from what was chosen there.",
          {.min = 1, .max = 65'536});
  }
};

// Greedy algorithms for monotone submodular functions.
enum class Greedy { kLazy, kNaive, kStochastic };

struct FacilityLocation : Draw {
  static constexpr std::string_view kType = "facility_location";
  static constexpr std::string_view kDoc =
      "Trains on samples that are similar to many candidates: each candidate counts by its nearest "
      "chosen one.";
  static constexpr std::string_view kRule =
      "greedily the candidate that raises the sum over all candidates of max over the chosen of "
      "(greatest distance - distance) most";
  static constexpr std::string_view kWeights =
      "1 each, or with `weights: inverse_probability` in proportion to the candidates nearest to "
      "it, itself included";
  static constexpr std::string_view kCost =
      "O(n^2 d) time and n^2 numbers for the n candidates of a part. When half of the memory "
      "budget does not hold those of all candidates, random parts that it does hold each choose, "
      "and the choice is made among what they chose, each for the candidates that it stands for; "
      "when not even the samples to choose fit, each part chooses its share. A remark tells";
  static constexpr std::string_view kSource =
      "Mirzasoleiman et al., Coresets for data-efficient training (ICML 2020) and Distributed "
      "submodular maximization (NeurIPS 2013); Minoux (1978); Lazier than lazy greedy (AAAI 2015)";
  Greedy greedy = Greedy::kLazy;
  double epsilon = 0.1;
  Weighting weights = Weighting::kNone;

  void Fields(auto&& field) {
    Draw::Fields(field);
    field("greedy", greedy,
          "lazy and naive choose the same, lazy faster; stochastic looks at n / k log(1 / epsilon) "
          "random candidates a step.");
    field("epsilon", epsilon, "Of the stochastic greedy algorithm.", {.min = 1e-6, .max = 0.999});
    field("weights", weights, "What weight a sample gets in the loss.");
  }
};

struct KMedoids : Draw {
  static constexpr std::string_view kType = "k_medoids";
  static constexpr std::string_view kDoc =
      "Trains on the middles of clusters: a summary of the candidates.";
  static constexpr std::string_view kRule =
      "k-means on embeddings, then of each cluster the candidate nearest to its centre; a cluster "
      "that loses its last candidate starts anew with the one farthest from its own centre";
  static constexpr std::string_view kWeights =
      "1 each, or with `weights: inverse_probability` in proportion to the size of the cluster";
  static constexpr std::string_view kCost =
      "O(N k d iterations) time, O(N + k d) memory beside the embeddings";
  static constexpr std::string_view kSource = "Lloyd (1982); Kaufman and Rousseeuw (1987)";
  int64_t iterations = 20;
  Weighting weights = Weighting::kNone;

  void Fields(auto&& field) {
    Draw::Fields(field);
    field("iterations", iterations, "Rounds of k-means.", {.min = 1, .max = 1000});
    field("weights", weights, "What weight a sample gets in the loss.");
  }
};

struct Pairwise : Draw {
  static constexpr std::string_view kType = "pairwise";
  static constexpr std::string_view kDoc =
      "Trains on samples that the model is unsure of and that are unlike one another, chosen by "
      "worker processes of which none holds all of them.";
  static constexpr std::string_view kRule =
      "maximises alpha sum u(v) - (1 - alpha) sum s(v, w) over pairs of chosen neighbours: u = 1 - "
      "(p1 - p2) of the newest model's two greatest probabilities, s = the cosine of embeddings, "
      "at "
      "least 0, over the `neighbors` nearest neighbours of each. Bounding decides what can be "
      "decided exactly; then, for `rounds` rounds, random parts are each reduced greedily";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost =
      "O((N + edges) log N) over all workers, O(N / partitions) memory in each";
  static constexpr std::string_view kSource =
      "Boether et al., On Distributed Larger-Than-Memory Subset Selection With Pairwise Submodular "
      "Functions (MLSys 2025)";
  double alpha = 0.9;
  int64_t neighbors = 10;
  int64_t partitions = 8;
  int64_t rounds = 8;
  bool adaptive = true;
  bool bounding = true;
  std::optional<double> sampled_bounding = std::nullopt;

  void Fields(auto&& field) {
    Draw::Fields(field);
    field("alpha", alpha, "How much the utility counts, against unlikeness.",
          {.min = 0.01, .max = 1});
    field("neighbors", neighbors, "Nearest neighbours of each candidate.", {.min = 1, .max = 1000});
    field("partitions", partitions, "Parts of the first round.", {.min = 1, .max = 65'536});
    field("rounds", rounds, "Rounds in which the candidates are reduced.", {.min = 1, .max = 1000});
    field("adaptive", adaptive, "Fewer parts as fewer candidates are left.");
    field("bounding", bounding, "Decide first what bounds decide; the best choice stays possible.");
    field("sampled_bounding", sampled_bounding,
          "Decide more by bounds over this share of the neighbours, without that guarantee.",
          {.min = 0.01, .max = 1});
  }
};

// Which sample of a group of alike ones stays.
enum class KeepOf { kHard, kEasy, kFirst };

struct Deduplicated {
  static constexpr std::string_view kType = "deduplicated";
  static constexpr std::string_view kDoc =
      "Trains on the candidates without those that say nearly the same as another one.";
  static constexpr std::string_view kRule =
      "k-means on embeddings of length 1; within a cluster, in the order that `keep` says, a "
      "sample "
      "goes when its cosine with an earlier one, kept or not, is above 1 - `epsilon`";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost =
      "d times (20 N clusters + the sum of squares of the clusters' sizes) time; the embeddings a "
      "second time, in a file beyond half of the memory budget";
  static constexpr std::string_view kSource =
      "Abbas et al., SemDeDup: Data-efficient learning at web-scale through semantic deduplication "
      "(2023)";
  CandidatePool pool;
  double epsilon = 0.05;
  std::optional<int64_t> clusters = std::nullopt;
  KeepOf keep = KeepOf::kHard;
  int64_t warmup_triggers = 0;

  void Fields(auto&& field) {
    pool.Fields(field);
    field("epsilon", epsilon,
          "How far from 1 a cosine may be for two samples to be alike; 0: none are.",
          {.min = 0, .max = 1});
    field("clusters", clusters, "Clusters; by default the square root of the candidates.",
          {.min = 1, .max = 1e6});
    field(
        "keep", keep,
        "Which of several stays: hard, the farthest from the cluster's centre; easy, the nearest; "
        "first, the first in the stream.");
    field("warmup_triggers", warmup_triggers,
          "So many first triggers train on all their candidates.", {.min = 0});
  }
  void Check(config::Problems& problems) const { pool.Check(problems); }
};

}  // namespace tidemill::selector

template <>
struct tidemill::config::EnumNames<tidemill::selector::Greedy> {
  static constexpr std::pair<tidemill::selector::Greedy, std::string_view> kNames[] = {
      {tidemill::selector::Greedy::kLazy, "lazy"},
      {tidemill::selector::Greedy::kNaive, "naive"},
      {tidemill::selector::Greedy::kStochastic, "stochastic"}};
};
template <>
struct tidemill::config::EnumNames<tidemill::selector::KeepOf> {
  static constexpr std::pair<tidemill::selector::KeepOf, std::string_view> kNames[] = {
      {tidemill::selector::KeepOf::kHard, "hard"},
      {tidemill::selector::KeepOf::kEasy, "easy"},
      {tidemill::selector::KeepOf::kFirst, "first"}};
};
