// tidemill check FILE...
#include <cstdio>

#include "nlohmann/json.hpp"

#include "cli/command_line.h"
#include "cli/exit_codes.h"
#include "cli/pipeline_file.h"

namespace tidemill::cli {
namespace {

int CheckOne(const std::string& path, bool json) {
  const auto file = ReadPipelineFile(path);
  if (!file.ok()) return Report(file.status());
  if (const auto checked = CheckPipelineFile(*file); !checked.problems.empty()) {
    return ReportProblems(checked.problems, json);
  }
  if (json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"valid", true}, {"file", path}}).dump());
  } else {
    fmt::print("{}: valid\n", path);
  }
  return kDone;
}

}  // namespace

void AddCheckCommand(CLI::App& app) {
  CLI::App* check =
      app.add_subcommand("check", "Tell every problem of a pipeline file, without a stack");
  static std::vector<std::string> paths;
  check->add_option("files", paths, "Pipeline files (YAML)")->required()->type_name("FILE");
  SetAction(*check, [](const GlobalFlags& flags) {
    int worst = kDone;
    for (const std::string& path : paths) {
      if (const int code = CheckOne(path, flags.json); code != kDone) worst = code;
    }
    return worst;
  });
}

}  // namespace tidemill::cli
