#include "cli/pipelines/pipeline_file.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "storage/client/dataset_path.h"
#include "storage/trials/dataset_trial.h"

namespace tidemill::cli {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;

}  // namespace

std::vector<std::string> PipelineFile::DataRoots() const {
  std::vector<std::string> roots = {folder};
  if (const auto data = variables.find("TIDEMILL_DATA"); data != variables.end()) {
    roots.push_back(data->second);
  }
  return roots;
}

absl::StatusOr<PipelineFile> ReadPipelineFile(const std::string& path) {
  PipelineFile file{.name = path};
  ASSIGN_OR_RETURN(file.text, files::Read(path, kMaxBytes));
  std::error_code error;
  file.folder = std::filesystem::canonical(path, error).parent_path();
  if (const char* data = std::getenv("TIDEMILL_DATA"); data != nullptr) {
    const auto absolute = storage::IsObjectPath(data)
                              ? std::filesystem::path()
                              : std::filesystem::weakly_canonical(data, error);
    file.variables["TIDEMILL_DATA"] = absolute.empty() ? data : absolute.string();
  }
  return file;
}

supervisor::DiskFiles FilesOf(const PipelineFile& file) {
  const auto data = file.variables.find("TIDEMILL_DATA");
  return {file.folder, data == file.variables.end() ? "" : data->second};
}

supervisor::CheckedPipeline CheckPipelineFile(const PipelineFile& file) {
  supervisor::DiskFiles files = FilesOf(file);
  return CheckPipelineFile(file, files);
}

supervisor::CheckedPipeline CheckPipelineFile(const PipelineFile& file,
                                              supervisor::DiskFiles& files) {
  supervisor::PeekAtDataset peek = nullptr;
  if (!file.data_elsewhere) peek = storage::PeekAtDisk;
  return supervisor::CheckPipeline({.text = file.text,
                                    .file_name = file.name,
                                    .variables = file.variables,
                                    .base_folder = file.folder,
                                    .files = &files,
                                    .peek = peek});
}

int ReportProblems(const config::Problems& problems, bool json) {
  if (json) {
    const nlohmann::ordered_json document = {{"valid", false}, {"problems", problems.ToJson()}};
    fmt::print("{}\n", document.dump());
  } else {
    const std::string text = problems.ToString();
    fmt::print(stderr, "{}\n", Printable(text));
    if (text.find("unknown variable '${TIDEMILL_DATA}'") != std::string::npos) {
      fmt::print(stderr,
                 "name the folder that holds the datasets first: export TIDEMILL_DATA=FOLDER\n");
    } else if (text.find("unknown variable '${") != std::string::npos) {
      fmt::print(
          stderr,
          "a pipeline may name one variable, ${{TIDEMILL_DATA}}: export TIDEMILL_DATA=FOLDER, "
          "or write the value itself\n");
    }
  }
  return kInvalid;
}

void PrintWarnings(const config::Problems& warnings) {
  std::vector<config::Problem> in_order = warnings.items();
  std::ranges::stable_sort(in_order, {}, [](const config::Problem& warning) {
    return std::pair(warning.position.line, warning.position.column);
  });
  for (const config::Problem& warning : in_order) {
    const std::string line =
        fmt::format("{}:{}:{}: warning: {}; {}", warning.file, warning.position.line,
                    warning.position.column, warning.message, warning.hint);
    fmt::print(stderr, "{}\n", Printable(line));
  }
}

}  // namespace tidemill::cli
