#include "expressions/evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "expressions/expression.h"

namespace tidemill::expressions {
namespace {

std::shared_ptr<const Program> ProgramOf(const std::string& text) {
  const auto expression = Expression::Parse(text);
  EXPECT_TRUE(expression.ok()) << text;
  auto program = Compile(*expression, {.columns = {{.name = "s", .type = Type::kText}}});
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

std::string Repeated(const std::string& what, int times) {
  std::string text = "concat(" + what;
  for (int i = 1; i < times; ++i) text += "," + what;
  return text + ")";
}

std::vector<std::string_view> Views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

TEST(Evaluation, ComputesABlockOfLongTextsInParts) {
  std::vector<std::string> texts;
  for (int64_t row = 0; row < kBlockRows; ++row) {
    texts.push_back(std::string(static_cast<size_t>(row), static_cast<char>('a' + row % 26)));
  }
  const std::vector<std::string_view> rows = Views(texts);
  Evaluation evaluation(ProgramOf(Repeated("s", 250)));
  evaluation.Set(0, rows.data());
  size_t next = 0;
  int num_parts = 0;
  evaluation.Run(kBlockRows, [&](int64_t begin) {
    EXPECT_EQ(begin, static_cast<int64_t>(next));
    EXPECT_FALSE(evaluation.is_too_long());
    size_t bytes = 0;
    for (const std::string_view value : evaluation.Values<std::string_view>()) {
      ASSERT_EQ(value.size(), 250 * texts[next].size());
      EXPECT_TRUE(std::ranges::all_of(value, [&](char c) { return c == texts[next][0]; }));
      bytes += value.size();
      ++next;
    }
    EXPECT_LE(bytes, kMaxTextBytes);
    ++num_parts;
  });
  EXPECT_EQ(next, texts.size());
  EXPECT_GT(num_parts, 1);
}

TEST(Evaluation, ARowWithTooManyTextsAloneHasNoResult) {
  const std::vector<std::string> texts = {"abc", std::string(1 << 20, 'x'), "de", ""};
  const std::vector<std::string_view> rows = Views(texts);
  for (const std::string& made : {Repeated("s", 17), "upper(" + Repeated("s", 9) + ")"}) {
    Evaluation evaluation(ProgramOf("length(" + made + ") > 20"));
    evaluation.Set(0, rows.data());
    std::vector<Truth> values;
    std::vector<int64_t> too_long;
    evaluation.Run(4, [&](int64_t begin) {
      if (evaluation.is_too_long()) too_long.push_back(begin);
      for (const Truth value : evaluation.Values<Truth>()) values.push_back(value);
    });
    ASSERT_EQ(values.size(), 4) << made;
    EXPECT_EQ(values[0], Truth::kTrue);
    EXPECT_EQ(values[1], Truth::kNull);
    EXPECT_EQ(values[3], Truth::kFalse);
    EXPECT_EQ(too_long, std::vector<int64_t>{1});
  }
}

TEST(Evaluation, StopsBeforeTheNextPart) {
  const std::vector<std::string> texts(4, std::string(1 << 20, 'x'));
  const std::vector<std::string_view> rows = Views(texts);
  Evaluation evaluation(ProgramOf("length(" + Repeated("s", 17) + ") > 20"));
  evaluation.Set(0, rows.data());
  std::vector<int64_t> parts;
  const auto stop_at_second = [&](int64_t begin) {
    parts.push_back(begin);
    if (begin == 1) evaluation.Stop();
  };
  for (int run = 0; run < 2; ++run) evaluation.Run(4, stop_at_second);
  EXPECT_EQ(parts, (std::vector<int64_t>{0, 1, 0, 1}));
}

TEST(Evaluation, CountsOnlyTheBytesThatTextsHave) {
  const std::string umlauts(size_t{7} << 20, '\xc3');  // Not UTF-8: kept, byte by byte.
  const std::string_view row = umlauts;
  Evaluation evaluation(ProgramOf("length(upper(lower(s)))"));
  evaluation.Set(0, &row);
  evaluation.Run(1, [](int64_t) {});
  EXPECT_FALSE(evaluation.is_too_long());
}

// The room that is taken for a text in another case relies on it.
TEST(Evaluation, NoCharacterHasMoreThanTwiceTheBytesInAnotherCase) {
  const auto encode = [](char32_t code) {
    std::string text;
    const auto rest = [&](int bits) { text += static_cast<char>(0x80 | ((code >> bits) & 0x3F)); };
    if (code < 0x80) return std::string(1, static_cast<char>(code));
    if (code < 0x800) {
      text += static_cast<char>(0xC0 | (code >> 6));
    } else if (code < 0x10000) {
      text += static_cast<char>(0xE0 | (code >> 12));
      rest(6);
    } else {
      text += static_cast<char>(0xF0 | (code >> 18));
      rest(12);
      rest(6);
    }
    rest(0);
    return text;
  };
  std::array<Evaluation, 2> evaluations = {Evaluation(ProgramOf("lower(s)")),
                                           Evaluation(ProgramOf("upper(s)"))};
  for (char32_t first = 1; first < 0x110000; first += kBlockRows) {
    std::vector<std::string> texts;
    for (char32_t i = 0; i < kBlockRows; ++i) texts.push_back(encode(first + i));
    const std::vector<std::string_view> rows = Views(texts);
    for (Evaluation& evaluation : evaluations) {
      evaluation.Set(0, rows.data());
      evaluation.Run(kBlockRows, [](int64_t) {});
      for (size_t i = 0; i < texts.size(); ++i) {
        ASSERT_LE(evaluation.Values<std::string_view>()[i].size(), 2 * texts[i].size());
      }
    }
  }
}

TEST(Evaluation, ConstantTextsAreThoseOfEveryRow) {
  std::vector<std::string> texts(kBlockRows, "s");
  const std::vector<std::string_view> rows = Views(texts);
  Evaluation evaluation(ProgramOf("concat(s, upper(concat('a', lower('B'))))"));
  evaluation.Set(0, rows.data());
  evaluation.Run(kBlockRows, [](int64_t) {});
  for (const std::string_view value : evaluation.Values<std::string_view>()) {
    EXPECT_EQ(value, "sAB");
  }
}

}  // namespace
}  // namespace tidemill::expressions
