#include "transform/ops/texts/word_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "transform/ops/tables/lookup_table.h"
#include "transform/ops/texts/bert_words.h"
#include "transform/ops/texts/piece_vocabulary.h"
#include "transform/testing/lookups.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using testing::CsvSchema;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeSamples;
using testing::Numbers;
using testing::RunGraph;
using testing::Spec;
using testing::TextFiles;
using tidemill::testing::StatusIs;

constexpr int64_t kMany = 1'000'000;

// The pieces, in the order of their numbers from 0.
constexpr std::string_view kPieces =
    "[PAD] [UNK] [CLS] [SEP] tide mill the ##s ##mill run ##n ##ing un ##want ##ed want high "
    "##er cafe resume , . ! - ' \u4e2d \u6587 a b ##a ##ab ab ##b 7 ##7 "
    "\u03b5\u03bb\u03bb\u03b1\u03b4\u03b1 stra\u00dfe Tide Caf\u00e9 \u00c9";

std::vector<std::string> Pieces() {
  return absl::StrSplit(absl::string_view(kPieces.data(), kPieces.size()), ' ');
}

std::string Lines(const std::vector<std::string>& pieces) {
  std::string lines;
  for (const std::string& piece : pieces) lines += piece + "\n";
  return lines;
}

// The op with its file, which has to be sound.
WordPiecesSpec Given(WordPiecesSpec spec, const std::string& vocabulary) {
  spec.vocabulary = "vocab.txt";
  TextFiles files({{"vocab.txt", vocabulary}});
  config::Problems problems;
  spec.TakeFiles(files, problems);
  EXPECT_TRUE(problems.empty()) << problems.ToString();
  EXPECT_EQ(spec.vocabulary, "");
  return spec;
}

// One column that holds all of a record.
SampleSchema WholeText() {
  SampleSchema schema = CsvSchema({"t"});
  schema.csv.delimiter = "\x01";
  schema.csv.quote.reset();
  schema.csv.trim = false;
  return schema;
}

// What the op makes of texts, with the vocabulary above.
std::vector<int64_t> PiecesOf(WordPiecesSpec spec, const std::vector<std::string>& texts) {
  spec.column = "t";
  spec.into = "input";
  const Transformed result =
      RunGraph(Spec(ParseCsvSpec{.columns = {"t"}, .dtype = CsvType::kString},
                    Given(std::move(spec), Lines(Pieces()))),
               WholeText(), MakeSamples(texts));
  EXPECT_THAT(result.bad, IsEmpty());
  return Numbers<int64_t>(result.batch, "input");
}

std::vector<std::string> WordsOf(std::string_view text, bool lowercase) {
  BertWords words(lowercase);
  words.Split(text, kMany);
  std::vector<std::string> found;
  for (int64_t i = 0; i < words.size(); ++i) found.emplace_back(words.Word(i));
  return found;
}

TEST(BertWords, AreThoseOfBertsBasicTokenizer) {
  EXPECT_THAT(WordsOf(" \tHeLLo!how  \n Are yoU?  ", true),
              ElementsAre("hello", "!", "how", "are", "you", "?"));
  EXPECT_THAT(WordsOf(" \tHeLLo!how  \n Are yoU?  ", false),
              ElementsAre("HeLLo", "!", "how", "Are", "yoU", "?"));
  EXPECT_THAT(WordsOf("ah\u535a\u63a8zz", false), ElementsAre("ah", "\u535a", "\u63a8", "zz"));
  EXPECT_THAT(WordsOf("H\u00e9llo", true), ElementsAre("hello"));
  EXPECT_THAT(WordsOf("H\u00e9llo", false), ElementsAre("H\u00e9llo"));
}

TEST(BertWords, LoseAccentsHoweverTheyAreWritten) {
  EXPECT_THAT(WordsOf("\u00c5 A\u030a \u212b \u1ed6", true), ElementsAre("a", "a", "a", "o"));
  // A dotted capital I, and Hangul, which falls apart into its letters.
  EXPECT_THAT(WordsOf("\u0130 \uac00", true), ElementsAre("i", "\u1100\u1161"));
  EXPECT_THAT(WordsOf("\uac00", false), ElementsAre("\uac00"));
  // A compatibility character of Chinese is the character itself.
  EXPECT_THAT(WordsOf("a\uf900b", true), ElementsAre("a", "\u8c48", "b"));
  EXPECT_THAT(WordsOf("\u0301", true), IsEmpty());
}

