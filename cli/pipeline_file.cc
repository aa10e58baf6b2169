#include "cli/pipeline_file.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/text.h"
#include "storage/client/dataset_path.h"
#include "supervisor/pipeline_check.h"

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

config::Decoded<supervisor::PipelineSpec> CheckPipelineFile(const PipelineFile& file) {
  return supervisor::CheckPipeline({.text = file.text,
                                    .file_name = file.name,
                                    .variables = file.variables,
                                    .base_folder = file.folder});
}

int ReportProblems(const config::Problems& problems, bool json) {
  if (json) {
    const nlohmann::ordered_json document = {{"valid", false}, {"problems", problems.ToJson()}};
    fmt::print("{}\n", document.dump());
  } else {
    const std::string text = problems.ToString();
    fmt::print(stderr, "{}\n", Printable(text));
    if (text.find("unknown variable '${TIDEMILL_DATA}'") != std::string::npos) {
      fmt::print(stderr, "set TIDEMILL_DATA to the folder that holds the datasets\n");
    }
  }
  return kInvalid;
}

}  // namespace tidemill::cli
