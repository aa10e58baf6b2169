#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "config/testing/garden_spec.h"

namespace tidemill::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::tidemill::testing::IsOk;
using namespace ::tidemill::config::testing;  // NOLINT: the fixtures of this room.

// A reproducible stream of choices.
class Dice {
 public:
  explicit Dice(int64_t seed) : seed_(seed) {}
  uint64_t Bits() { return RandomBits({.seed = seed_, .purpose = "dice"}, drawn_++); }
  size_t Below(size_t n) { return Bits() % n; }
  bool Heads() { return Below(2) == 0; }

 private:
  int64_t seed_;
  int64_t drawn_ = 0;
};

// What texts are made of: everything that YAML gives a meaning to.
const std::vector<std::string> kPieces = {"a",
                                          "Z",
                                          "7",
                                          "0",
                                          " ",
                                          "  ",
                                          ":",
                                          ": ",
                                          " #",
                                          "-",
                                          "- ",
                                          "?",
                                          "\"",
                                          "'",
                                          "\\",
                                          "\n",
                                          "\t",
                                          "\r",
                                          "{",
                                          "}",
                                          "[",
                                          "]",
                                          ",",
                                          "&",
                                          "*",
                                          "!",
                                          "|",
                                          ">",
                                          "%",
                                          "@",
                                          "`",
                                          "$",
                                          "${",
                                          "$$",
                                          "~",
                                          "no",
                                          "on",
                                          "1.",
                                          ".5",
                                          "e3",
                                          "0x1",
                                          "null",
                                          "é",
                                          "日本",
                                          "\x01",
                                          "\x7f",
                                          "<<",
                                          "=",
                                          "\xC2\x85",
                                          "\xE2\x80\xA8",
                                          "\xEF\xBB\xBF",
                                          "😀",
                                          "---",
                                          "...",
                                          "true",
                                          "1:30",
                                          "_"};

std::string RandomText(Dice& dice) {
  std::string text;
  for (size_t i = dice.Below(6); i > 0; --i) text += kPieces[dice.Below(kPieces.size())];
  return text;
}

double RandomReal(Dice& dice) {
  const double special[] = {0.0,
                            -0.0,
                            0.1,
                            1e-300,
                            1e300,
                            1.0,
                            std::numeric_limits<double>::min(),
                            std::numeric_limits<double>::infinity(),
                            5e-324,
                            1.0 / 3};
  if (dice.Heads()) return special[dice.Below(std::size(special))];
  const double value = std::bit_cast<double>(dice.Bits());
  return std::isnan(value) ? 1.5 : value;
}

