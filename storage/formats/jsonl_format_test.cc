#include "storage/spec/formats/jsonl_format.h"

#include <random>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "nlohmann/json.hpp"

#include "storage/testing/format_fixture.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using testing::FormatTest;
using ::testing::HasSubstr;
using testing::WantedSample;
using tidemill::testing::IsOk;

constexpr char kJsonlSpec[] = R"(
format: {type: jsonl, max_record: 4MiB}
event_time: {column: when.at, format: unix_ms}
label: {column: class, missing: []}
max_bad_fraction: 1
)";

std::string RandomText(std::mt19937& random, size_t max_size) {
  constexpr std::string_view kPieces[] = {"a", "\"", "\\", "\n", "\xc3\xbc", "\xf0\x9f\x98\x80",
                                          "{", "]",  ",",  ":",  "\x01",     " "};
  std::string text;
  for (size_t size = random() % (max_size + 1); size > 0; --size) {
    text += kPieces[random() % std::size(kPieces)];
  }
  return text;
}

TEST_F(FormatTest, JsonLinesComeBackAsTheyWereWritten) {
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    std::string file = round % 3 == 0 ? "\xef\xbb\xbf" : "";
    const std::string end = round % 2 == 0 ? "\n" : "\r\n";
    std::vector<WantedSample> wanted;
    for (uint32_t count = random() % 40; count > 0; --count) {
      const auto label = static_cast<int64_t>(random() % 100);
      const auto millis = static_cast<int64_t>(random()) * 1000 - 2'000'000'000'000;
      nlohmann::ordered_json object;
      if (random() % 2 == 0) object[RandomText(random, 8)] = {1, {{"class", 7}}};
      object["class"] = label;
      object["when"] = {{"at", millis}, {"class", "no"}};
      object["text"] = RandomText(random, random() % 50 == 0 ? 400'000 : 30);
      const std::string line = object.dump(-1, ' ', random() % 2 == 0);
      wanted.push_back({line, label, millis * 1000});
      file += line + end;
      if (random() % 8 == 0) file += "  " + end;
    }
    if (random() % 2 == 0 && file.ends_with(end)) file.resize(file.size() - end.size());
    data_.Write("x.jsonl", file);
    const auto found = Index(Spec(kJsonlSpec), "x.jsonl");
    ASSERT_THAT(found, IsOk());
    EXPECT_EQ(found->num_bad, 0);
    ASSERT_EQ(Samples("x.jsonl", *found), wanted);
  }
}

TEST_F(FormatTest, ZerosAmongJsonLinesCostWhatTheyReplaced) {
  const auto line = [](int at) {
    return fmt::format(R"({{"class": 1, "when": {{"at": {}}}}})", at);
  };
  const std::string zeros(5000, '\0'), many_zeros(6 << 20, '\0');
  for (const bool append : {false, true}) {
    const DatasetSpec spec = Spec(std::string(kJsonlSpec) + (append ? "append: true\n" : ""));
    // Whole lines were replaced, more than a line may have.
    data_.Write("x.jsonl", line(1) + "\n" + many_zeros + line(2) + "\n");
    const auto whole = Index(spec, "x.jsonl");
    ASSERT_THAT(whole, IsOk());
    EXPECT_THAT(Bytes("x.jsonl", *whole), ElementsAre(line(1), line(2)));
    EXPECT_EQ(whole->num_bad, 1);
    EXPECT_EQ(whole->lost_bytes, std::ssize(many_zeros));
    // Parts of lines were replaced.
    data_.Write("x.jsonl", line(1) + "\n" + line(2).substr(0, 9) + zeros + line(3).substr(9) +
                               "\n" + line(4) + zeros + line(5) + "\n");
    const auto parts = Index(spec, "x.jsonl");
    ASSERT_THAT(parts, IsOk());
    EXPECT_THAT(Bytes("x.jsonl", *parts), ElementsAre(line(1), line(4), line(5)));
    EXPECT_THAT(parts->positions, ElementsAre(0, 2, 4)) << "a loss is between them";
    EXPECT_EQ(parts->num_bad, 2);
    EXPECT_EQ(parts->lost_bytes, 2 * std::ssize(zeros) + std::ssize(line(3)));
    // Nothing follows them.
    data_.Write("x.jsonl", line(1) + "\n" + many_zeros);
    const auto end = Index(spec, "x.jsonl");
    ASSERT_THAT(end, IsOk());
    EXPECT_THAT(Bytes("x.jsonl", *end), ElementsAre(line(1)));
    EXPECT_EQ(end->num_bad, 0);
    EXPECT_THAT(end->remarks,
                ElementsAre(fmt::format("the file ends with '{}' zeros, which are not a record",
                                        many_zeros.size())));
    EXPECT_EQ(end->bytes_done, std::ssize(line(1)) + 1 + (append ? 0 : std::ssize(many_zeros)));
    EXPECT_EQ(end->num_bytes, std::ssize(line(1)) + 1 + std::ssize(many_zeros));
  }
}

