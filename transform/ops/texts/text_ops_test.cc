#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/testing/status_matchers.h"
#include "transform/ops/texts/text_words.h"
#include "transform/testing/samples.h"
#include "xxhash.h"

namespace tidemill::transform {
namespace {

using testing::CsvSchema;
using ::testing::ElementsAre;
using testing::Fit;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeSamples;
using testing::MustBuild;
using testing::Numbers;
using testing::RunGraph;
using testing::Spec;
using tidemill::testing::StatusIs;

// A piece of a text and, where it belongs to a word, its small form.
struct Symbol {
  std::string_view bytes;
  std::string_view small;
};

constexpr Symbol kSymbols[] = {
    {"a", "a"},
    {"B", "b"},
    {"7", "7"},
    {"\u00c9", "\u00e9"},          // Latin capital e with acute.
    {"\u0416", "\u0436"},          // Cyrillic capital zhe.
    {"\u03a9", "\u03c9"},          // Greek capital omega.
    {"\u6f22", "\u6f22"},          // Han.
    {"e\u0301", "e\u0301"},        // A combining acute.
    {"\u0967", "\u0967"},          // Devanagari digit one.
    {"\U00010400", "\U00010428"},  // Deseret capital long i: four bytes.
    {" ", ""},
    {"-", ""},
    {"\t", ""},
    {"\u2014", ""},      // Em dash.
    {"\u00d7", ""},      // Multiplication sign.
    {"\u3002", ""},      // Ideographic full stop.
    {"\U0001f600", ""},  // An emoji.
    {"\xff", ""},        // No UTF-8.
    {"\xc3 ", ""},       // Begins a letter that does not follow.
    {std::string_view("\0", 1), ""},
};

struct Text {
  std::string bytes;
  std::vector<std::string> words;
};

Text RandomText(std::mt19937& random) {
  Text text;
  bool in_word = false;
  for (uint32_t length = random() % 25; length > 0; --length) {
    const Symbol& symbol = kSymbols[random() % std::size(kSymbols)];
    text.bytes += symbol.bytes;
    if (!symbol.small.empty() && !in_word) text.words.emplace_back();
    in_word = !symbol.small.empty();
    if (in_word) text.words.back() += symbol.small;
  }
  return text;
}

// Words, then pairs, then triples ... as the ops document it.
std::vector<std::string> RunsOf(const std::vector<std::string>& words, size_t max_count) {
  std::vector<std::string> runs;
  for (size_t count = 1; count <= max_count; ++count) {
    for (size_t first = 0; first + count <= words.size(); ++first) {
      std::string run = words[first];
      for (size_t i = 1; i < count; ++i) run += " " + words[first + i];
      runs.push_back(run);
    }
  }
  return runs;
}

std::vector<Text> RandomTexts(int count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Text> texts;
  for (int i = 0; i < count; ++i) texts.push_back(RandomText(random));
  return texts;
}

batch::Batch SamplesOf(const std::vector<Text>& texts) {
  std::vector<std::string> payloads;
  for (const Text& text : texts) payloads.push_back(text.bytes);
  return MakeSamples(payloads);
}

// One column that holds all of a record.
SampleSchema TextSchema() {
  SampleSchema schema = CsvSchema({"t"});
  schema.csv.delimiter = "\x01";
  schema.csv.quote.reset();
  return schema;
}

const ParseCsvSpec kParseText{.columns = {"t"}, .dtype = CsvType::kString};

TEST(TextWords, AreRunsOfLettersMarksAndDigits) {
  TextWords words(/*lowercase=*/true);
  for (const Text& text : RandomTexts(5000, 1)) {
    words.Split(text.bytes);
    std::vector<std::string> found;
    for (int64_t i = 0; i < words.size(); ++i) found.emplace_back(words.Run(i, 1));
    ASSERT_EQ(found, text.words) << text.bytes;
  }
}

TEST(TextWords, ContinueThroughInvisibleCharacters) {
  TextWords words(/*lowercase=*/true);
  const auto split = [&](std::string_view text) {
    words.Split(text);
    return std::string(words.Run(0, words.size()));
  };
  EXPECT_EQ(split("Zusam\u00admenfassung"), "zusammenfassung");
  EXPECT_EQ(split("\u0645\u06cc\u200c\u062e\u0648"), "\u0645\u06cc\u062e\u0648");
  EXPECT_EQ(split("\ufeffone\u200d \u00ad two"), "one two");
  EXPECT_EQ(split("one\u200btwo"), "one two");
  words.Split("\u00ad \u200d");
  EXPECT_EQ(words.size(), 0);
}

TEST(TextWords, KeepCapitalsWhereToldTo) {
  TextWords words(/*lowercase=*/false);
  words.Split("On the Gr\u00fcn-R\u00c9nyi graph");
  ASSERT_EQ(words.size(), 5);
  EXPECT_EQ(words.Run(2, 3), "Gr\u00fcn R\u00c9nyi graph");
}

TEST(TextWords, SurviveAnyBytes) {
  std::mt19937 random(2);
  TextWords words(/*lowercase=*/true);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 12, '\0');
    for (char& c : bytes) c = static_cast<char>(random() % 4 == 0 ? random() % 128 : random());
    words.Split(bytes);
    for (int64_t i = 0; i < words.size(); ++i) ASSERT_FALSE(words.Run(i, 1).empty());
  }
}

