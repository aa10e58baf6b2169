#include "trainer_server/ranks/rank_place.h"

#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::trainer_server {
namespace {

using ::testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

absl::StatusOr<std::optional<RankPlace>> Read(const std::vector<std::string>& arguments,
                                              const Variables& variables) {
  return ReadRankPlace(arguments, [&](const std::string& name) {
    const auto it = variables.find(name);
    return it == variables.end() ? std::nullopt : std::optional(it->second);
  });
}

TEST(RankPlace, IsReadFromTheArgumentsThatItBecomes) {
  for (const RankPlace& place :
       {RankPlace{.rank = 2, .size = 4, .store = "/a/b=c"},
        RankPlace{.rank = 0, .size = 1, .address = "::1", .port = 0},
        RankPlace{.rank = 1, .size = 2, .address = "host", .port = 65535, .is_hosted = true}}) {
    const auto read = Read(ArgumentsOf(place), {{"RANK", "7"}, {"WORLD_SIZE", "9"}});
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(*read, place);
  }
}

TEST(RankPlace, IsReadFromTheVariablesOfTorchrun) {
  const Variables torchrun = {{"RANK", "1"},
                              {"WORLD_SIZE", "3"},
                              {"MASTER_ADDR", "127.0.0.1"},
                              {"MASTER_PORT", "29500"},
                              {"TORCHELASTIC_USE_AGENT_STORE", "True"}};
  const auto read = Read({}, torchrun);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(
      *read,
      (RankPlace{.rank = 1, .size = 3, .address = "127.0.0.1", .port = 29500, .is_hosted = true}));
  EXPECT_EQ(Read({}, {}).value(), std::nullopt);
}

TEST(RankPlace, ARankThatCannotBeIsRefused) {
  const auto problem = [](const Variables& variables) {
    return std::string(Read({}, variables).status().message());
  };
  EXPECT_THAT(problem({{"RANK", "2"}, {"WORLD_SIZE", "2"}}), HasSubstr("RANK is '2'"));
  EXPECT_THAT(problem({{"RANK", "-1"}, {"WORLD_SIZE", "2"}}), HasSubstr("RANK is '-1'"));
  EXPECT_THAT(problem({{"RANK", "0"}}), HasSubstr("WORLD_SIZE is ''"));
  EXPECT_THAT(problem({{"RANK", "0"}, {"WORLD_SIZE", "2"}}), HasSubstr("MASTER_ADDR"));
  EXPECT_THAT(problem({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "h"}}),
              HasSubstr("MASTER_PORT is ''"));
}

}  // namespace
}  // namespace tidemill::trainer_server
