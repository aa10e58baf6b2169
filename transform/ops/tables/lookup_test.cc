#include "transform/ops/tables/lookup.h"

#include <string>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "transform/engine/op_counters.h"
#include "transform/testing/lookups.h"
#include "transform/testing/samples.h"
#include "transform/unknown_values.h"

namespace tidemill::transform {
namespace {

using testing::Checked;
using testing::CsvSchema;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeSamples;
using testing::Numbers;
using testing::RunGraph;
using testing::Take;
using tidemill::testing::kInvalid;
using tidemill::testing::StatusIs;

constexpr char kStations[] =
    "station,name,height,region\n"
    "BRN,Bern,553.5,plain\n"
    "ZRH,\"Zurich, Fluntern\",555.9,plain\n"
    "\n"
    "JUN,Jungfraujoch,3571,\"Alps\"\n";

const SampleSchema kSchema = CsvSchema({"station", "hour", "x"});

Transformed Joined(const std::string& ops, const std::string& table,
                   const std::vector<std::string>& records) {
  const Checked checked = Take(ops, table, kSchema);
  EXPECT_THAT(checked.problems, IsEmpty());
  return RunGraph(checked.graph, kSchema, MakeSamples(records));
}

std::vector<std::string> Reasons(const Transformed& made) {
  std::vector<std::string> reasons;
  for (const BadSample& bad : made.bad) reasons.push_back(bad.reason);
  return reasons;
}

constexpr char kParse[] = "- parse_csv: {columns: [station], dtype: string}\n";
constexpr char kStack[] = "- stack: {columns: [height], into: input}\n";

TEST(Lookup, GivesEachSampleTheRowOfItsKey) {
  const Transformed made =
      Joined(fmt::format("{}- lookup: {{table: t.csv, on: station, columns: [height, region],"
                         " missing: bad_sample}}\n"
                         "- one_hot: {{column: region, categories: [plain, Alps]}}\n"
                         "- stack: {{columns: [height, region], into: input}}\n",
                         kParse),
             kStations, {"JUN,1,0", "BRN,2,0", "OLT,3,0", "JUN,4,0"});
  EXPECT_THAT(Numbers<float>(made.batch, "input"),
              ElementsAre(3571, 0, 1, 553.5, 1, 0, 3571, 0, 1));
  EXPECT_THAT(Reasons(made), ElementsAre("column station: 'OLT' is not in the table"));
}

TEST(Lookup, OfAMissingKeyIsNullADefaultOrABadSample) {
  const std::string op = "- lookup: {table: t.csv, on: station, columns: [height]";
  const std::vector<std::string> records = {"OLT,1,0", "BRN,2,0"};
  const std::string fill = "- fill_missing: {columns: [height], with: number, number: -1}\n";
  for (const char* missing : {"}\n", ", missing: null}\n", ", missing: \"null\"}\n"}) {
    const Transformed filled = Joined(kParse + op + missing + fill + kStack, kStations, records);
    EXPECT_THAT(Numbers<float>(filled.batch, "input"), ElementsAre(-1, 553.5));
    const Transformed bad = Joined(kParse + op + missing + kStack, kStations, records);
    EXPECT_EQ(bad.bad.size(), 1U);
  }
  for (const char* missing :
       {", missing: default, default: {height: 7}}\n", ", default: {height: 7}}\n"}) {
    const Transformed made = Joined(kParse + op + missing + kStack, kStations, records);
    EXPECT_THAT(Numbers<float>(made.batch, "input"), ElementsAre(7, 553.5));
  }
}

TEST(Lookup, OfAnEmptyNumberIsOfAMissingKey) {
  const std::string table = "station,height,floors\nBRN,,3\nZRH,5,\n";
  const std::string op = "- lookup: {table: t.csv, on: station, columns: [height, floors]";
  const std::string stack = "- stack: {columns: [height, floors], into: input}\n";
  const Transformed made = Joined(kParse + op + ", default: {height: 1, floors: 2}}\n" + stack,
                                  table, {"BRN,,", "ZRH,,"});
  EXPECT_THAT(Numbers<float>(made.batch, "input"), ElementsAre(1, 3, 5, 2));
  const Transformed bad =
      Joined(kParse + op + ", missing: bad_sample}\n" + stack, table, {"BRN,,", "ZRH,,"});
  EXPECT_THAT(Reasons(bad), ElementsAre("column station: 'BRN' has no height in the table",
                                        "column station: 'ZRH' has no floors in the table"));
}

TEST(Lookup, TakesTheWordsOfLabelsForMissingNumbers) {
  const std::string table = "station,height\nBRN,NA\nZRH,5\nJUN, n/a \n";
  const std::string op = "- lookup: {table: t.csv, on: station, columns: [height]";
  const std::vector<std::string> records = {"BRN,,", "ZRH,,", "JUN,,"};
  const Transformed made =
      Joined(kParse + op + ", default: {height: 1}}\n" + kStack, table, records);
  EXPECT_THAT(Numbers<float>(made.batch, "input"), ElementsAre(1, 5, 1));
  const std::string own = ", missing_words: [\"-999\"], default: {height: 1}}\n";
  EXPECT_FALSE(Take(kParse + op + own + kStack, table, kSchema).problems.empty())
      << "NA is then a text";
  const Transformed other =
      Joined(kParse + op + own + kStack, "station,height\nBRN,-999\nZRH,5\n", records);
  EXPECT_THAT(Numbers<float>(other.batch, "input"), ElementsAre(1, 5, 1));
}

TEST(Lookup, OfAKeyThatIsWrittenOtherwiseNamesTheOneOfTheTable) {
  const std::string ops =
      kParse +
      std::string(
          "- lookup: {table: t.csv, on: station, columns: [height], missing: bad_sample}\n") +
      kStack;
  const Transformed made = Joined(ops, "station,height\n1,2\n07,3\nAb,4\n x,5\ncaf\u00e9,6\n",
                                  {"1.0,,", "01,,", "7,,", "AB,,", "x,,", "cafe\u0301,,", "q,,"});
  EXPECT_THAT(Reasons(made), ElementsAre("column station: '1.0' is not in the table, which has '1'",
                                         "column station: '01' is not in the table, which has '1'",
                                         "column station: '7' is not in the table, which has '07'",
                                         "column station: 'AB' is not in the table, which has 'Ab'",
                                         "column station: 'x' is not in the table, which has ' x'",
                                         HasSubstr("is not in the table, which has 'caf"),
                                         "column station: 'q' is not in the table"));
}

TEST(Lookup, CountsSamplesWithoutARow) {
  const std::string ops =
      kParse +
      std::string(
          "- lookup: {table: t.csv, on: station, columns: [height], default: {height: 1}}\n") +
      kStack;
  const Checked checked = Take(ops, kStations, kSchema);
  const Graph graph = testing::MustBuild(checked.graph, kSchema);
  OpCounters counters(graph.op_types());
  ASSERT_TRUE(graph.Run(MakeSamples({"OLT,,", "BRN,,", "OLT,,"}), nullptr, {}, &counters).ok());
  EXPECT_EQ(counters.Snapshot()[1].work.unknown, 2);
  EXPECT_EQ(counters.Snapshot()[1].work.rejected, 0);
  const auto strict = RejectUnknown(checked.graph);
  ASSERT_TRUE(strict.has_value());
  const Transformed made = RunGraph(*strict, kSchema, MakeSamples({"OLT,,", "BRN,,"}));
  EXPECT_THAT(Reasons(made), ElementsAre("column station: 'OLT' is not in the table"));
}

TEST(Lookup, TakesKeysOfSeveralColumnsUnderOtherNames) {
  const std::string ops =
      "- parse_csv: {columns: [station], dtype: string}\n"
      "- parse_csv: {columns: [hour], dtype: int64}\n"
      "- lookup: {table: t.csv, on: {station: code, hour: h}, columns: {load: usual_load},"
      " missing: bad_sample}\n"
      "- stack: {columns: [usual_load], into: input}\n";
  const Transformed made = Joined(ops, "h,code,load\n7,A,1\n07,AB,2\n8,A,3\n+8,B,4\n",
                                  {"A,7,0", "AB,7,0", "A,8,0", "B,8,0", "A7,7,0", "B,7,0"});
  EXPECT_THAT(Numbers<float>(made.batch, "input"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Reasons(made), ElementsAre("columns station, hour: 'A7', 7 is not in the table",
                                         "columns station, hour: 'B', 7 is not in the table"));
}

TEST(Lookup, ComparesTextsByteForByteAndNumbersByTheirValue) {
  const std::string op =
      "- lookup: {table: t.csv, on: hour, columns: [v], default: {v: -1}}\n"
      "- stack: {columns: [v], into: input}\n";
  const std::string table = "hour,v\n007,1\n8,2\n";
  const std::vector<std::string> records = {"a,7,0", "a,007,0", "a,8,0"};
  const Transformed numbers =
      Joined("- parse_csv: {columns: [hour], dtype: int64}\n" + op, table, records);
  EXPECT_THAT(Numbers<float>(numbers.batch, "input"), ElementsAre(1, 1, 2));
  const Transformed texts =
      Joined("- parse_csv: {columns: [hour], dtype: string}\n" + op, table, records);
  EXPECT_THAT(Numbers<float>(texts.batch, "input"), ElementsAre(-1, 1, 2));
}

TEST(Lookup, TypesColumnsByTheirFirstFieldUnlessDtypesAreGiven) {
  const Checked checked =
      Take(fmt::format("{}- lookup: {{table: t.csv, on: station, columns: [a, b, c, d, e],"
                       " missing: default, default: {{a: 0, b: 0, c: 0, d: x, e: 3}},"
                       " dtypes: {{d: string, e: int64}}}}\n"
                       "- stack: {{columns: [a], into: input}}\n",
                       kParse),
           "station,a,b,c,d,e\nX,,1,,1,1\nY,1.5,16777217,1,2,2\n", kSchema);
  EXPECT_THAT(checked.problems, IsEmpty());
  EXPECT_EQ(checked.graph[1].value.As<LookupSpec>()->dtypes, (ColumnTypes{{"a", CsvType::kFloat32},
                                                                          {"b", CsvType::kFloat64},
                                                                          {"c", CsvType::kFloat32},
                                                                          {"d", CsvType::kString},
                                                                          {"e", CsvType::kInt64}}));
}

TEST(Lookup, ReadsOtherDelimitersQuotesAndLineEnds) {
  const std::string ops = fmt::format(
      "{}- lookup: {{table: t.csv, on: station, columns: [height], delimiter: \";\","
      " decimal: \",\", missing: bad_sample}}\n{}",
      kParse, kStack);
  const Transformed made = Joined(
      ops,
      "\xef\xbb\xbfname;station;height\r\n\"two\r\nlines\";\"A;\"\"1\"\"\";1,5\r\n;;\r\nx;B;2\r\n",
      {"\"A;\"\"1\"\"\",0,0", "B,0,0"});
  EXPECT_THAT(Numbers<float>(made.batch, "input"), ElementsAre(1.5, 2));
}

TEST(Lookup, KeepsTheColumnsThatItNames) {
  const std::string ops = fmt::format(
      "{}- lookup: {{table: t.csv, on: station, columns: [height]}}\n{}", kParse, kStack);
  std::string wide = "station,height,notes\n", narrow = "height,station\n";
  for (int i = 0; i < 1000; ++i) {
    wide += fmt::format("S{},{},\"note {}\nof {}\"\n", i, i, i * 7919, i * 104729);
    narrow += fmt::format("{},S{}\n", i, i);
  }
  const auto size = [&](const std::string& table) {
    return Take(ops, table, kSchema).graph[1].value.As<LookupSpec>()->content.size();
  };
  EXPECT_LT(size(wide), 1.2 * static_cast<double>(size(narrow)));
}

TEST(Lookup, IsTheSameAfterItsSpecWasPrintedAndRead) {
  const Checked checked =
      Take(fmt::format("{}- lookup: {{table: t.csv, on: station, columns: {{height: h}},"
                       " missing: null, default: {{height: 1}}}}\n"
                       "- stack: {{columns: [h], into: input}}\n",
                       kParse),
           kStations, kSchema);
  EXPECT_THAT(checked.problems, IsEmpty());
  const auto read = config::Read<GraphSpec>(config::Print(checked.graph), "printed");
  ASSERT_THAT(read, tidemill::testing::IsOk());
  EXPECT_EQ(*read, checked.graph);
  const Transformed made = RunGraph(*read, kSchema, MakeSamples({"ZRH,,", "?,,"}));
  EXPECT_THAT(Numbers<float>(made.batch, "input"), ElementsAre(555.9f, 1));
}

struct Mistake {
  const char* op;  // The settings of the lookup.
  const char* table;
  const char* problem;
};

TEST(Lookup, OfAMistakenTableIsRefusedWithTheLine) {
  const Mistake mistakes[] = {
      {"columns: [h]", "", "table: t.csv is empty"},
      {"columns: [h]", "station,h\n", "table: t.csv has a header and no rows"},
      {"columns: [h]", "station,h\na,1\nb,2,3\n",
       "table: t.csv, line 3: the row has 3 fields, but the header has 2"},
      {"columns: [h]", "station,h\na,\"1\nb,2\n", "t.csv, line 2: a quote is never closed"},
      {"columns: [h]", "station,h,h\na,1,1\n", "t.csv, line 1: the header names 'h' twice"},
      {"columns: [h]", "station;h\na;1\n",
       "on: t.csv has no column 'station' | its first line is 'station;h': write delimiter: \";\""},
      {"columns: [h]", "station\th\na\t1\n", "write delimiter: \"\\t\""},
      {"columns: [height]", "station,heigth\na,1\n",
       "columns: t.csv has no column 'height' | did you mean 'heigth'?"},
      {"columns: [h]", "name,h\na,1\n",
       "on: t.csv has no column 'station' | its columns are name, h"},
      {"columns: [h], as_of: since", "station,h\na,1\n", "as_of: t.csv has no column 'since'"},
      {"columns: [h]", "station,h\na,1\n\nb,x\n",
       "table: t.csv, line 4: h: 'x' is not a number | leave the field empty where the number is "
       "missing, name its word in missing_words, or write dtypes: {h: string}"},
      {"columns: [h]", "station,h\na,1\nb,1e999\n", "t.csv, line 3: h: '1e999' is out of range"},
      {"columns: [h], dtypes: {h: int64}, default: {h: 0}", "station,h\na,1\nb,\n",
       "t.csv, line 3: h: '' is empty"},
      {"columns: [h]", "station,h\na,1\nb,inf\n", "t.csv, line 3: h: 'inf' is not a finite number"},
      {"columns: [h]", "station,h\na,1\n,2\n", "t.csv, line 3: the key station is empty"},
      {"columns: [h]", "station,h\na,1\nb,1\na,2\n",
       "table: the table, line 4: the key 'a' already occurs in line 2"},
      {"columns: [h]", "station,note,h\na,\"x\ny\",1\n\nb,,1\na,,2\n",
       "table: the table, line 6: the key 'a' already occurs in line 2"},
      {"columns: [h], as_of: t", "station,h,t\na,1,2020-01-01\na,2,2020-01-01T00:00:00Z\n",
       "the table, line 3: the key 'a' already occurs from 2020-01-01T00:00:00Z on in line 2"},
      {"columns: [h], as_of: t", "station,h,t\na,1,soon\n", "t.csv, line 2: t: "},
      {"columns: [h], as_of: t, format: \"%Q\"", "station,h,t\na,1,1\n", "format: the time format"},
      {"columns: [h], as_of: t, time_zone: Nowhere", "station,h,t\na,1,1\n", "time_zone: "},
      {"columns: [h]", "PK\x03\x04zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", "table: t.csv is a"},
  };
  for (const Mistake& mistake : mistakes) {
    const Checked checked = Take(
        fmt::format("{}- lookup: {{table: t.csv, on: station, {}}}\n- stack: {{columns: all, into: "
                    "input}}\n",
                    "- parse_csv: {columns: [station], dtype: string}\n"
                    "- parse_csv: {columns: [x]}\n",
                    mistake.op),
        mistake.table, kSchema);
    ASSERT_FALSE(checked.problems.empty()) << mistake.table;
    EXPECT_THAT(checked.problems[0], HasSubstr(mistake.problem));
  }
}

TEST(Lookup, OfAMistakenKeyTypeNameOrDefaultIsRefused) {
  const char* const table = "station,h,r\na,1,x\n7,2,y\n";
  const std::pair<const char*, const char*> mistakes[] = {
      {"{table: t.csv, on: {statoin: station}, columns: [h]}", "on: there is no column statoin"},
      {"{table: t.csv, on: {x: station}, columns: [h]}",
       "on: column x is float32, but keys are texts or whole numbers | parse it with dtype: string "
       "or int64"},
      {"{table: t.csv, on: {hour: station}, columns: [h]}",
       "on: the table, line 2: station: 'a' is not a whole number, but the sample's is a whole "
       "number"},
      {"{table: t.csv, on: station, columns: [r]}",
       "missing: column r holds texts, of which none can be null | write default: {r: unknown}, or "
       "missing: bad_sample"},
      {"{table: t.csv, on: station, columns: [h], dtypes: {h: int64}}",
       "missing: column h holds whole numbers, of which none can be null | write default: {h: 0}"},
      {"{table: t.csv, on: station, columns: [h], default: {h: high}}",
       "default.h: expected a number"},
      {"{table: t.csv, on: station, columns: [h], default: {h: [1]}}", "default.h: is a list"},
      {"{table: t.csv, on: station, columns: [h], dtypes: {h: int64}, default: {h: 1.5}}",
       "default.h: expected a whole number"},
      {"{table: t.csv, on: station, columns: {h: x}}", "columns: column x already exists"},
  };
  for (const auto& [op, problem] : mistakes) {
    const Checked checked =
        Take(fmt::format("{}- lookup: {}\n- stack: {{columns: [x], into: input}}\n",
                         "- parse_csv: {columns: [station], dtype: string}\n"
                         "- parse_csv: {columns: [hour], dtype: int64}\n"
                         "- parse_csv: {columns: [x]}\n",
                         op),
             table, kSchema);
    ASSERT_FALSE(checked.problems.empty()) << op;
    EXPECT_THAT(checked.problems[0], HasSubstr(problem)) << op;
  }
}

TEST(Lookup, OfSettingsThatDoNothingIsRefused) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"{on: s, columns: [h]}", "needs either table or content"},
      {"{table: t, content: AA==, on: s, columns: [h]}", "needs either table or content"},
      {"{table: t, columns: [h]}", "missing required key 'on'"},
      {"{table: t, on: s}", "missing required key 'columns'"},
      {"{table: t, on: [], columns: [h]}", "on: needs at least 1 entries"},
      {"{table: t, on: [s, s], columns: [h]}", "on: names s twice"},
      {"{table: t, on: s, columns: [h, h]}", "columns: names h twice"},
      {"{table: t, on: s, columns: {h: a, i: a}}", "columns: names a twice"},
      {"{table: t, on: s, columns: [h], default: {hh: 1}}",
       "default.hh: is not one of the added columns"},
      {"{table: t, on: s, columns: [h], dtypes: {i: string}}",
       "dtypes.i: is not one of the added columns"},
      {"{table: t, on: s, columns: [h], dtypes: {h: text}}", "dtypes.h: unknown value 'text'"},
      {"{table: t, on: s, columns: [h], missing: bad_sample, default: {h: 1}}",
       "default: does nothing with missing: bad_sample"},
      {"{table: t, on: s, columns: [h], missing: default}", "default: has no value for h"},
      {"{table: t, on: s, columns: [h], missing: zero}", "allowed: null, bad_sample, default"},
      {"{table: t, on: s, columns: [h], format: unix}", "format: does nothing without as_of"},
      {"{table: t, on: s, columns: [h], time_zone: \"+01:00\"}",
       "time_zone: does nothing without as_of"},
      {"{table: t, on: s, columns: [h], delimiter: \"\"}", "delimiter: is not one to eight bytes"},
      {"{table: t, on: s, columns: [h], decimal: \"\"}", "decimal: is neither a point nor a comma"},
  };
  for (const auto& [op, problem] : mistakes) {
    EXPECT_THAT(config::Read<GraphSpec>(fmt::format("- lookup: {}\n", op), "graph"),
                StatusIs(kInvalid, HasSubstr(problem)));
  }
}