TEST(HashTokens, AreXxh3OfWordsAndNeighbours) {
  constexpr int64_t kLength = 9;
  const std::vector<Text> texts = RandomTexts(500, 3);
  for (const int64_t ngrams : {1, 2, 3}) {
    const Transformed result = RunGraph(Spec(kParseText, HashTokensSpec{.column = "t",
                                                                        .buckets = 1000,
                                                                        .ngrams = ngrams,
                                                                        .length = kLength,
                                                                        .seed = 5,
                                                                        .into = "input"}),
                                        TextSchema(), SamplesOf(texts));
    EXPECT_THAT(result.bad, IsEmpty());
    std::vector<int64_t> expected;
    for (const Text& text : texts) {
      std::vector<int64_t> row;
      for (const std::string& run : RunsOf(text.words, ngrams)) {
        row.push_back(static_cast<int64_t>(XXH3_64bits_withSeed(run.data(), run.size(), 5) % 1000) +
                      1);
      }
      row.resize(kLength, 0);
      expected.insert(expected.end(), row.begin(), row.end());
    }
    EXPECT_EQ(Numbers<int64_t>(result.batch, "input"), expected);
    EXPECT_THAT(result.batch.Find("input")->shape, ElementsAre(kLength));
  }
}

// The words to learn, in the order of their numbers.
std::vector<std::string> SlowVocabulary(const std::vector<Text>& texts,
                                        const VocabularySpec& spec) {
  std::map<std::string, int64_t> counts;
  for (const Text& text : texts) {
    for (const std::string& run : RunsOf(text.words, spec.ngrams)) ++counts[run];
  }
  std::vector<std::string> words;
  while (std::ssize(words) < spec.max_words) {
    // The first in byte order of the most frequent that are left.
    auto best = counts.begin();
    for (auto it = counts.begin(); it != counts.end(); ++it) {
      if (it->second > best->second) best = it;
    }
    if (best == counts.end() || best->second < spec.min_count) break;
    words.push_back(best->first);
    counts.erase(best);
  }
  std::sort(words.begin(), words.end());
  return words;
}

TEST(Vocabulary, IsTheListOfTheMostFrequentWords) {
  constexpr int64_t kLength = 12;
  const std::vector<Text> texts = RandomTexts(400, 4);
  for (const auto& [max_words, min_count, ngrams] :
       {std::tuple(10, 1, 1), std::tuple(1'000'000, 1, 2), std::tuple(200, 3, 2)}) {
    const VocabularySpec spec{.column = "t",
                              .max_words = max_words,
                              .min_count = min_count,
                              .ngrams = ngrams,
                              .length = kLength,
                              .into = "input"};
    const std::vector<std::string> words = SlowVocabulary(texts, spec);
    const Transformed result = RunGraph(Spec(kParseText, spec), TextSchema(), SamplesOf(texts));
    EXPECT_THAT(result.bad, IsEmpty());
    std::vector<int64_t> expected;
    for (const Text& text : texts) {
      std::vector<int64_t> row;
      for (const std::string& run : RunsOf(text.words, ngrams)) {
        const auto found = std::find(words.begin(), words.end(), run);
        row.push_back(found == words.end() ? 1 : 2 + (found - words.begin()));
      }
      row.resize(kLength, 0);
      expected.insert(expected.end(), row.begin(), row.end());
    }
    EXPECT_EQ(Numbers<int64_t>(result.batch, "input"), expected);
  }
}

TEST(Vocabulary, NumbersWordsInByteOrderFromTwo) {
  const Transformed result = RunGraph(
      Spec(kParseText, VocabularySpec{.column = "t", .max_words = 2, .length = 4, .into = "input"}),
      TextSchema(), MakeSamples({"zebra Zebra apple", "apple, yak", "..."}));
  EXPECT_THAT(Numbers<int64_t>(result.batch, "input"),
              ElementsAre(3, 3, 2, 0, 2, 1, 0, 0, 0, 0, 0, 0));
}

TEST(Vocabulary, CannotBeLearnedFromTextsWithoutWords) {
  const Graph graph = MustBuild(
      Spec(kParseText, VocabularySpec{.column = "t", .min_count = 2, .length = 4, .into = "input"}),
      TextSchema());
  Fitter fitter(graph);
  EXPECT_THAT(Fit(fitter, MakeSamples({"one two", "three"}), 10),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("no word of column t occurs 2 times")));
}

TEST(Vocabulary, WantsText) {
  const auto problems =
      Graph::Check(Spec(ParseCsvSpec{.columns = {"t"}},
                        VocabularySpec{.column = "t", .length = 4, .into = "input"}),
                   CsvSchema({"t"}));
  ASSERT_EQ(problems.size(), 1);
  EXPECT_EQ(problems[0], (GraphProblem{1, "column", "column t is float32, not text",
                                       "parse it with dtype: string"}));
}

}  // namespace
}  // namespace tidemill::transform
