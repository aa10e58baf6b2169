#include "transform/cut_points.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using ::testing::HasSubstr;

constexpr char kPhotographs[] =
    "- decode_image: {height: 48, width: 64}\n"
    "- resize: {height: 36, width: 48}\n"
    "- random_crop: {column: image, height: 32, width: 32}\n"
    "- resize: {height: 16, width: 16}\n"
    "- stack: {columns: [image], into: input}\n"
    "- label: {into: target}\n";

Graph GraphOf(const std::string& text) {
  return testing::MustBuild(*config::Read<GraphSpec>(text, "graph"),
                            {.payload = batch::PayloadKind::kFile, .label = LabelKind::kClass});
}

std::string WhyNotAfter(std::string_view op) {
  return std::string(CutPointAfter(GraphOf(kPhotographs), op).status().message());
}

TEST(CutPointAfter, FindsTheOpByItsTypeAndByItsPlace) {
  const Graph graph = GraphOf(kPhotographs);
  const auto by_type = CutPointAfter(graph, "decode_image");
  ASSERT_THAT(by_type, tidemill::testing::IsOk());
  EXPECT_EQ(by_type->last_op, 0);
  const auto by_place = CutPointAfter(graph, "2");
  ASSERT_THAT(by_place, tidemill::testing::IsOk());
  EXPECT_EQ(by_place->last_op, 1);
}

TEST(CutPointAfter, NamesTheOpsWhenThereIsNoneOfThatName) {
  EXPECT_THAT(WhyNotAfter("nosuch"),
              HasSubstr("the graph has no op nosuch; its ops are decode_image, resize"));
  EXPECT_THAT(WhyNotAfter("7"), HasSubstr("the graph has no op 7: it has 6 ops"));
  EXPECT_THAT(WhyNotAfter("0"), HasSubstr("the graph has no op 0"));
}

TEST(CutPointAfter, AsksForThePlaceWhenSeveralOpsHaveTheType) {
  EXPECT_THAT(WhyNotAfter("resize"), HasSubstr("several ops of the graph are resize"));
}

TEST(CutPointAfter, NamesTheRandomOpThatComesFirst) {
  EXPECT_THAT(
      WhyNotAfter("random_crop"),
      HasSubstr("nothing can be kept after op 3 (random_crop): op 3 (random_crop) is random"));
  EXPECT_THAT(WhyNotAfter("4"),
              HasSubstr("nothing can be kept after op 4 (resize): op 3 (random_crop) is random"));
}

}  // namespace
}  // namespace tidemill::transform
