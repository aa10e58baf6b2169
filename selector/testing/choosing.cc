#include "selector/testing/choosing.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::selector::testing {
namespace {

using ::tidemill::testing::IsOk;

// Whether `keys` are some of `all`, in their order.
bool IsPartOf(std::span<const int64_t> all, std::span<const int64_t> keys) {
  for (const int64_t key : all) {
    if (!keys.empty() && keys.front() == key) keys = keys.subspan(1);
  }
  return keys.empty();
}

void Add(const Stream& stream, size_t piece, Chooser& chooser) {
  for (size_t from = 0; from < stream.keys.size(); from += piece) {
    const size_t count = std::min(piece, stream.keys.size() - from);
    EXPECT_THAT(chooser.Add({.keys = std::span(stream.keys).subspan(from, count),
                             .event_times = std::span(stream.times).subspan(from, count),
                             .labels = std::span(stream.labels).subspan(from, count)}),
                IsOk());
  }
}

}  // namespace

SelectionSpec Spec(const std::string& yaml) {
  auto spec = config::Read<SelectionSpec>(yaml, "selection");
  EXPECT_THAT(spec, IsOk());
  return *std::move(spec);
}

Stream StreamOf(int64_t num_samples) { return MixedClasses({num_samples}); }

Stream MixedClasses(const std::vector<int64_t>& counts) {
  Stream stream;
  for (size_t label = 0; label < counts.size(); ++label) {
    stream.labels.insert(stream.labels.end(), static_cast<size_t>(counts[label]),
                         static_cast<int64_t>(label));
  }
  const auto size = std::ssize(stream.labels);
  if (size == 0) return stream;
  const std::vector<int64_t> sorted = stream.labels;
  const Permutation shuffle({.seed = 1, .purpose = "mix"}, size);
  for (int64_t i = 0; i < size; ++i) {
    stream.labels[static_cast<size_t>(i)] = sorted[static_cast<size_t>(shuffle(i))];
  }
  stream.keys.resize(stream.labels.size());
  stream.times.resize(stream.labels.size());
  std::iota(stream.keys.begin(), stream.keys.end(), kFirstKey);
  std::iota(stream.times.begin(), stream.times.end(), 0);
  return stream;
}

ChosenKeys Chosen::Keys() const {
  std::vector<int64_t> keys = rows;
  for (int64_t& key : keys) key += kFirstKey;
  ChosenKeys chosen;
  chosen.Add(keys);
  return chosen;
}

Chosen ChooseFrom(const SelectionSpec& spec, const Stream& stream, const RandomKey& random,
                  const Circumstances& how) {
  // Nothing is published, so nothing stays there.
  const std::string folder = ::testing::TempDir();
  std::unique_ptr<WorkerPool> pool;
  if (how.num_threads > 1) pool = std::make_unique<WorkerPool>("selection", how.num_threads - 1);
  TrainingSetWriter writer(folder);
  const Workplace workplace{.folder = folder,
                            .memory_budget = how.memory_budget,
                            .pool = pool.get(),
                            .facts = how.facts,
                            .ends = how.ends,
                            .chosen_before = how.chosen_before,
                            .chosen_in_round = how.chosen_in_round,
                            .hosts = how.hosts};
  const auto chooser = ChooserFor(spec, random, workplace, writer);
  Add(stream, how.piece, *chooser);
  EXPECT_THAT(chooser->Finish(), IsOk());
  Chosen chosen{.rows = std::vector<int64_t>(static_cast<size_t>(writer.num_keys())),
                .weights = {},
                .notes = chooser->notes()};
  EXPECT_THAT(writer.ReadKeys(0, chosen.rows), IsOk());
  if (writer.weighted()) {
    chosen.weights.resize(chosen.rows.size());
    EXPECT_THAT(writer.ReadWeights(0, chosen.weights), IsOk());
  }
  EXPECT_TRUE(IsPartOf(stream.keys, chosen.rows)) << "in the order of the stream, each once";
  for (int64_t& row : chosen.rows) row -= kFirstKey;
  return chosen;
}

Chosen ChooseInManyWays(const SelectionSpec& spec, const Stream& stream, const RandomKey& random,
                        const Circumstances& how) {
  const Chosen first = ChooseFrom(spec, stream, random, how);
  for (const size_t piece : {size_t{7919}, size_t{100'000}}) {
    Circumstances other = how;
    other.piece = piece;
    other.memory_budget = piece == 7919 ? 1 : int64_t{1} << 20;
    other.num_threads = 4;
    const Chosen again = ChooseFrom(spec, stream, random, other);
    EXPECT_EQ(again.rows, first.rows) << "in pieces of " << piece;
    EXPECT_EQ(again.weights, first.weights) << "in pieces of " << piece;
  }
  return first;
}

absl::Status Values::ReadColumn(std::span<const int64_t> keys, const std::string&,
                                const Sink& sink) {
  std::vector<int64_t> known;
  std::vector<float> said;
  for (const int64_t key : keys) {
    const auto row = static_cast<size_t>(key - kFirstKey);
    if (row >= values_.size()) continue;
    known.push_back(key);
    said.push_back(values_[row]);
  }
  batch::Batch rows(std::ssize(known));
  RETURN_IF_ERROR(rows.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, known)));
  RETURN_IF_ERROR(rows.Set(batch::MakeColumn<float>("values", said)));
  return sink(rows);
}

absl::Status Values::ReadModel(std::span<const int64_t>, bool, const Sink&) {
  return FailedPrecondition("there is no model");
}

}  // namespace tidemill::selector::testing
