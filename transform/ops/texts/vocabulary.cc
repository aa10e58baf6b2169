#include "transform/ops/texts/vocabulary.h"

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

#include "transform/engine/numbers.h"
#include "transform/engine/portable_graph.h"
#include "transform/ops/texts/text_words.h"

namespace tidemill::transform {
namespace {

constexpr std::string_view kWords = "words";
constexpr int64_t kUnknown = 1;
constexpr int64_t kFirstWord = 2;

// Counts words. The first of equally frequent ones, in byte order, are learned.
class VocabularyFitter final : public OpFitter {
 public:
  VocabularyFitter(const VocabularySpec& spec, BoundColumn input)
      : spec_(spec), input_(std::move(input)), words_(spec.lowercase) {}

  absl::Status Add(const Frame& frame) override {
    constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
    const batch::Column& column = frame.Get(input_.slot);
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      if (frame.IsBad(row)) continue;
      words_.Split(column.Bytes(row));
      words_.ForEachRun(spec_.ngrams, kAll, [&](std::string_view run) { Count(run); });
      if (counts_.size() > kMaxDistinct) {
        return ResourceExhausted("column {} has more than {} different words; use hash_tokens",
                                 column.name, kMaxDistinct);
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<FitResult> Finish() override {
    std::vector<std::pair<std::string, int64_t>> counts;
    for (const auto& [word, count] : counts_) {
      if (count >= spec_.min_count) counts.emplace_back(word, count);
    }
    if (counts.empty()) {
      return FailedPrecondition("no word of column {} occurs {} times in the good samples",
                                input_.schema.name, spec_.min_count);
    }
    std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    if (std::ssize(counts) > spec_.max_words) counts.resize(spec_.max_words);
    FitResult result;
    Learned& learned = result.learned.emplace_back();
    learned.column = input_.schema.name;
    learned.statistic = kWords;
    for (auto& [word, count] : counts) learned.words.push_back(std::move(word));
    std::sort(learned.words.begin(), learned.words.end());
    return result;
  }

 private:
  static constexpr size_t kMaxDistinct = 8'000'000;

  void Count(std::string_view word) {
    const absl::string_view key(word.data(), word.size());
    if (const auto found = counts_.find(key); found != counts_.end()) {
      ++found->second;
    } else {
      counts_.emplace(std::string(word), 1);
    }
  }

  const VocabularySpec spec_;
  const BoundColumn input_;
  TextWords words_;
  absl::flat_hash_map<std::string, int64_t> counts_;
};

class VocabularyOp final : public Op {
 public:
  VocabularyOp(VocabularySpec spec, BoundColumn input, BoundColumn output)
      : spec_(std::move(spec)), input_(std::move(input)), output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned> learned, Frame& frame) const override {
    ASSIGN_OR_RETURN(const Learned* entry, FindLearned(learned, input_.schema.name, kWords));
    const std::vector<std::string>& list = entry->words;
    if (std::ssize(list) > spec_.max_words) {
      return InvalidArgument("the fitted state has {} words of column {}, more than {}",
                             list.size(), input_.schema.name, spec_.max_words);
    }
    const batch::Column& in = frame.Get(input_.slot);
    batch::Column out =
        NewColumn<int64_t>(output_.schema.name, frame.num_rows(), output_.schema.shape);
    int64_t* const values = out.data.MutableAs<int64_t>().data();
    TextWords words(spec_.lowercase);
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      if (frame.IsBad(row)) continue;
      words.Split(in.Bytes(row));
      int64_t* next = values + row * spec_.length;
      words.ForEachRun(spec_.ngrams, spec_.length,
                       [&](std::string_view run) { *next++ = PlaceOf(list, run); });
    }
    frame.Set(output_.slot, std::move(out));
    return absl::OkStatus();
  }

  std::unique_ptr<OpFitter> NewFitter() const override {
    return std::make_unique<VocabularyFitter>(spec_, input_);
  }

  absl::Status WriteSteps(std::span<const Learned> learned, PortableGraph& graph) const override {
    ASSIGN_OR_RETURN(const Learned* entry, FindLearned(learned, input_.schema.name, kWords));
    graph.Set(output_, graph.PlacesOfWords(graph.Get(input_),
                                           {spec_.ngrams, spec_.length, spec_.lowercase ? 1 : 0},
                                           entry->words));
    return absl::OkStatus();
  }

 private:
  static int64_t PlaceOf(const std::vector<std::string>& list, std::string_view word) {
    const auto found = std::lower_bound(list.begin(), list.end(), word);
    return found == list.end() || *found != word ? kUnknown : kFirstWord + (found - list.begin());
  }

  const VocabularySpec spec_;
  const BoundColumn input_;
  const BoundColumn output_;
};

}  // namespace

std::unique_ptr<Op> VocabularySpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  if (input.has_value()) CheckIsText(builder, "column", *input);
  builder.MarkFitted();
  BoundColumn output = builder.Output(
      "into",
      {.name = into.empty() ? column : into, .type = batch::DataType::kInt64, .shape = {length}});
  if (!input.has_value()) return nullptr;
  return std::make_unique<VocabularyOp>(*this, *input, std::move(output));
}

}  // namespace tidemill::transform
