// A configuration with a field of every kind, for the tests of the config descriptor.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/config.h"

namespace tidemill::config::testing {

enum class Soil { kSand, kLoam, kClay };

struct Sprinkler {
  static constexpr std::string_view kType = "sprinkler";
  static constexpr std::string_view kDoc = "Waters everything.";
  Duration every{3'600'000'000};
  void Fields(auto&& field) {
    field("every", every, "Time between two waterings.", Limits{.min = 60, .max = 86'400});
  }
  friend bool operator==(const Sprinkler&, const Sprinkler&) = default;
};

struct Drip {
  static constexpr std::string_view kType = "drip";
  static constexpr std::string_view kDoc = "Waters each plant | by a pipe.";
  int holes = 1;
  std::optional<double> pressure = 1.5;
  void Fields(auto&& field) {
    field("holes", holes, "Holes in the pipe.",
          Limits{.min = 1, .required = true, .example = "20"});
    field("pressure", pressure, "Pressure in bar.", Limits{.min = 0});
  }
  friend bool operator==(const Drip&, const Drip&) = default;
};

struct Rain {
  static constexpr std::string_view kType = "rain";
  void Fields(auto&&) {}
  friend bool operator==(const Rain&, const Rain&) = default;
};

using Watering = std::variant<Sprinkler, Drip, Rain>;

// A bed holds plants and smaller beds.
struct Bed {
  static constexpr std::string_view kDoc = "A piece of ground.";
  std::string plant = "moss";
  Count seeds{10};
  std::vector<Bed> beds;
  void Fields(auto&& field) {
    field("plant", plant, "What grows.", Limits{.min = 1, .max = 40});
    field("seeds", seeds, "Seeds to sow.", Limits{.min = 1});
    field("beds", beds, "Smaller beds inside.");
  }
  friend bool operator==(const Bed& a, const Bed& b) {
    return a.plant == b.plant && a.seeds == b.seeds && a.beds == b.beds;
  }
};

struct Gate {
  std::string code;
  int64_t opens = 6;
  int64_t closes = 20;
  void Fields(auto&& field) {
    field("code", code, "Code of the lock.", Limits{.secret = true});
    field("opens", opens, "Hour of opening.", Limits{.min = 0, .max = 24});
    field("closes", closes, "Hour of closing.", Limits{.min = 0, .max = 24});
  }
  void Check(Problems& problems) const {
    if (closes <= opens) problems.Add("closes", "must be after opens", "keep it open for an hour");
  }
  friend bool operator==(const Gate&, const Gate&) = default;
};

struct Garden {
  static constexpr std::string_view kDoc = "A garden and all that is in it.";
  std::string name;
  bool open = true;
  int64_t visitors = 0;
  float slope = 0.1f;
  double area = 12.5;
  Timestamp founded;
  ByteSize film{64 << 20};
  Soil soil = Soil::kLoam;
  std::optional<std::string> motto;
  std::vector<int> steps = {3, 4};
  std::vector<std::string> paths;
  NameList tools;
  Gate gate;
  Watering watering;
  std::vector<Keyed<Watering>> schedule;
  std::map<std::string, Bed> beds;

  void Fields(auto&& field) {
    field("name", name, "What people call it.", Limits{.required = true, .example = "Eden"});
    field("open", open, "Whether visitors may enter.");
    field("visitors", visitors, "Visitors so far.", Limits{.min = 0});
    field("slope", slope, "Slope of the ground.", Limits{.max = 2});
    field("area", area, "Area in square metres.");
    field("founded", founded, "When the first spade was dug.");
    field("film", film, "Room for pictures.", Limits{.min = 1024});
    field("soil", soil, "What the ground is made of.");
    field("motto", motto, "A line over the gate.");
    field("steps", steps, "Steps of each stair.", Limits{.min = 1, .max_items = 4});
    field("paths", paths, "Names of the paths.");
    field("tools", tools, "Tools that may be borrowed.");
    field("gate", gate, "The way in.");
    field("watering", watering, "How plants get water.");
    field("schedule", schedule, "Waterings of a day, in order.");
    field("beds", beds, "The beds, by name.");
  }
  friend bool operator==(const Garden&, const Garden&) = default;
};

// Every key; none has its default.
inline constexpr std::string_view kGardenText = R"(x-note: {anything: [goes, here]}
name: Eden
open: false
visitors: 1_200_000
slope: 0.25
area: 1e3
founded: 2026-01-31T08:00:00Z
film: 1.5GiB
soil: clay
motto: "no: 012"
steps: [1, 20, 3e2]
paths:
  - long walk
  - '1.10'
tools: [spade, rake]
gate: {code: hunter2, opens: 7, closes: 9}
watering:
  type: drip
  holes: 12
  pressure: null
schedule:
  - sprinkler: {every: 90s}
  - rain
  - drip: {holes: 2, pressure: .5}
beds:
  north: {plant: rose, seeds: 2k, beds: [{plant: "${PLANT} fern"}, {}]}
  "on":
)";

}  // namespace tidemill::config::testing

template <>
struct tidemill::config::EnumNames<tidemill::config::testing::Soil> {
  using Soil = tidemill::config::testing::Soil;
  static constexpr std::pair<Soil, std::string_view> kNames[] = {
      {Soil::kSand, "sand"}, {Soil::kLoam, "loam"}, {Soil::kClay, "clay"}};
};
