#include "cli/bench/suite.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SuiteEntry EntryOf(const std::string& domain, const std::string& name) {
  SuiteEntry entry;
  entry.spec.domain = domain;
  entry.spec.name = name;
  return entry;
}

// The names of the entries that are chosen.
std::vector<std::string> Chosen(const std::vector<std::string>& names) {
  const auto chosen = ChooseEntries(
      {EntryOf("recsys", "criteo_like"), EntryOf("recsys", "movies"), EntryOf("weather", "pm25")},
      names);
  if (!chosen.ok()) return {std::string(chosen.status().message())};
  std::vector<std::string> found;
  for (const SuiteEntry& entry : *chosen) found.push_back(entry.spec.name);
  return found;
}

TEST(ChooseEntries, TakesEntriesAndDomainsAndBothTogether) {
  EXPECT_THAT(Chosen({}), ElementsAre("criteo_like", "movies", "pm25"));
  EXPECT_THAT(Chosen({"pm25", "criteo_like"}), ElementsAre("criteo_like", "pm25"));
  EXPECT_THAT(Chosen({"recsys"}), ElementsAre("criteo_like", "movies"));
  EXPECT_THAT(Chosen({"recsys/criteo_like", "weather/pm25"}), ElementsAre("criteo_like", "pm25"));
  EXPECT_THAT(Chosen({"weather/criteo_like"}),
              ElementsAre(HasSubstr("the suite has no 'weather/criteo_like'")));
}

}  // namespace
}  // namespace tidemill::cli