TEST(BertWords, LeaveOutControlCharactersAndDamagedBytes) {
  using std::string_view_literals::operator""sv;
  EXPECT_THAT(WordsOf("a\0b\x0b\x7f\u200dc\ufffd\u00add"sv, true), ElementsAre("abcd"));
  EXPECT_THAT(WordsOf("a\xff\xe4\xb8z\xc3", true), ElementsAre("az"));
  EXPECT_THAT(WordsOf("a\u00a0b\u3000c\u2028d\u2029e", true), ElementsAre("a", "b", "c", "d", "e"));
}

TEST(BertWords, TakePunctuationAlone) {
  EXPECT_THAT(WordsOf("a$b+c`d|e", false),
              ElementsAre("a", "$", "b", "+", "c", "`", "d", "|", "e"));
  EXPECT_THAT(WordsOf("\u00bfq\u2014r\u300cs\u300d", true),
              ElementsAre("\u00bf", "q", "\u2014", "r", "\u300c", "s", "\u300d"));
  // Symbols beyond ASCII are not punctuation. The Greek question mark is a semicolon.
  EXPECT_THAT(WordsOf("a\u20acb\u037ec", true), ElementsAre("a\u20acb", ";", "c"));
}

TEST(BertWords, EndAfterTheFirstOnes) {
  BertWords words(/*lowercase=*/true);
  for (const int64_t most : {0, 1, 2, 3, 4, 5}) {
    words.Split("one two!", most);
    ASSERT_EQ(words.size(), std::min<int64_t>(most, 3));
    const std::string_view expected[] = {"one", "two", "!"};
    for (int64_t i = 0; i < words.size(); ++i) EXPECT_EQ(words.Word(i), expected[i]);
  }
}

// Made with version 0.23 of the package tokenizers: BertWordPieceTokenizer with this vocabulary.
TEST(WordPieces, AreThoseOfAnotherImplementation) {
  using std::string_literals::operator""s;
  const struct {
    std::string text;
    std::vector<int64_t> small;  // With lowercase.
    std::vector<int64_t> large;
  } vectors[] = {
      {"The tidemills, unwanted: running!",
       {6, 4, 8, 7, 20, 12, 13, 14, 1, 9, 10, 11, 22},
       {1, 4, 8, 7, 20, 12, 13, 14, 1, 9, 10, 11, 22}},
      {"ab abab aba bab 777 aab",
       {31, 31, 30, 31, 29, 28, 30, 33, 34, 34, 27, 30},
       {31, 31, 30, 31, 29, 28, 30, 33, 34, 34, 27, 30}},
      {"CAF\u00c9 R\u00e9sum\u00e9 r\u00e9sum\u00e9", {18, 19, 19}, {1, 1, 1}},
      {"high-higher's  \t mills", {16, 23, 16, 17, 24, 1, 5, 7}, {16, 23, 16, 17, 24, 1, 5, 7}},
      {"tide\u4e2d\u6587mill", {4, 25, 26, 5}, {4, 25, 26, 5}},
      {"\u0395\u03bb\u03bb\u03ac\u03b4\u03b1 STRASSE Stra\u00dfe", {35, 1, 36}, {1, 1, 1}},
      {"un\u200bwanted\0 run\x0bning \ufffd"s, {12, 13, 14, 9, 10, 11}, {12, 13, 14, 9, 10, 11}},
      {"tidex [SEP] the", {1, 1, 1, 1, 6}, {1, 1, 1, 1, 6}},
      {"   ", {}, {}},
      {"a\u00a0b\u3000ab\u2028a", {27, 28, 31, 27}, {27, 28, 31, 27}},
      {"Tide Caf\u00e9 \u00c9", {4, 18, 1}, {37, 38, 39}}};
  for (const auto& [text, small, large] : vectors) {
    for (const bool lowercase : {true, false}) {
      std::vector<int64_t> expected = lowercase ? small : large;
      expected.resize(16);
      EXPECT_EQ(PiecesOf({.length = 16, .lowercase = lowercase, .marks = false}, {text}), expected)
          << text;
    }
  }
}