TEST_F(FormatTest, ABadJsonLineCostsThatLine) {
  data_.Write("x.jsonl",
              "{\"class\": 1, \"when\": {\"at\": 1}}\n"
              "{\"class\": 1\n"
              "{\"class\": null, \"when\": {\"at\": 1}}\n"
              "{\"class\": 1.5, \"when\": {\"at\": 1}}\n"
              "{\"class\": 1, \"when\": 5}\n"
              "[1]\n"
              "{\"class\": \"2\", \"when.at\": \"2\"}\n"
              "{\"class\": NaN, \"when\": {\"at\": 1}}\n"
              "{\"class\": 1, \"class\": 2, \"when\": {\"at\": 1}}\n"
              "{\"class\": 1, \"when\": {\"at\": 1}},\n");
  const auto found = Index(Spec(kJsonlSpec), "x.jsonl");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->positions, ElementsAre(0, 6));
  EXPECT_THAT(found->rows.class_label, ElementsAre(1, 2));
  EXPECT_THAT(found->rows.event_time, ElementsAre(1000, 2000));
  ASSERT_EQ(found->bad.size(), 8U);
  EXPECT_THAT(found->bad[0].reason, HasSubstr("not a JSON object"));
  EXPECT_THAT(found->bad[1].reason, HasSubstr("field class is null"));
  EXPECT_THAT(found->bad[2].reason, HasSubstr("'1.5' is not a whole number"));
  EXPECT_THAT(found->bad[3].reason, HasSubstr("no field when.at"));
  EXPECT_THAT(found->bad[5].reason, HasSubstr("field class is NaN"));
  EXPECT_THAT(found->bad[6].reason, HasSubstr("has field class twice, with different values"));
  EXPECT_THAT(found->bad[7].reason, HasSubstr("has a comma after its object"));
}

TEST_F(FormatTest, JsonTimesMayBeSplitOverFieldsAndLabelsMayBeNamed) {
  data_.Write("x.jsonl", R"({"y": 2013, "m": 3, "d": "1", "h": 0, "ok": true}
{"y": 2013, "m": 12, "d": 31, "h": 23, "ok": false}
)");
  const auto found = Index(Spec(R"(
format: jsonl
event_time: {columns: [y, m, d, h], format: "%Y %m %d %H", time_zone: "+08:00"}
label: {column: ok, classes: ["false", "true"]}
)"),
                           "x.jsonl");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->rows.class_label, ElementsAre(1, 0));
  EXPECT_THAT(found->rows.event_time, ElementsAre(ParseTimestamp("2013-02-28T16:00:00Z")->micros,
                                                  ParseTimestamp("2013-12-31T15:00:00Z")->micros));
}

// A file that was cut or damaged gives the lines that are still whole, as another parser sees them.
TEST_F(FormatTest, DamagedJsonLinesAreRightOrRefused) {
  std::string file;
  for (int i = 0; i < 4; ++i) {
    file +=
        fmt::format(R"({{"text": "\u00fc {}", "when": {{"at": {}}}, "class": {}}})", i, i + 70, i);
    file += '\n';
  }
  const DatasetSpec spec = Spec(kJsonlSpec);
  const auto check = [&](const std::string& bytes, const std::string& what) {
    data_.Write("x.jsonl", bytes);
    const auto found = Index(spec, "x.jsonl");
    ASSERT_THAT(found, IsOk());
    std::vector<std::string> lines;
    size_t at = 0;
    int64_t num_lines = 0;
    for (size_t row = 0; at < bytes.size(); ++num_lines) {
      const size_t end = std::min(bytes.find('\n', at), bytes.size());
      const std::string line = bytes.substr(at, end - at);
      const auto parsed = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
      const bool taken =
          row < found->positions.size() && found->rows.byte_from[row] == static_cast<int64_t>(at);
      if (taken && parsed.is_object()) {
        const auto& label = parsed["class"];
        ASSERT_EQ(label.is_string() ? label.get<std::string>() : label.dump(),
                  std::to_string(*found->rows.class_label[row]))
            << what;
        ASSERT_EQ(found->rows.event_time[row], parsed["when"]["at"].get<int64_t>() * 1000) << what;
      }
      if (taken) {
        ASSERT_EQ(found->rows.byte_to[row], static_cast<int64_t>(end)) << what;
        ++row;
      } else if (parsed.is_object() && parsed.contains("when") && parsed["when"].is_object()) {
        const bool has_both = parsed["when"].contains("at") && parsed.contains("class");
        ASSERT_FALSE(has_both && parsed["when"]["at"].is_number_integer() &&
                     parsed["class"].is_number_unsigned())
            << what << line;
      }
      at = end + 1;
    }
    ASSERT_LE(std::ssize(found->positions) + found->num_bad, num_lines) << what;
  };
  for (size_t size = 0; size <= file.size(); ++size) {
    check(file.substr(0, size), fmt::format("cut to {}", size));
  }
  for (size_t at = 0; at < file.size(); ++at) {
    for (const char byte : {'\n', '"', '\xff', '{', static_cast<char>(file[at] ^ 1)}) {
      std::string damaged = file;
      damaged[at] = byte;
      check(damaged, fmt::format("byte {} is {}", at, static_cast<int>(byte)));
    }
  }
}

