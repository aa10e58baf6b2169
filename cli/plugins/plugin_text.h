// What plug-ins say of themselves, and what trials showed, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "cli/plugins/plugin_trial.h"
#include "plugin/process/description.h"

namespace tidemill::cli {

// The plug-ins of one file, or why they are not known.
struct ListedFile {
  std::string file;
  absl::StatusOr<std::vector<plugin::Description>> plugins;
};

// A table of plug-ins: name, kind, what it is. Files that cannot be read are named below it.
std::string DescribeFiles(const std::vector<ListedFile>& files);
nlohmann::ordered_json FilesToJson(const std::vector<ListedFile>& files);

// Everything about one: its document, its settings, what it runs with, and how a pipeline names it.
std::string DescribePlugin(const std::string& use, const plugin::Description& plugin);
nlohmann::ordered_json PluginToJson(const std::string& use, const plugin::Description& plugin);

std::string DescribeTrial(const std::string& use, const PluginTrial& trial);
nlohmann::ordered_json TrialToJson(const std::string& use, const PluginTrial& trial);

// How a pipeline names a plug-in of a kind: "trigger: {type: plugin, use: "surprise.py:Surprise"}".
std::string InPipelines(const std::string& kind, const std::string& use);

}  // namespace tidemill::cli
