#include "loader/sample_sources.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "storage/spec/glob.h"

namespace tidemill::loader {
namespace {

// Finds the source of a sample.
class Sorter {
 public:
  Sorter(const SampleFacts& facts, const models::Mix& mix) : facts_(facts), mix_(mix) {
    for (const models::MixSource& source : mix.sources) {
      std::vector<bool>& fits = file_fits_.emplace_back(facts.paths.size(), true);
      if (source.files.empty()) continue;
      for (size_t file = 0; file < fits.size(); ++file) {
        fits[file] = storage::GlobMatches(source.files, facts.paths[file]);
      }
    }
  }

  std::optional<size_t> SourceOf(int64_t ordinal) const {
    const int32_t file = facts_.files[static_cast<size_t>(ordinal)];
    if (file == SampleFacts::kNoFile) return mix_.sources.size() - 1;
    const std::optional<int64_t> its_class = facts_.ClassOf(ordinal);
    for (size_t i = 0; i < mix_.sources.size(); ++i) {
      const std::vector<int64_t>& classes = mix_.sources[i].classes;
      const bool class_fits =
          classes.empty() || (its_class && std::ranges::find(classes, *its_class) != classes.end());
      if (class_fits && file_fits_[i][static_cast<size_t>(file)]) return i;
    }
    return std::nullopt;
  }

  std::string Describe(int64_t ordinal, int64_t key) const {
    const std::optional<int64_t> its_class = facts_.ClassOf(ordinal);
    const int32_t file = facts_.files[static_cast<size_t>(ordinal)];
    return fmt::format("sample {} of {}{}", key, facts_.paths[static_cast<size_t>(file)],
                       its_class ? fmt::format(", class {}", *its_class) : ", without a class");
  }

 private:
  const SampleFacts& facts_;
  const models::Mix& mix_;
  std::vector<std::vector<bool>> file_fits_;  // By source, by file.
};

}  // namespace

absl::StatusOr<SampleSources> DivideIntoSources(const TrainingSet& set, const SampleFacts& facts,
                                                const Subset* subset, const models::Mix& mix) {
  if (mix.sources.empty()) return InvalidArgument("a mix needs sources");
  const Sorter sorter(facts, mix);
  SampleSources divided{.mode = mix.mode};
  for (const models::MixSource& source : mix.sources) {
    divided.sources.push_back({.weight = source.weight});
  }
  const int64_t size = subset == nullptr ? set.size() : subset->size();
  int64_t num_left = 0;
  int64_t left = 0;
  for (int64_t place = 0; place < size; ++place) {
    const int64_t ordinal =
        subset == nullptr ? place : subset->ordinals[static_cast<size_t>(place)];
    if (const auto source = sorter.SourceOf(ordinal)) {
      divided.sources[*source].ordinals.push_back(place);
    } else if (num_left++ == 0) {
      left = ordinal;
    }
  }
  if (num_left > 0) {
    return InvalidArgument(
        "{} of {} samples, such as {}, belong to no source of training.mix; add a source without "
        "classes and files, or leave them out in `selection`",
        num_left, size, sorter.Describe(left, set.keys[static_cast<size_t>(left)]));
  }
  for (size_t i = 0; i < divided.sources.size(); ++i) {
    if (!divided.sources[i].ordinals.empty()) continue;
    return InvalidArgument("of {} samples{}, none belongs to training.mix.sources[{}]", size,
                           subset == nullptr ? "" : " of a shard", i);
  }
  return divided;
}

absl::StatusOr<std::vector<Subset>> ShardByFile(const SampleFacts& facts, int64_t num_shards) {
  std::vector<int64_t> sizes(facts.paths.size());
  for (const int32_t file : facts.files) {
    if (file != SampleFacts::kNoFile) ++sizes[static_cast<size_t>(file)];
  }
  if (std::ssize(sizes) < num_shards) {
    return InvalidArgument(
        "the training set has {} files, but shards.count is {}: write at most {}, or by: key",
        sizes.size(), num_shards, sizes.size());
  }
  std::vector<size_t> by_size(sizes.size());
  std::iota(by_size.begin(), by_size.end(), 0);
  std::ranges::stable_sort(by_size, std::greater(), [&](size_t file) { return sizes[file]; });
  std::vector<int64_t> loads(static_cast<size_t>(num_shards));
  std::vector<size_t> shard_of(sizes.size());
  for (const size_t file : by_size) {
    shard_of[file] = static_cast<size_t>(std::ranges::min_element(loads) - loads.begin());
    loads[shard_of[file]] += sizes[file];
  }
  std::vector<Subset> shards(loads.size());
  for (size_t ordinal = 0; ordinal < facts.files.size(); ++ordinal) {
    const int32_t file = facts.files[ordinal];
    // A sample that storage does not know is a hole anywhere.
    const size_t shard = file == SampleFacts::kNoFile ? 0 : shard_of[static_cast<size_t>(file)];
    shards[shard].ordinals.push_back(static_cast<int64_t>(ordinal));
  }
  return shards;
}

absl::StatusOr<std::vector<Subset>> ShardByKey(int64_t size, int64_t num_shards) {
  if (size < num_shards) {
    return InvalidArgument(
        "the training set has {} samples, but shards.count is {}: write at most {}", size,
        num_shards, size);
  }
  std::vector<Subset> shards(static_cast<size_t>(num_shards));
  for (int64_t shard = 0; shard < num_shards; ++shard) {
    const int64_t from = size * shard / num_shards;
    std::vector<int64_t>& ordinals = shards[static_cast<size_t>(shard)].ordinals;
    ordinals.resize(static_cast<size_t>(size * (shard + 1) / num_shards - from));
    std::iota(ordinals.begin(), ordinals.end(), from);
  }
  return shards;
}

}  // namespace tidemill::loader
