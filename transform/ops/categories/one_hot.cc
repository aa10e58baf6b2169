#include "transform/ops/categories/one_hot.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

#include "config/documents/problems.h"
#include "config/lines/named_lines.h"
#include "transform/engine/numbers.h"
#include "transform/engine/portable_graph.h"

namespace tidemill::transform {
namespace {

constexpr std::string_view kCategories = "categories";

absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }

// A word's place among `words`, which are in byte order.
std::optional<int64_t> PlaceOf(std::span<const std::string> words, std::string_view word) {
  const auto found = std::lower_bound(words.begin(), words.end(), word);
  if (found == words.end() || *found != word) return std::nullopt;
  return found - words.begin();
}

// Counts texts that are not empty. The most frequent become the categories, of equally frequent
// ones the first in byte order; their places follow byte order.
class OneHotFitter final : public OpFitter {
 public:
  OneHotFitter(BoundColumn input, int64_t num_categories)
      : input_(std::move(input)), num_categories_(num_categories) {}

  absl::Status Add(const Frame& frame) override {
    constexpr size_t kMaxDistinct = 1'000'000;
    const batch::Column& column = frame.Get(input_.slot);
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      if (frame.IsBad(row)) continue;
      const absl::string_view text = ToAbsl(column.Bytes(row));
      ++num_rows_;
      if (text.empty()) continue;  // A missing field is not a category.
      if (const auto found = counts_.find(text); found != counts_.end()) {
        ++found->second;
        continue;
      }
      if (counts_.size() == kMaxDistinct) {
        return ResourceExhausted("column {} has more than {} categories; use hash_buckets",
                                 column.name, kMaxDistinct);
      }
      counts_.emplace(std::string(text), 1);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<FitResult> Finish() override {
    const std::string& name = input_.schema.name;
    if (num_rows_ == 0) {
      return FailedPrecondition("there is no good sample to learn column {} from", name);
    }
    std::vector<std::pair<std::string, int64_t>> counts(counts_.begin(), counts_.end());
    std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    FitResult result;
    if (counts.empty()) {
      result.warnings.push_back(fmt::format("every field of column {} is empty", name));
    }
    if (std::ssize(counts) > num_categories_) {
      result.warnings.push_back(
          fmt::format("column {} has {} categories; the {} most frequent are learned", name,
                      counts.size(), num_categories_));
      counts.resize(num_categories_);
    }
    Learned& learned = result.learned.emplace_back();
    learned.column = name;
    learned.statistic = kCategories;
    for (auto& [word, count] : counts) learned.words.push_back(std::move(word));
    std::sort(learned.words.begin(), learned.words.end());
    return result;
  }

 private:
  const BoundColumn input_;
  const int64_t num_categories_;
  int64_t num_rows_ = 0;
  absl::flat_hash_map<std::string, int64_t> counts_;
};

class OneHotOp final : public Op {
 public:
  OneHotOp(OneHotSpec spec, BoundColumn input, BoundColumn output)
      : spec_(std::move(spec)), input_(std::move(input)), output_(std::move(output)) {
    for (const std::string& word : spec_.categories) {
      places_.emplace(word, static_cast<int64_t>(places_.size()));
    }
  }

  absl::Status Run(std::span<const Learned> learned, Frame& frame) const override {
    const batch::Column& column = frame.Get(input_.slot);
    if (spec_.learn > 0) {
      ASSIGN_OR_RETURN(const Learned* entry, FindLearned(learned, input_.schema.name, kCategories));
      if (std::ssize(entry->words) > spec_.learn) {
        return InvalidArgument("the fitted state has {} categories of column {}, not {}",
                               entry->words.size(), column.name, spec_.learn);
      }
      RunText([&](std::string_view word) { return PlaceOf(entry->words, word); }, column, frame);
    } else if (!spec_.categories.empty()) {
      RunText([&](std::string_view word) { return GivenPlace(word); }, column, frame);
    } else {
      RunClasses(column, frame);
    }
    return absl::OkStatus();
  }

  std::unique_ptr<OpFitter> NewFitter() const override {
    if (spec_.learn == 0) return nullptr;
    return std::make_unique<OneHotFitter>(input_, spec_.learn);
  }

  OpEffect EffectOn(const KnownNumbers& /*numbers*/) const override {
    OpEffect effect{.made = {{0, 1, true}}};
    if (spec_.unknown == UnknownCategory::kZeros) effect.obstacle = {};
    return effect;
  }

  absl::Status WriteSteps(std::span<const Learned> learned, PortableGraph& graph) const override {
    if (!graph.Has(input_)) return absl::OkStatus();
    const StepId given = graph.Get(input_);
    StepId place = 0;
    if (spec_.learn > 0) {
      ASSIGN_OR_RETURN(const Learned* entry, FindLearned(learned, input_.schema.name, kCategories));
      place = graph.PlaceOfText(given, entry->words);
    } else if (!spec_.categories.empty()) {
      place = graph.PlaceOfText(given, spec_.categories);
    } else {
      place = graph.Cast(given, batch::DataType::kInt64);
    }
    const StepId ones = graph.OneHot(place, output_.schema.Width());
    graph.Set(output_, ones);
    if (spec_.unknown == UnknownCategory::kZeros) return absl::OkStatus();
    const auto number = [&](int64_t whole) {
      return graph.Number(batch::DataType::kInt64, static_cast<double>(whole));
    };
    StepId known = place;
    if (spec_.learn > 0) {
      const StepId empty = graph.Apply(StepKind::kEqual, graph.PlaceOfText(given, {""}), number(0));
      known = graph.Where(empty, number(0), place);
    }
    graph.Reject(graph.Apply(StepKind::kLess, known, number(0)));
    graph.Reject(graph.Apply(StepKind::kGreaterOrEqual, place, number(output_.schema.Width())));
    return absl::OkStatus();
  }

