// Declarations of plug-ins and results of trials, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "cli/plugins/plugin_trial.h"
#include "plugin/process/description.h"

namespace tidemill::cli {

// The plug-ins of one file, or the reason why they are unknown.
struct ListedFile {
  std::string file;
  absl::StatusOr<std::vector<plugin::Description>> plugins;
};

// Returns a table of plug-ins: name, kind, description. Files that cannot be read are listed below
// it.
std::string DescribeFiles(const std::vector<ListedFile>& files);
nlohmann::ordered_json FilesToJson(const std::vector<ListedFile>& files);

// Returns everything about one plug-in: its document, its settings, its runtime, and its entry in a
// pipeline.
std::string DescribePlugin(const std::string& use, const plugin::Description& plugin);
nlohmann::ordered_json PluginToJson(const std::string& use, const plugin::Description& plugin);

std::string DescribeTrial(const std::string& use, const PluginTrial& trial);
nlohmann::ordered_json TrialToJson(const std::string& use, const PluginTrial& trial);

// Returns the entry of a plug-in of a kind in a pipeline: "trigger: {type: plugin, use:
// "surprise.py:Surprise"}".
std::string InPipelines(const std::string& kind, const std::string& use);

}  // namespace tidemill::cli