TEST(Lookup, ThatHasAMistakeHidesNoneInTheRestOfTheGraphAndMakesNone) {
  for (const char* op : {"on: station, columns: [h, r], as_of: since",
                         "on: station, columns: [h, q, r], default: {r: x}",
                         "on: station, columns: [h, r], missing: default, default: {h: x, r: y}, "
                         "as_of: t, format: \"%Q\""}) {
    const Checked checked =
        Take(fmt::format("- parse_csv: {{columns: [station], dtype: string}}\n"
                         "- lookup: {{table: t.csv, {}, dtypes: {{r: string}}}}\n"
                         "- one_hot: {{column: r, categories: [a]}}\n"
                         "- stack: {{columns: [h, r, z], into: input}}\n",
                         op),
             "station,h,r,t\na,1,x,2020-01-01\n", kSchema);
    ASSERT_EQ(checked.problems.size(), 2U) << op;
    EXPECT_THAT(checked.problems[1], HasSubstr("columns: there is no column z"));
  }
}

TEST(Lookup, HoldsNoMoreOfAllTablesThanOneMayHave) {
  // Such a table takes no room when it is packed.
  std::string table = "station,v\n";
  for (int i = 0; i < 11; ++i) {
    table += fmt::format("S{},{}\n", i, std::string(size_t{1} << 20, 'x'));
  }
  std::string ops = kParse;
  for (int i = 0; i < 7; ++i) {
    ops += fmt::format(
        "- lookup: {{table: t.csv, on: station, columns: {{v: v{}}}, default: {{v: x}}}}\n", i);
    ops += fmt::format("- hash_buckets: {{column: v{}, buckets: 10}}\n", i);
  }
  const Checked checked = Take(ops + "- stack: {columns: [v0], into: input}\n", table, kSchema);
  ASSERT_EQ(checked.problems.size(), 2U);
  EXPECT_THAT(checked.problems[0], HasSubstr("but at most 67108864 are allowed"));
}

TEST(Lookup, OfContentThatIsNotATableIsAProblemAndNotAFault) {
  for (const char* content : {"AA==", "!", "KLUv/SAFKQAAaGVsbG8=", "KLUv/aD/////AAAAAA=="}) {
    const Checked checked =
        Take(fmt::format("{}- lookup: {{content: \"{}\", on: station, columns: [height]}}\n{}",
                         kParse, content, kStack),
             "", kSchema);
    EXPECT_EQ(checked.problems.size(), 1U) << content;
  }
}

}  // namespace
}  // namespace tidemill::transform