TEST(WordPieces, FitBetweenTheirMarksAndAreCutToLength) {
  EXPECT_EQ(PiecesOf({.length = 6}, {"tide mill", "", "tidemills the run"}),
            (std::vector<int64_t>{2, 4, 5, 3, 0, 0,  //
                                  2, 3, 0, 0, 0, 0,  //
                                  2, 4, 8, 7, 6, 3}));
  EXPECT_EQ(PiecesOf({.length = 3, .marks = false}, {"tide mill", "", "tidemills the run"}),
            (std::vector<int64_t>{4, 5, 0, 0, 0, 0, 4, 8, 7}));
}

// Tries every beginning of what is left, the longest first.
std::vector<int64_t> SlowPieces(const std::string& word, const std::vector<std::string>& pieces) {
  std::vector<int64_t> numbers;
  for (size_t at = 0; at < word.size();) {
    size_t size = word.size() - at;
    for (; size > 0; --size) {
      const std::string piece = (at > 0 ? "##" : "") + word.substr(at, size);
      const auto found = std::find(pieces.begin(), pieces.end(), piece);
      if (found == pieces.end()) continue;
      numbers.push_back(found - pieces.begin());
      break;
    }
    if (size == 0) return {1};
    at += size;
  }
  return numbers;
}

TEST(WordPieces, AreTheLongestOnesFirst) {
  std::mt19937 random(7);
  const auto letters = [&](size_t most) {
    std::string text;
    for (size_t i = 1 + random() % most; i > 0; --i) text += "abc"[random() % 3];
    return text;
  };
  for (int round = 0; round < 20; ++round) {
    std::vector<std::string> pieces = {"[PAD]", "[UNK]"};
    while (pieces.size() < 60) {
      const std::string piece = (random() % 2 == 0 ? "##" : "") + letters(4);
      if (std::find(pieces.begin(), pieces.end(), piece) == pieces.end()) pieces.push_back(piece);
    }
    const auto made = PieceVocabulary::Create(Lines(pieces), "v", /*needs_marks=*/false);
    const auto vocabulary = std::get<std::shared_ptr<const PieceVocabulary>>(made);
    EXPECT_EQ(vocabulary->size(), 60);
    for (int i = 0; i < 200; ++i) {
      const std::string word = letters(12);
      std::vector<int64_t> numbers;
      vocabulary->AppendPieces(word, numbers);
      ASSERT_EQ(numbers, SlowPieces(word, pieces)) << word;
    }
  }
}

TEST(WordPieces, OfWordsOfMoreThanTwoHundredCharactersAreUnknown) {
  const std::string word(200, 'a');
  std::vector<int64_t> expected(200, 29);
  expected[0] = 27;
  EXPECT_EQ(PiecesOf({.length = 200, .marks = false}, {word}), expected);
  EXPECT_EQ(PiecesOf({.length = 2, .marks = false}, {word + "a"}), (std::vector<int64_t>{1, 0}));
  // Characters, not bytes.
  std::string wide;
  for (int i = 0; i < 200; ++i) wide += "\u00df";
  const auto made = PieceVocabulary::Create("[UNK]\n[PAD]\n\u00df\n##\u00df\n", "v", false);
  std::vector<int64_t> numbers;
  std::get<std::shared_ptr<const PieceVocabulary>>(made)->AppendPieces(wide, numbers);
  EXPECT_EQ(numbers.size(), 200);
}

// What is wrong with a file: "key: message".
std::string ProblemOf(const std::string& vocabulary, bool marks = true) {
  WordPiecesSpec spec{
      .column = "t", .vocabulary = "v.txt", .length = 9, .marks = marks, .into = "input"};
  TextFiles files({{"v.txt", vocabulary}});
  config::Problems problems;
  spec.TakeFiles(files, problems);
  // The rest of the graph is checked all the same.
  EXPECT_THAT(Graph::Check(Spec(ParseCsvSpec{.columns = {"t"}, .dtype = CsvType::kString}, spec),
                           CsvSchema({"t"})),
              IsEmpty());
  if (problems.empty()) return "";
  EXPECT_NE(problems.items()[0].hint, "");
  return problems.items()[0].message;
}

