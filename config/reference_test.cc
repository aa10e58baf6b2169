#include <algorithm>
#include <string>
#include <variant>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "config/reference_pages.h"
#include "config/schema_text.h"
#include "config/testing/garden_spec.h"

namespace tidemill::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;
using namespace ::tidemill::config::testing;  // NOLINT: the fixtures of this room.
using Json = nlohmann::ordered_json;

// Parts of a garden elsewhere.
struct Terrace {
  Gate gate;
  Watering watering;
  std::variant<Drip, Rain> pots;
  void Fields(auto&& field) {
    field("gate", gate, "The way in.");
    field("watering", watering, "How its plants get water.");
    field("pots", pots, "How its pots get water.");
  }
};

TEST(Schema, DescribesFieldsWithDefaultsAndLimits) {
  const auto schema = Schema<Garden>();
  EXPECT_EQ(schema["$schema"], "http://json-schema.org/draft-07/schema#");
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_TRUE(schema["patternProperties"].contains("^x-"));
  EXPECT_EQ(schema["required"], Json::array({"name"}));
  const auto& fields = schema["properties"];
  EXPECT_EQ(fields["visitors"]["minimum"], 0);
  EXPECT_EQ(fields["visitors"]["description"], "Visitors so far.");
  EXPECT_EQ(fields["slope"]["default"].dump(), "0.1");
  EXPECT_EQ(fields["soil"]["enum"], Json::array({"sand", "loam", "clay"}));
  EXPECT_EQ(fields["soil"]["default"], "loam");
  EXPECT_EQ(fields["film"]["default"], "64MiB");
  EXPECT_EQ(fields["steps"]["default"], Json::array({3, 4}));
  EXPECT_EQ(fields["steps"]["items"]["minimum"], 1);
  EXPECT_EQ(fields["steps"]["maxItems"], 4);
  EXPECT_EQ(fields["name"]["examples"], Json::array({"Eden"}));
  EXPECT_FALSE(fields["gate"]["properties"]["code"].contains("default"));
}

TEST(Schema, ListsTheAlternativesOfAVariant) {
  const auto choices = Schema<Garden>()["properties"]["watering"]["oneOf"];
  ASSERT_EQ(choices.size(), 4u);
  EXPECT_EQ(choices[1]["properties"]["type"]["const"], "drip");
  EXPECT_EQ(choices[1]["required"], Json::array({"type", "holes"}));
  EXPECT_EQ(choices[3]["enum"], Json::array({"sprinkler", "rain"}));
  const auto keyed = Schema<Garden>()["properties"]["schedule"]["items"]["oneOf"];
  EXPECT_EQ(keyed[1]["required"], Json::array({"drip"}));
  EXPECT_EQ(keyed[1]["properties"]["drip"]["required"], Json::array({"holes"}));
}

TEST(Schema, RefersToTypesThatContainThemselves) {
  const auto schema = Schema<Garden>();
  const std::string reference = schema["properties"]["beds"]["additionalProperties"]["$ref"];
  const std::string name = reference.substr(std::string("#/definitions/").size());
  const auto& bed = schema["definitions"][name];
  EXPECT_EQ(bed["properties"]["plant"]["default"], "moss");
  EXPECT_EQ(bed["properties"]["beds"]["items"]["$ref"], reference);
}

TEST(Schema, WritesWhatIsUsedTwiceAsADefinition) {
  const auto schema = Schema<Terrace>();
  const Json drip = {{"$ref", "#/definitions/watering.drip"}};
  EXPECT_EQ(schema["properties"]["watering"]["oneOf"][1], drip);
  EXPECT_EQ(schema["properties"]["pots"]["oneOf"][0], drip);
  EXPECT_FALSE(schema["definitions"].contains("gate"));
  EXPECT_EQ(schema["definitions"]["watering.drip"]["required"], Json::array({"type", "holes"}));
}

TEST(Schema, HasALineForEachPropertyAndAlternative) {
  const auto schema = Schema<Garden>();
  const std::string text = SchemaText(schema);
  EXPECT_EQ(Json::parse(text), schema);
  EXPECT_THAT(text, HasSubstr("\n  \"open\":{\"description\":\"Whether visitors may enter.\""));
  EXPECT_THAT(text, HasSubstr("\n    {\"enum\":[\"sprinkler\",\"rain\"]}]"));
  EXPECT_LT(std::ranges::count(text, '\n'), std::ranges::count(schema.dump(2), '\n') / 3);
}

