// Files that a pipeline names.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/config_problems.h"
#include "transform/graph_spec.h"

namespace tidemill::supervisor {

// Where a pipeline may name files whose content goes elsewhere: its own folder and the data's. Any
// file would do for the process that reads it. A value.
class PipelineFiles {
 public:
  // `data_folder` may be empty.
  PipelineFiles(std::string base_folder, std::string data_folder)
      : base_folder_(std::move(base_folder)), data_folder_(std::move(data_folder)) {}

  // The absolute path of a file, relative to the pipeline's folder. Notes a problem at `field` and
  // returns "" when there is none, or it lies elsewhere.
  std::string Locate(const std::string& file, std::string_view field,
                     config::Problems& problems) const;

  // Puts what is in files in the place of their names: the graph goes where the files are not.
  // `at`: the graph's own place in the pipeline.
  void ReadInto(transform::GraphSpec& graph, std::string_view at, config::Problems& problems) const;

 private:
  std::vector<std::filesystem::path> Folders() const;
  std::filesystem::path Absolute(const std::string& file) const;
  void ReadCategories(transform::OneHotSpec& one_hot, std::string_view at,
                      config::Problems& problems) const;
  void ReadProgram(transform::TorchScriptSpec& script, std::string_view at,
                   config::Problems& problems) const;

  std::string base_folder_;
  std::string data_folder_;
};

}  // namespace tidemill::supervisor