TEST(WordPieces, NameTheLineOfAVocabularyThatIsWrong) {
  const std::string sound = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n";
  EXPECT_EQ(ProblemOf(sound), "");
  EXPECT_EQ(ProblemOf("\xEF\xBB\xBF[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\na"), "");
  EXPECT_EQ(ProblemOf(""), "vocabulary: v.txt is empty");
  EXPECT_EQ(ProblemOf(sound + "a\n\nb\n"), "vocabulary: v.txt, line 6 is empty");
  EXPECT_EQ(ProblemOf(sound + "a\nb\n##a\na\n"),
            "vocabulary: v.txt, line 8: the piece 'a' already occurs in line 5");
  EXPECT_EQ(ProblemOf(sound + "##a\n##a\n"),
            "vocabulary: v.txt, line 6: the piece '##a' already occurs in line 5");
  EXPECT_EQ(ProblemOf(sound + "a\xff\n"), "vocabulary: v.txt, line 5 is not UTF-8");
  EXPECT_EQ(ProblemOf(sound + "the\t-3.2\n"), "vocabulary: v.txt, line 5 contains white space");
  EXPECT_EQ(ProblemOf("[PAD]\na\n"), "vocabulary: v.txt has no line [UNK]");
  EXPECT_EQ(ProblemOf("[UNK]\na\n"), "vocabulary: v.txt has no line [PAD]");
  EXPECT_EQ(ProblemOf("[UNK]\n[PAD]\n[CLS]\n"), "vocabulary: v.txt has no line [SEP]");
  EXPECT_EQ(ProblemOf("[UNK]\n[PAD]\n", /*marks=*/false), "");
  const auto large = PieceVocabulary::Create(std::string(kMaxVocabularyBytes + 1, 'a'), "v", false);
  EXPECT_EQ(std::get<PieceVocabulary::Problem>(large).message,
            "v has 4194305 bytes, but at most 4194304 are allowed");
}

TEST(WordPieces, AreKeptWithThePipeline) {
  const WordPiecesSpec given =
      Given({.column = "t", .length = 9, .into = "input"}, Lines(Pieces()));
  const GraphSpec graph = Spec(ParseCsvSpec{.columns = {"t"}, .dtype = CsvType::kString}, given);
  const auto read = config::Read<GraphSpec>(config::Print(graph), "kept");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*(*read)[1].value.As<WordPiecesSpec>(), given);
}

TEST(WordPieces, RefuseContentThatDoesNotUnpackToAVocabulary) {
  const auto problem = [](const std::string& content) {
    const auto problems = Graph::Check(
        Spec(ParseCsvSpec{.columns = {"t"}, .dtype = CsvType::kString},
             WordPiecesSpec{.column = "t", .content = content, .length = 9, .into = "input"}),
        CsvSchema({"t"}));
    return problems.empty() ? "" : problems[0].field + ": " + problems[0].message;
  };
  EXPECT_EQ(problem("?"), "content: is damaged");
  EXPECT_EQ(problem("AAAA"), "content: is damaged");
  EXPECT_EQ(problem(absl::Base64Escape(PackTable("[UNK]\n").value())),
            "content: the vocabulary has no line [PAD]");
}

TEST(WordPieces, SayWhatTheyNeed) {
  for (const auto& [keys, message] :
       {std::pair("length: 9", "needs either vocabulary or content"),
        std::pair("length: 9, vocabulary: v, content: c", "needs either vocabulary or content"),
        std::pair("length: 2, vocabulary: v", "is 2, which leaves no place beside [CLS] and [SEP]"),
        std::pair("vocabulary: v", "length")}) {
    EXPECT_THAT(
        config::Read<GraphSpec>(fmt::format("- word_pieces: {{column: t, {}}}\n", keys), "g"),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(message)));
  }
  const auto problems =
      Graph::Check(Spec(ParseCsvSpec{.columns = {"t"}},
                        Given({.column = "t", .length = 9, .into = "input"}, Lines(Pieces()))),
                   CsvSchema({"t"}));
  ASSERT_EQ(problems.size(), 1);
  EXPECT_EQ(problems[0].message, "column t is float32, not text");
}

}  // namespace
}  // namespace tidemill::transform