TEST(Reference, DescribesATypeOnOnePageAndLinksToItFromOthers) {
  ReferencePages pages;
  pages.Assign(internal::TypeOf<Drip>(), "waterings/drip.md");
  EXPECT_THAT(pages.Write<Garden>("The garden", "garden.md"),
              AllOf(HasSubstr("| [`drip`](waterings/drip.md) |"), HasSubstr("## `gate`"),
                    Not(HasSubstr("Holes in the pipe."))));
  EXPECT_THAT(pages.Write<Drip>("Drip", "waterings/drip.md"), HasSubstr("Holes in the pipe."));
  EXPECT_THAT(
      pages.Write<Terrace>("A terrace", "places/terrace.md"),
      AllOf(HasSubstr("| `gate` | [section](../garden.md#gate) |"),
            HasSubstr("[`drip`](../waterings/drip.md)"), Not(HasSubstr("Code of the lock."))));
}

TEST(Reference, HasATableForEverySectionAndChoice) {
  const std::string page = ReferencePages().Write<Garden>("The garden", "garden.md");
  EXPECT_THAT(page, ::testing::StartsWith("# The garden\n\nA garden and all that is in it.\n"));
  EXPECT_THAT(page, HasSubstr("| `name` | text | **required** |  | What people call it. "
                              "Example: `Eden` |"));
  EXPECT_THAT(page, HasSubstr("| `steps` | list of whole numbers | `[3, 4]` | at most 4 entries; "
                              "at least 1 | Steps of each stair. |"));
  EXPECT_THAT(page, HasSubstr("| `gate` | [section](#gate) |"));
  EXPECT_THAT(page, HasSubstr("\n## `gate`\n"));
  EXPECT_THAT(page,
              HasSubstr("| [`drip`](#watering-type-drip) | Waters each plant \\| by a pipe. |"));
  EXPECT_THAT(page, HasSubstr("### `watering type: drip`"));
  EXPECT_THAT(page, HasSubstr("| `every` | duration | `1h` | 1m to 1d |"));
  EXPECT_THAT(page, HasSubstr("## `beds.<name>`"));
  EXPECT_THAT(page, HasSubstr("| `beds` | list of [sections](#bedsname) |"));
  EXPECT_THAT(page, HasSubstr("| duration | a number with a unit"));
}

TEST(Explain, TellsAboutAField) {
  EXPECT_EQ(*Explain<Garden>("watering.drip.holes"),
            "watering.drip.holes  whole number, at least 1, required\n"
            "\n  Holes in the pipe.\n"
            "\nExample:\n  holes: 20\n");
  EXPECT_THAT(*Explain<Garden>("gate.code"),
              AllOf(HasSubstr("default none"), HasSubstr("messages never show it")));
}

TEST(Explain, TellsAboutSectionsChoicesAndTheWhole) {
  EXPECT_THAT(*Explain<Garden>("gate"),
              AllOf(HasSubstr("gate  section\n\n  The way in.\n"),
                    HasSubstr("  opens   whole number  6        Hour of opening.\n"),
                    HasSubstr("More: tidemill explain gate.KEY")));
  EXPECT_THAT(*Explain<Garden>("watering"),
              AllOf(HasSubstr("watering  choice, default sprinkler"),
                    HasSubstr("  drip       Waters each plant | by a pipe.\n")));
  EXPECT_THAT(*Explain<Garden>(""),
              AllOf(HasSubstr("A garden and all that is in it."), HasSubstr("  name ")));
}

TEST(Explain, TakesPathsAsWrittenInDocuments) {
  EXPECT_THAT(*Explain<Garden>("watering.holes"), HasSubstr("watering.drip.holes  whole number"));
  EXPECT_THAT(*Explain<Garden>("schedule[2].drip.pressure"), HasSubstr("schedule.drip.pressure  "));
  EXPECT_THAT(*Explain<Garden>("beds.north.seeds"), HasSubstr("beds.north.seeds  count"));
  EXPECT_THAT(*Explain<Garden>("beds.seeds"), HasSubstr("beds.seeds  count"));
  EXPECT_THAT(*Explain<Garden>("beds.north.beds[1].beds[0].plant"), HasSubstr("What grows."));
}

TEST(Explain, SuggestsTheClosestKey) {
  EXPECT_THAT(Explain<Garden>("gaet.opens"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("did you mean 'gate.opens'?")));
  EXPECT_THAT(Explain<Garden>("watering.dirp"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("did you mean 'watering.drip'?")));
  EXPECT_THAT(Explain<Garden>("pressure"),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("'watering.drip.pressure' or 'schedule.drip.pressure'")));
  EXPECT_THAT(Explain<Garden>("open.wide"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no key 'wide' in open")));
}

}  // namespace
}  // namespace tidemill::config
