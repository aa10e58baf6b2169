#include "cli/results/training_limit.h"

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/numbers/thousands.h"
#include "cli/results/remarks/kept_samples.h"

namespace tidemill::cli {
namespace {

bool IsShared(const rpc::v1::SharedWork& shared) {
  return shared.made() + shared.taken() + shared.again() + shared.failed() > 0;
}

}  // namespace

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

std::string DescribeShared(const rpc::v1::SharedWork& shared) {
  if (!IsShared(shared)) return "";
  std::string text =
      fmt::format("of the samples that several trainings prepare, it prepared {} and took {}",
                  WithThousands(shared.made()), WithThousands(shared.taken()));
  if (shared.again() > 0) {
    text += fmt::format("; {} were prepared again", WithThousands(shared.again()));
  }
  if (shared.failed() > 0) {
    text += fmt::format("; {} blocks could not be shared", WithThousands(shared.failed()));
  }
  return text;
}

nlohmann::ordered_json SharedToJson(const rpc::v1::SharedWork& shared) {
  if (!IsShared(shared)) return nullptr;
  return {{"made", shared.made()},
          {"taken", shared.taken()},
          {"again", shared.again()},
          {"failed", shared.failed()},
          {"wait_seconds", static_cast<double>(shared.wait_nanos()) / 1e9}};
}

std::string DescribeLimit(const rpc::v1::TrainingResult& result) {
  if (result.verdict().empty()) return "";
  std::string text = result.verdict();
  if (!result.gains().empty()) text += "; predicted: " + TextOf(result.gains());
  for (const std::string& more :
       {DescribeKeptSamples(result.prepared()), DescribeShared(result.shared())}) {
    if (!more.empty()) text += "; " + more;
  }
  return text;
}

void AddLimit(const rpc::v1::TrainingResult& result, nlohmann::ordered_json& json) {
  if (result.verdict().empty()) return;
  json["verdict"] = result.verdict();
  json["gains"] = GainsToJson(result.gains());
  if (result.has_prepared()) json["prepared"] = KeptSamplesToJson(result.prepared());
  if (IsShared(result.shared())) json["shared"] = SharedToJson(result.shared());
}

}  // namespace tidemill::cli
