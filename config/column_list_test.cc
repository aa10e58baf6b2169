#include "config/column_list.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tidemill::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Table {
  ColumnList columns = ColumnList::All();
  void Fields(auto&& field) { field("columns", columns, "The columns.", Limits{.min_items = 1}); }
  friend bool operator==(const Table&, const Table&) = default;
};

ColumnList Columns(const std::string& text) {
  const auto table = Read<Table>("columns: " + text + "\n", "table.yaml");
  EXPECT_TRUE(table.ok()) << table.status();
  return table.ok() ? table->columns : ColumnList();
}

std::string ProblemsOf(const std::string& text) {
  return Decode<Table>({.text = "columns: " + text + "\n", .name = "table.yaml"})
      .problems.ToString();
}

TEST(ColumnList, IsAllOrNamesOrRulesOrBoth) {
  EXPECT_TRUE(Columns("all").IsAll());
  EXPECT_EQ(Columns("[a, 7]"), ColumnList({"a", "7"}));
  EXPECT_FALSE(Columns("[a, all]").HasRules());
  ColumnList rule;
  rule.items.emplace_back(ColumnRule{.match = "s_*", .except = {"s_3"}});
  EXPECT_EQ(Columns("{match: \"s_*\", except: [s_3]}"), rule);
  EXPECT_EQ(Columns("[{match: \"s_*\", except: [s_3]}]"), rule);
  rule.items.emplace_back("hour");
  EXPECT_EQ(Columns("\n- match: s_*\n  except: [s_3]\n- hour"), rule);
  EXPECT_THAT(rule.Names(), ElementsAre("hour"));
}

TEST(ColumnList, IsPrintedSoThatItReadsTheSame) {
  for (const std::string text :
       {"all", "[a, b]", "{match: \"s_*\"}", "{from: a, to: \"true\", except: [c]}",
        "[a, {to: \"b c\"}, \"1.10\", {except: [a]}]", "[{match: \"*\"}, z]"}) {
    const Table table{.columns = Columns(text)};
    const auto again = Read<Table>(Print(table), "printed.yaml");
    ASSERT_TRUE(again.ok()) << again.status() << Print(table);
    EXPECT_EQ(*again, table) << Print(table);
  }
  EXPECT_EQ(Print(Table()), "columns: all\n");
  EXPECT_EQ(Print(Table{.columns = {"a", "b"}}), "columns: [a, b]\n");
}

TEST(ColumnList, SaysWhereSomethingElseIsWritten) {
  EXPECT_THAT(ProblemsOf("sensor_*"), HasSubstr("write {match: \"sensor_*\"}"));
  EXPECT_THAT(ProblemsOf("hour"), HasSubstr("write [hour]"));
  EXPECT_THAT(ProblemsOf("hour, day"), HasSubstr("write [hour, day]"));
  EXPECT_THAT(ProblemsOf("2"), HasSubstr("write [\"2\"]"));
  EXPECT_THAT(ProblemsOf("'hour, day'"), HasSubstr("write [hour, day]"));
  EXPECT_THAT(ProblemsOf("'[hour]'"), HasSubstr("remove the quotes"));
  EXPECT_THAT(ProblemsOf("no"), HasSubstr("write [\"no\"]"));
  EXPECT_THAT(ProblemsOf("All"), HasSubstr("write all"));
  EXPECT_THAT(ProblemsOf("[]"), HasSubstr("needs at least 1 entries"));
  EXPECT_THAT(ProblemsOf("{matches: a}"), HasSubstr("did you mean 'match'?"));
  EXPECT_THAT(ProblemsOf("{}"), HasSubstr("chooses nothing"));
  EXPECT_THAT(ProblemsOf("{match: \"\"}"), HasSubstr("must not be empty"));
  EXPECT_THAT(
      ProblemsOf("\n- a\n- match: b*\n  from: c"),
      HasSubstr("table.yaml:3:10: error: columns[1].match: cannot be combined with from and to"));
}

TEST(ColumnList, HasASchemaAndAnExplanation) {
  const auto schema = Schema<Table>();
  const auto& forms = schema["properties"]["columns"]["anyOf"];
  ASSERT_EQ(forms.size(), 3);
  EXPECT_EQ(forms[0]["const"], "all");
  EXPECT_TRUE(forms[2]["properties"].contains("match"));
  EXPECT_EQ(schema["properties"]["columns"]["default"], "all");
  const auto key = Explain<Table>("columns.except");
  ASSERT_TRUE(key.ok()) << key.status();
  EXPECT_THAT(*key, HasSubstr("Names of columns to leave out."));
  EXPECT_THAT(Reference<Table>("Table"), HasSubstr("## `columns`"));
}

}  // namespace
}  // namespace tidemill::config
