#include "cli/run_directory/report.h"

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "cli/run_directory/page.h"
#include "cli/run_directory/report_assets.h"
#include "cli/run_directory/report_data.h"

namespace tidemill::cli {

std::string ReportPage(const RunRecord& record) {
  const nlohmann::ordered_json data = ReportData(record);
  const supervisor::v1::Run& run = record.run.run();
  return MakePage({.markup = report_assets::kPage,
                   .style = report_assets::kStyle,
                   .script = report_assets::kScript,
                   .title = fmt::format("{}, run {}", run.pipeline_name(), run.run_id()),
                   .over = fmt::format("report of run {}", run.run_id()),
                   .heading = run.pipeline_name(),
                   .headline = data.at("headline").get<std::string>()},
                  data);
}

}  // namespace tidemill::cli
