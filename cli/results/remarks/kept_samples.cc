#include "cli/results/remarks/kept_samples.h"

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

std::string Percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

}  // namespace

nlohmann::ordered_json KeptSamplesToJson(const rpc::v1::PreparedSummary& prepared) {
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

std::string DescribeKeptSamples(const rpc::v1::PreparedSummary& prepared) {
  if (prepared.kept_after().empty()) {
    return prepared.reason().empty() ? "" : "no prepared samples kept: " + prepared.reason();
  }
  std::string text = fmt::format("prepared samples kept after {}: {} found", prepared.kept_after(),
                                 WithThousands(prepared.num_found()));
  if (prepared.measured_speedup() > 0) {
    text += fmt::format(", prepared {:.1f}x as fast", prepared.measured_speedup());
  }
  const int chosen = prepared.chosen() - 1;
  if (chosen >= 0 && chosen < prepared.points_size()) {
    text += fmt::format(" (predicted {:.1f}x)", prepared.points(chosen).speedup());
  }
  if (prepared.num_refused() > 0) {
    text += fmt::format(", no room for {}", WithThousands(prepared.num_refused()));
  }
  if (prepared.num_damaged() > 0) {
    text +=
        fmt::format(", {} were damaged and prepared again", WithThousands(prepared.num_damaged()));
  }
  return text;
}

std::string DescribeComparedPoints(const rpc::v1::PreparedSummary& prepared) {
  if (prepared.points().empty()) return "";
  Table table({"AFTER", "BYTES A ROW", "PREDICTED", "SAVED", "IN MEMORY", "ON DISK", "CHOSEN"});
  for (int i = 0; i < prepared.points_size(); ++i) {
    const rpc::v1::PreparedSummary::Point& point = prepared.points(i);
    table.Add({OneLine(point.op()), WithThousands(point.row_bytes()),
               fmt::format("{:.2f}x", point.speedup()),
               fmt::format("{:.3g} s", point.saved_seconds()), Percent(point.in_memory()),
               Percent(point.on_disk()), i + 1 == prepared.chosen() ? "yes" : ""});
  }
  return table.ToString();
}

}  // namespace tidemill::cli
