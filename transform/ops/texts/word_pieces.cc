#include "transform/ops/texts/word_pieces.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/escaping.h"
#include "fmt/format.h"

#include "config/documents/problems.h"
#include "transform/engine/numbers.h"
#include "transform/engine/portable_graph.h"
#include "transform/ops/tables/lookup_table.h"
#include "transform/ops/texts/bert_words.h"
#include "transform/ops/texts/piece_vocabulary.h"

namespace tidemill::transform {
namespace {

constexpr int64_t kNumMarks = 2;
// Stands for a vocabulary that cannot be read, so that the rest is checked.
constexpr std::string_view kStandIn = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n";

class WordPiecesOp final : public Op {
 public:
  WordPiecesOp(const WordPiecesSpec& spec, std::shared_ptr<const PieceVocabulary> vocabulary,
               BoundColumn input, BoundColumn output)
      : length_(spec.length),
        lowercase_(spec.lowercase),
        marks_(spec.marks),
        vocabulary_(std::move(vocabulary)),
        input_(std::move(input)),
        output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    const batch::Column& in = frame.Get(input_.slot);
    batch::Column out =
        NewUnwrittenColumn<int64_t>(output_.schema.name, frame.num_rows(), output_.schema.shape);
    const std::span<int64_t> values = out.data.MutableAs<int64_t>();
    std::fill(values.begin(), values.end(), vocabulary_->padding());
    BertWords words(lowercase_);
    std::vector<int64_t> pieces;
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      if (frame.IsBad(row)) continue;
      WriteRow(in.Bytes(row), words, pieces,
               values.subspan(static_cast<size_t>(row * length_), static_cast<size_t>(length_)));
    }
    frame.Set(output_.slot, std::move(out));
    return absl::OkStatus();
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph&) const override {
    return FailedPrecondition("the file cannot split words into pieces");
  }

 private:
  void WriteRow(std::string_view text, BertWords& words, std::vector<int64_t>& pieces,
                std::span<int64_t> row) const {
    const auto room = static_cast<size_t>(length_ - (marks_ ? kNumMarks : 0));
    pieces.clear();
    // Each word has one piece or more.
    words.Split(text, static_cast<int64_t>(room));
    for (int64_t i = 0; i < words.size() && pieces.size() < room; ++i) {
      vocabulary_->AppendPieces(words.Word(i), pieces);
    }
    pieces.resize(std::min(pieces.size(), room));
    auto next = row.begin();
    if (marks_) *next++ = vocabulary_->begin();
    next = std::copy(pieces.begin(), pieces.end(), next);
    if (marks_) *next = vocabulary_->end();
  }

  const int64_t length_;
  const bool lowercase_;
  const bool marks_;
  const std::shared_ptr<const PieceVocabulary> vocabulary_;
  const BoundColumn input_;
  const BoundColumn output_;
};

// Returns the vocabulary of a spec that was given its content; nullptr after a problem.
std::shared_ptr<const PieceVocabulary> VocabularyOf(const WordPiecesSpec& spec,
                                                    OpBuilder& builder) {
  std::string bytes;
  const bool is_base64 = absl::Base64Unescape(spec.content, &bytes);
  absl::StatusOr<std::string> text = UnpackTable(bytes);
  if (!is_base64 || !text.ok()) {
    builder.Problem("content", "is damaged", "give the name of the file as `vocabulary` instead");
    return nullptr;
  }
  auto made = PieceVocabulary::Create(*std::move(text), "the vocabulary", spec.marks);
  if (const auto* problem = std::get_if<PieceVocabulary::Problem>(&made)) {
    builder.Problem("content", problem->message, problem->hint);
    return nullptr;
  }
  return std::get<std::shared_ptr<const PieceVocabulary>>(std::move(made));
}

}  // namespace

void WordPiecesSpec::Check(config::Problems& problems) const {
  if (vocabulary.empty() == content.empty()) {
    problems.Add("", "needs either vocabulary or content", "write {vocabulary: vocab.txt}");
  }
  if (marks && length > 0 && length <= kNumMarks) {
    problems.Add("length",
                 fmt::format("is {}, which leaves no place beside [CLS] and [SEP]", length),
                 "write 3 or more, or marks: false");
  }
}

std::unique_ptr<Op> WordPiecesSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  if (input.has_value()) CheckIsText(builder, "column", *input);
  if (!vocabulary.empty()) {
    builder.Problem("vocabulary", "was not read", "check the pipeline file that names this file");
  }
  std::shared_ptr<const PieceVocabulary> pieces;
  if (!content.empty()) pieces = VocabularyOf(*this, builder);
  BoundColumn output = builder.Output(
      "into",
      {.name = into.empty() ? column : into, .type = batch::DataType::kInt64, .shape = {length}});
  if (!input.has_value() || pieces == nullptr) return nullptr;
  return std::make_unique<WordPiecesOp>(*this, std::move(pieces), *input, std::move(output));
}

void WordPiecesSpec::TakeFiles(config::NamedFiles& files, config::Problems& problems) {
  if (vocabulary.empty()) return;
  const std::string name = std::exchange(vocabulary, {});
  const auto pack = [&](std::string text) -> std::optional<std::string> {
    absl::StatusOr<std::string> packed = PackTable(text);
    const auto made = PieceVocabulary::Create(std::move(text), name, marks);
    if (const auto* problem = std::get_if<PieceVocabulary::Problem>(&made)) {
      problems.Add("vocabulary", problem->message, problem->hint);
      return std::nullopt;
    }
    if (packed.ok()) return *std::move(packed);
    problems.Add("vocabulary", std::string(packed.status().message()));
    return std::nullopt;
  };
  std::optional<std::string> packed = files.ReadPacked({.name = name,
                                                        .most = kMaxVocabularyBytes,
                                                        .contents = "pieces",
                                                        .key = "vocabulary",
                                                        .pack = pack},
                                                       problems);
  if (!packed) {
    const absl::StatusOr<std::string> stand_in = PackTable(kStandIn);
    if (stand_in.ok()) packed = *stand_in;
  }
  if (packed) content = absl::Base64Escape(*packed);
}

}  // namespace tidemill::transform
