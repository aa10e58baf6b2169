#include "transform/ops/texts/piece_vocabulary.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "records/text.h"
#include "transform/engine/frame.h"
#include "utf8proc.h"

namespace tidemill::transform {
namespace {

constexpr int64_t kMaxCharacters = 200;
constexpr std::string_view kContinues = "##";
constexpr char kForm[] = "write one piece a line, as vocab.txt of a BERT model has them";

bool ContinuesCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

bool IsUtf8(std::string_view text) {
  const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (size_t at = 0; at < text.size();) {
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t size =
        utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(text.size() - at), &code);
    if (size < 1) return false;
    at += static_cast<size_t>(size);
  }
  return true;
}

// Why a line cannot be a piece; empty when it can.
std::string_view FlawOf(std::string_view line) {
  if (line.empty()) return "is empty";
  if (!IsUtf8(line)) return "is not UTF-8";
  if (line.find_first_of(" \t") != std::string_view::npos) return "contains white space";
  return {};
}

}  // namespace

std::variant<std::shared_ptr<const PieceVocabulary>, PieceVocabulary::Problem>
PieceVocabulary::Create(std::string text, const std::string& name, bool needs_marks) {
  if (text.size() > kMaxVocabularyBytes) {
    return Problem{fmt::format("{} has {} bytes, but at most {} are allowed", name, text.size(),
                               kMaxVocabularyBytes),
                   kForm};
  }
  std::shared_ptr<PieceVocabulary> made(new PieceVocabulary(std::move(text)));
  if (auto problem = made->TakeLines(name)) return *std::move(problem);
  if (auto problem = made->FindSpecialPieces(name, needs_marks)) return *std::move(problem);
  return std::shared_ptr<const PieceVocabulary>(std::move(made));
}

std::optional<PieceVocabulary::Problem> PieceVocabulary::TakeLines(const std::string& name) {
  std::string_view rest = text_;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const int64_t number = size_ + 1;
    if (const std::string_view flaw = FlawOf(line); !flaw.empty()) {
      return Problem{fmt::format("{}, line {} {}", name, number, flaw), kForm};
    }
    if (const int64_t before = AddLine(line); before >= 0) {
      return Problem{fmt::format("{}, line {}: the piece {} already occurs in line {}", name,
                                 number, Quoted(line), before + 1),
                     "remove one of the lines; later pieces get other numbers then"};
    }
  }
  if (size_ == 0) return Problem{fmt::format("{} is empty", name), kForm};
  return std::nullopt;
}

std::optional<PieceVocabulary::Problem> PieceVocabulary::FindSpecialPieces(const std::string& name,
                                                                           bool needs_marks) {
  unknown_ = PlaceOf("[UNK]");
  padding_ = PlaceOf("[PAD]");
  begin_ = PlaceOf("[CLS]");
  end_ = PlaceOf("[SEP]");
  const auto missing = [&](std::string_view line, const char* hint) {
    return Problem{fmt::format("{} has no line {}", name, line), hint};
  };
  if (unknown_ < 0) return missing("[UNK]", kForm);
  if (padding_ < 0) return missing("[PAD]", kForm);
  constexpr char kWithoutMarks[] = "add it, or write marks: false";
  if (needs_marks && begin_ < 0) return missing("[CLS]", kWithoutMarks);
  if (needs_marks && end_ < 0) return missing("[SEP]", kWithoutMarks);
  return std::nullopt;
}

int64_t PieceVocabulary::PlaceOf(absl::string_view line) const {
  const auto found = first_.find(line);
  return found == first_.end() ? -1 : found->second;
}

int64_t PieceVocabulary::AddLine(std::string_view line) {
  const bool continues = line.starts_with(kContinues) && line.size() > kContinues.size();
  if (continues) line.remove_prefix(kContinues.size());
  size_t& longest = continues ? longest_next_ : longest_first_;
  longest = std::max(longest, line.size());
  const auto [at, added] =
      (continues ? next_ : first_).emplace(absl::string_view(line.data(), line.size()), size_);
  if (!added) return at->second;
  ++size_;
  return -1;
}

int64_t PieceVocabulary::CutLongest(const absl::flat_hash_map<absl::string_view, int32_t>& pieces,
                                    size_t longest, std::string_view& rest) {
  for (size_t size = std::min(longest, rest.size()); size > 0; --size) {
    if (size < rest.size() && ContinuesCharacter(rest[size])) continue;
    const auto found = pieces.find(absl::string_view(rest.data(), size));
    if (found == pieces.end()) continue;
    rest.remove_prefix(size);
    return found->second;
  }
  return -1;
}

void PieceVocabulary::AppendPieces(std::string_view word, std::vector<int64_t>& numbers) const {
  const size_t before = numbers.size();
  const auto give_up = [&] {
    numbers.resize(before);
    numbers.push_back(unknown_);
  };
  const auto num_characters =
      std::count_if(word.begin(), word.end(), [](char byte) { return !ContinuesCharacter(byte); });
  if (num_characters > kMaxCharacters) return give_up();
  std::string_view rest = word;
  while (!rest.empty()) {
    const bool is_first = rest.size() == word.size();
    const int64_t number = is_first ? CutLongest(first_, longest_first_, rest)
                                    : CutLongest(next_, longest_next_, rest);
    if (number < 0) return give_up();
    numbers.push_back(number);
  }
}

}  // namespace tidemill::transform
