#include "cli/results/training_limit.h"

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/numbers/thousands.h"

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

namespace {

nlohmann::ordered_json PreparedToJson(const rpc::v1::PreparedSummary& prepared) {
  auto points = nlohmann::ordered_json::array();
  for (const rpc::v1::PreparedSummary::Point& point : prepared.points()) {
    points.push_back({{"op", point.op()},
                      {"row_bytes", point.row_bytes()},
                      {"predicted_speedup", point.speedup()},
                      {"saved_seconds", point.saved_seconds()},
                      {"in_memory", point.in_memory()},
                      {"on_disk", point.on_disk()}});
  }
  nlohmann::ordered_json json = {{"kept_after", nullptr},
                                 {"reason", prepared.reason()},
                                 {"found", prepared.num_found()},
                                 {"kept", prepared.num_kept()},
                                 {"kept_bytes", prepared.kept_bytes()},
                                 {"refused", prepared.num_refused()},
                                 {"damaged", prepared.num_damaged()},
                                 {"measured_speedup", nullptr},
                                 {"points", std::move(points)}};
  if (!prepared.kept_after().empty()) json["kept_after"] = prepared.kept_after();
  if (prepared.measured_speedup() > 0) json["measured_speedup"] = prepared.measured_speedup();
  return json;
}

}  // namespace

std::string DescribePrepared(const rpc::v1::PreparedSummary& prepared) {
  if (prepared.kept_after().empty()) {
    return prepared.reason().empty() ? "" : "no prepared samples kept: " + prepared.reason();
  }
  std::string text = fmt::format("prepared samples kept after {}: {} found", prepared.kept_after(),
                                 prepared.num_found());
  if (prepared.measured_speedup() > 0) {
    text += fmt::format(", prepared {:.1f}x as fast", prepared.measured_speedup());
  }
  const int chosen = prepared.chosen() - 1;
  if (chosen >= 0 && chosen < prepared.points_size()) {
    text += fmt::format(" (predicted {:.1f}x)", prepared.points(chosen).speedup());
  }
  if (prepared.num_refused() > 0) {
    text += fmt::format(", no room for {}", prepared.num_refused());
  }
  if (prepared.num_damaged() > 0) {
    text += fmt::format(", {} were damaged and prepared again", prepared.num_damaged());
  }
  return text;
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
       {DescribePrepared(result.prepared()), DescribeShared(result.shared())}) {
    if (!more.empty()) text += "; " + more;
  }
  return text;
}

void AddLimit(const rpc::v1::TrainingResult& result, nlohmann::ordered_json& json) {
  if (result.verdict().empty()) return;
  json["verdict"] = result.verdict();
  json["gains"] = GainsToJson(result.gains());
  if (result.has_prepared()) json["prepared"] = PreparedToJson(result.prepared());
  if (IsShared(result.shared())) json["shared"] = SharedToJson(result.shared());
}

}  // namespace tidemill::cli