TEST_F(FormatTest, GrowingJsonLinesAreTakenLineByWholeLine) {
  const DatasetSpec spec = Spec("format: {type: jsonl, max_record: 64B}\nappend: true\n");
  const std::string head = "{\"a\": 1}\n{\"a\": 2}\n";
  data_.Write("x.jsonl", head + "{\"a\": 3}");
  const auto found = Index(spec, "x.jsonl");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(Bytes("x.jsonl", *found), ElementsAre("{\"a\": 1}", "{\"a\": 2}"));
  EXPECT_EQ(found->bytes_done, static_cast<int64_t>(head.size()));
  data_.Write("x.jsonl", head + "{\"a\": 3}\n");
  const auto more = Index(spec, "x.jsonl", found->bytes_done, found->records_done);
  ASSERT_THAT(more, IsOk());
  EXPECT_THAT(more->positions, ElementsAre(2));
  EXPECT_THAT(Bytes("x.jsonl", *more), ElementsAre("{\"a\": 3}"));
}

// A growing file has the same records as the complete file, at whatever moments it is read.
TEST_F(FormatTest, AnOverLongRecordThatIsStillBeingWrittenLeavesNoRecord) {
  const std::string long_text(200, 'x');
  const struct {
    const char* spec;
    std::string file;
  } cases[] = {{"format: {type: jsonl, max_record: 64B}\nappend: true\n",
                "{\"a\": 1}\n{\"a\": \"" + long_text + "\"}\n{\"a\": 3}\n"},
               {"format: {type: csv, max_record: 64B, header: false, columns: [a]}\nappend: true\n",
                "1\n" + long_text + "\n3\n"}};
  for (const auto& [spec, file] : cases) {
    data_.Write("whole", file);
    const auto whole = Index(Spec(spec), "whole");
    ASSERT_THAT(whole, IsOk());
    EXPECT_THAT(whole->positions, ElementsAre(0, 2));
    EXPECT_EQ(whole->num_bad, 1);
    for (size_t first = 0; first <= file.size(); first += 7) {
      for (size_t second = first; second <= file.size(); second += 13) {
        std::vector<std::string> records;
        int64_t num_bad = 0, byte = 0, record = 0;
        for (const size_t size : {first, second, file.size()}) {
          data_.Write("x", file.substr(0, size));
          const auto found = Index(Spec(spec), "x", byte, record);
          ASSERT_THAT(found, IsOk());
          for (const std::string& bytes : Bytes("x", *found)) records.push_back(bytes);
          num_bad += found->num_bad;
          byte = found->bytes_done;
          record = found->records_done;
        }
        ASSERT_EQ(records, Bytes("whole", *whole)) << first << " " << second;
        ASSERT_EQ(num_bad, 1) << first << " " << second;
      }
    }
  }
}

TEST_F(FormatTest, JsonLinesMakeSeries) {
  data_.Write("x.jsonl", R"({"g": "a", "t": 1, "y": 5}
{"g": "a", "t": 2, "y": null}
{"g": "a", "t": 3, "y": 7}
{"g": "b", "t": 1, "y": 8}
)");
  const auto found = Index(Spec(R"(
format: jsonl
event_time: {column: t, format: unix}
series: {group: g, history: 2, target: y, horizon: 0}
)"),
                           "x.jsonl");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->positions, ElementsAre(2));
  EXPECT_THAT(
      Bytes("x.jsonl", *found),
      ElementsAre("{\"g\": \"a\", \"t\": 2, \"y\": null}\n{\"g\": \"a\", \"t\": 3, \"y\": 7}"));
}

}  // namespace
}  // namespace tidemill::storage