 private:
  // Writes a one at place(row); without a place the row is unknown, and shown as text(row).
  template <typename Place, typename Text>
  void Write(Frame& frame, Place place, Text text) const {
    const ColumnSchema& schema = output_.schema;
    batch::Column out = NewColumn<float>(schema.name, frame.num_rows(), schema.shape);
    float* values = out.data.MutableAs<float>().data();
    const int64_t width = schema.Width();
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      if (frame.IsBad(row)) continue;
      if (const std::optional<int64_t> at = place(row); at.has_value()) {
        values[row * width + *at] = 1;
      } else if (!IsMissing(row, frame)) {
        frame.CountUnknown();
        if (spec_.unknown != UnknownCategory::kBadSample) continue;
        frame.Reject(row, fmt::format("column {}: {} is not a category", input_.schema.name,
                                      Quoted(text(row))));
      }
    }
    frame.Set(output_.slot, std::move(out));
  }

  // Whether a field is missing, which is neither a category that is learned nor an unknown one.
  bool IsMissing(int64_t row, const Frame& frame) const {
    return spec_.learn > 0 && frame.Get(input_.slot).Bytes(row).empty();
  }

  std::optional<int64_t> GivenPlace(std::string_view word) const {
    const auto found = places_.find(ToAbsl(word));
    if (found == places_.end()) return std::nullopt;
    return found->second;
  }

  template <typename Place>
  void RunText(Place place, const batch::Column& column, Frame& frame) const {
    Write(
        frame, [&](int64_t row) { return place(column.Bytes(row)); },
        [&](int64_t row) { return std::string(column.Bytes(row)); });
  }

  void RunClasses(const batch::Column& column, Frame& frame) const {
    VisitNumbers(column, [&](auto values) {
      Write(
          frame,
          [&](int64_t row) -> std::optional<int64_t> {
            const auto value = static_cast<int64_t>(values[row]);
            if (value < 0 || value >= spec_.classes) return std::nullopt;
            return value;
          },
          [&](int64_t row) { return fmt::format("{}", values[row]); });
    });
  }

  const OneHotSpec spec_;
  const BoundColumn input_;
  const BoundColumn output_;
  absl::flat_hash_map<std::string, int64_t> places_;  // The places of spec_.categories.
};

void CheckInput(OpBuilder& builder, const OneHotSpec& spec, const ColumnSchema& schema) {
  if (!schema.shape.empty()) {
    builder.Problem("column",
                    fmt::format("column {} has {} numbers in a row", schema.name, schema.Width()),
                    "one_hot takes one category in each row");
  }
  if (spec.classes > 0 && !IsInteger(schema.type)) {
    builder.Problem(
        "classes",
        fmt::format("column {} is {}, not whole numbers", schema.name, Describe(schema.type)),
        "parse it with dtype: int64, or use categories or learn for text");
  }
  if (spec.classes == 0 && !IsText(schema.type)) {
    builder.Problem("column",
                    fmt::format("column {} is {}, not text", schema.name, Describe(schema.type)),
                    "parse it with dtype: string, or use classes for whole numbers");
  }
}

}  // namespace

void OneHotSpec::Check(config::Problems& problems) const {
  const int given = (categories.empty() ? 0 : 1) + (categories_file.empty() ? 0 : 1) +
                    (classes > 0 ? 1 : 0) + (learn > 0 ? 1 : 0);
  if (given != 1) {
    problems.Add(
        "",
        given == 0 ? "does not say what the categories are" : "names the categories in two ways",
        "give one of categories, categories_file, classes and learn");
  }
  if (std::set<std::string>(categories.begin(), categories.end()).size() != categories.size()) {
    problems.Add("categories", "has a category twice", "");
  }
}

std::unique_ptr<Op> OneHotSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  if (input.has_value()) CheckInput(builder, *this, input->schema);
  if (learn > 0) builder.MarkFitted();
  if (!categories_file.empty()) {
    builder.Problem("categories_file", "was not read",
                    "check the pipeline file that names this file");
  }
  const int64_t width = std::max({std::ssize(categories), classes, learn});
  BoundColumn output = builder.Output(
      "into",
      {.name = into.empty() ? column : into, .type = batch::DataType::kFloat32, .shape = {width}});
  if (!input.has_value()) return nullptr;
  return std::make_unique<OneHotOp>(*this, *input, std::move(output));
}

void GraphOpOf<OneHotSpec>::TakeFiles(config::NamedFiles& files, config::Problems& problems) {
  if (spec_.categories_file.empty()) return;
  const std::string name = std::exchange(spec_.categories_file, {});
  spec_.categories =
      config::ReadLines(files, name, "categories_file", "write one category a line", problems);
}

bool RejectUnknownCategories(OpSpec& op) {
  const OneHotSpec* const given = op.As<OneHotSpec>();
  if (given == nullptr || given->unknown != UnknownCategory::kZeros) return false;
  OneHotSpec strict = *given;
  strict.unknown = UnknownCategory::kBadSample;
  op = strict;
  return true;
}

}  // namespace tidemill::transform