Watering RandomWatering(Dice& dice) {
  switch (dice.Below(3)) {
    case 0:
      return Sprinkler{.every = {60'000'000 + static_cast<int64_t>(dice.Below(86'000'000'000))}};
    case 1: {
      Drip drip{.holes = 1 + static_cast<int>(dice.Below(1 << 30)), .pressure = std::nullopt};
      if (dice.Heads()) drip.pressure = std::abs(RandomReal(dice));
      return drip;
    }
    default:
      return Rain{};
  }
}

Bed RandomBed(Dice& dice, int depth) {
  Bed bed{.plant = "x" + RandomText(dice),
          .seeds = {1 + static_cast<int64_t>(dice.Bits() >> 2)},
          .beds = {}};
  if (bed.plant.size() > 40) bed.plant = "rose";
  for (size_t i = depth > 0 ? dice.Below(3) : 0; i > 0; --i) {
    bed.beds.push_back(RandomBed(dice, depth - 1));
  }
  return bed;
}

Garden RandomGarden(int64_t seed) {
  Dice dice(seed);
  Garden garden;
  garden.name = RandomText(dice);
  garden.open = dice.Heads();
  garden.visitors = static_cast<int64_t>(dice.Bits() >> 1);
  garden.slope = std::min(static_cast<float>(dice.Bits()) / 1e18f - 10, 2.0f);
  garden.area = RandomReal(dice);
  garden.founded = {static_cast<int64_t>(dice.Bits() >> 14)};
  garden.film = {1024 + static_cast<int64_t>(dice.Bits() >> (2 + dice.Below(40)))};
  garden.soil = static_cast<Soil>(dice.Below(3));
  if (dice.Heads()) garden.motto = RandomText(dice);
  garden.steps.assign(dice.Below(5), 1 + static_cast<int>(dice.Below(1000)));
  for (size_t i = dice.Below(4); i > 0; --i) garden.paths.push_back(RandomText(dice));
  garden.tools.all = dice.Heads();
  for (size_t i = garden.tools.all ? 0 : dice.Below(4); i > 0; --i) {
    garden.tools.names.push_back(RandomText(dice));
  }
  garden.gate = {.code = RandomText(dice), .opens = 3, .closes = 4};
  garden.watering = RandomWatering(dice);
  for (size_t i = dice.Below(4); i > 0; --i) garden.schedule.push_back({RandomWatering(dice)});
  for (size_t i = dice.Below(4); i > 0; --i) garden.beds[RandomText(dice)] = RandomBed(dice, 2);
  return garden;
}

TEST(Print, WritesEveryFieldInOrder) {
  const auto decoded =
      Decode<Garden>({.text = kGardenText, .name = "g", .variables = {{"PLANT", "${no}"}}});
  EXPECT_EQ(Print(decoded.value), R"(name: Eden
open: false
visitors: 1200000
slope: 0.25
area: 1000
founded: 2026-01-31T08:00:00Z
film: 1536MiB
soil: clay
motto: "no: 012"
steps: [1, 20, 300]
paths: [long walk, "1.10"]
tools: [spade, rake]
gate:
  code: hunter2
  opens: 7
  closes: 9
watering:
  type: drip
  holes: 12
  pressure: null
schedule:
  - sprinkler:
      every: 90s
  - rain: {}
  - drip:
      holes: 2
      pressure: 0.5
beds:
  north:
    plant: rose
    seeds: 2000
    beds:
      - plant: "$${no} fern"
        seeds: 10
        beds: []
      - plant: moss
        seeds: 10
        beds: []
  "on":
    plant: moss
    seeds: 10
    beds: []
)");
}

TEST(Print, ReadsBackEqual) {
  for (int64_t seed = 0; seed < 400; ++seed) {
    const Garden garden = RandomGarden(seed);
    const std::string text = Print(garden);
    const auto again = Read<Garden>(text, "again.yaml");
    ASSERT_THAT(again, IsOk()) << text;
    ASSERT_EQ(*again, garden) << text;
    ASSERT_EQ(Print(*again), text);
  }
}

TEST(Print, KeepsAnEmptyOptionalWhoseDefaultIsNot) {
  Drip drip{.holes = 3, .pressure = std::nullopt};
  EXPECT_EQ(Print(drip), "holes: 3\npressure: null\n");
  Garden garden;
  EXPECT_THAT(Print(garden), Not(HasSubstr("motto")));
}

TEST(Print, WritesLongListsInLines) {
  Garden garden;
  garden.paths.assign(30, "a long path");
  EXPECT_THAT(Print(garden), HasSubstr("paths:\n  - a long path\n  - a long path\n"));
}

// One random edit: a piece deleted, doubled, moved or replaced.
std::string Mutate(std::string text, Dice& dice) {
  const size_t from = dice.Below(text.size());
  const size_t length = 1 + dice.Below(dice.Heads() ? 2 : 12);
  const std::string piece = text.substr(from, length);
  switch (dice.Below(4)) {
    case 0:
      return text.erase(from, length);
    case 1:
      return text.insert(from, piece);
    case 2:
      return text.erase(from, length).insert(dice.Below(text.size() + 1), piece);
    default:
      return text.replace(from, length, RandomText(dice));
  }
}

TEST(Print, WhateverIsAcceptedReadsBackEqualAndWhateverIsNotHasAPosition) {
  int accepted = 0;
  int refused = 0;
  for (int64_t seed = 0; seed < 2000; ++seed) {
    Dice dice(seed);
    std::string text(kGardenText);
    for (size_t i = 1 + dice.Below(2); i > 0; --i) text = Mutate(text, dice);
    const auto decoded =
        Decode<Garden>({.text = text, .name = "m.yaml", .variables = {{"PLANT", "on"}}});
    if (decoded.problems.empty()) {
      ++accepted;
      const auto again = Read<Garden>(Print(decoded.value), "again.yaml");
      ASSERT_THAT(again, IsOk()) << text << Print(decoded.value);
      ASSERT_EQ(*again, decoded.value) << text;
    } else {
      ++refused;
      const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
      for (const Problem& problem : decoded.problems.items()) {
        ASSERT_GE(problem.position.line, 1) << problem.message << "\n" << text;
        ASSERT_LE(problem.position.line, lines);
        ASSERT_GE(problem.position.column, 1);
      }
      ASSERT_THAT(decoded.problems.ToString(), HasSubstr("m.yaml:"));
    }
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace tidemill::config
