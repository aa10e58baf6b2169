#include "cli/results/training_limit.h"

#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace tidemill::cli {

std::string TextOf(const PredictedGains& gains) {
  std::string text;
  for (const rpc::v1::PredictedGain& gain : gains) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{} {:.1f}x", gain.change(), gain.factor());
  }
  return text;
}

nlohmann::ordered_json GainsToJson(const PredictedGains& gains) {
  auto json = nlohmann::ordered_json::array();
  for (const rpc::v1::PredictedGain& gain : gains) {
    json.push_back({{"change", gain.change()}, {"factor", gain.factor()}});
  }
  return json;
}

std::string DescribeLimit(const rpc::v1::TrainingResult& result) {
  if (result.gains().empty()) return result.verdict();
  return fmt::format("{}; predicted: {}", result.verdict(), TextOf(result.gains()));
}

void AddLimit(const rpc::v1::TrainingResult& result, nlohmann::ordered_json& json) {
  if (result.verdict().empty()) return;
  json["verdict"] = result.verdict();
  json["gains"] = GainsToJson(result.gains());
}

}  // namespace tidemill::cli
