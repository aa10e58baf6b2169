#include "cli/run_directory/sweep_page.h"

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/version.h"
#include "cli/run_directory/page.h"
#include "cli/run_directory/sweep_assets.h"
#include "cli/terminal/text.h"
#include "results/known_measures.h"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;

// The best setting in one sentence.
std::string HeadlineOfSweep(const ordered_json& sweep) {
  if (sweep.at("best").is_null()) return "No setting was run with the whole effort.";
  const ordered_json& best = sweep.at("settings").at(sweep.at("best").get<size_t>() - 1);
  std::string values;
  for (const auto& axis : sweep.at("axes")) {
    const auto key = axis.at("key").get<std::string>();
    if (axis.at("values").size() < 2) continue;
    values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", key,
                          best.at("values").at(key).get<std::string>());
  }
  if (values.empty()) values = "the unchanged pipeline";
  if (best.at("value").is_null()) return fmt::format("Best: {}.", values);
  return fmt::format("Best: {}, with {} {}.", values, sweep.at("measure").get<std::string>(),
                     Measure(best.at("value").get<double>()));
}

}  // namespace

std::string SweepPage(const ordered_json& sweep) {
  ordered_json data = sweep;
  data["version"] = kVersion;
  data["share"] = results::IsShare(sweep.at("measure").get<std::string>());
  const auto pipeline = sweep.at("pipeline").get<std::string>();
  return MakePage({.markup = sweep_assets::kPage,
                   .style = sweep_assets::kStyle,
                   .script = sweep_assets::kScript,
                   .title = pipeline + ", sweep",
                   .over = "sweep " + sweep.at("sweep").get<std::string>(),
                   .heading = pipeline,
                   .headline = HeadlineOfSweep(sweep)},
                  data);
}

}  // namespace tidemill::cli
