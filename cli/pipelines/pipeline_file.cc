#include "cli/pipelines/pipeline_file.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "cli/terminal/error_json.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "cli/terminal/tone.h"
#include "cli/terminal/view.h"
#include "storage/spec/dataset_path.h"
#include "storage/trials/dataset_trial.h"

namespace tidemill::cli {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;

// What to do about a variable that is not set; empty when all are.
std::string AdviceOnVariables(const std::string& problems) {
  if (problems.find("unknown variable '${TIDEMILL_DATA}'") != std::string::npos) {
    return "name the folder that holds the datasets first: export TIDEMILL_DATA=FOLDER";
  }
  if (problems.find("unknown variable '${") != std::string::npos) {
    return "a pipeline may name one variable, ${TIDEMILL_DATA}: export TIDEMILL_DATA=FOLDER, or "
           "write the value itself";
  }
  return "";
}

// A line of Problems::ToString(): `heads` are "FILE:LINE:COLUMN: error:", and the marks below a
// line of the file are red, with the hint beside them.
std::string PaintedLine(const std::string& line, const std::set<std::string>& heads) {
  constexpr std::string_view kError = "error:";
  constexpr std::string_view kMargin = "      | ";
  const size_t error = line.find(kError);
  if (error != std::string::npos && heads.contains(line.substr(0, error + kError.size()))) {
    return line.substr(0, error) + InTone(std::string(kError), Tone::kBad, true) +
           line.substr(error + kError.size());
  }
  const size_t mark = line.find_first_not_of(" \t", kMargin.size());
  if (!line.starts_with(kMargin) || mark == std::string::npos || line[mark] != '^') return line;
  return line.substr(0, mark) + InTone(line.substr(mark), Tone::kBad, true);
}

}  // namespace

std::vector<std::string> PipelineFile::DataRoots() const {
  std::vector<std::string> roots = {folder};
  if (const auto data = variables.find("TIDEMILL_DATA"); data != variables.end()) {
    roots.push_back(data->second);
  }
  return roots;
}

absl::StatusOr<PipelineFile> ReadPipelineFile(const std::string& path) {
  const bool is_input = path == "-";
  PipelineFile file{.name = is_input ? "standard input" : path};
  auto text = files::Read(is_input ? "/dev/stdin" : path, kMaxBytes);
  if (!text.ok()) return config::InFile(text.status(), file.name);
  file.text = *std::move(text);
  std::error_code error;
  file.folder = is_input ? std::filesystem::current_path(error)
                         : std::filesystem::canonical(path, error).parent_path();
  // An empty variable counts as unset: "${TIDEMILL_DATA}/x" must not mean /x.
  if (const char* data = std::getenv("TIDEMILL_DATA"); data != nullptr && *data != '\0') {
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
                                    .overrides = file.overrides,
                                    .base_folder = file.folder,
                                    .files = &files,
                                    .peek = peek});
}

std::string PaintedProblems(const config::Problems& problems, bool paint) {
  std::string text = Printable(problems.ToString());
  if (!paint) return text;
  std::set<std::string> heads;
  for (const config::Problem& problem : problems.items()) {
    heads.insert(Printable(problem.Place() + ": error:"));
  }
  std::istringstream lines(text);
  std::string painted;
  for (std::string line; std::getline(lines, line);) {
    painted += (painted.empty() ? "" : "\n") + PaintedLine(line, heads);
  }
  return painted;
}

int ReportProblems(const config::Problems& problems, bool json) {
  const std::string text = problems.ToString();
  const std::string advice = AdviceOnVariables(text);
  if (json) {
    const ErrorText error{
        .code = kInvalid, .advice = advice, .findings = config::FindingsOf(problems.ToStatus())};
    const nlohmann::ordered_json document = {
        {"valid", false}, {"problems", problems.ToJson()}, {"error", ErrorToJson(error)}};
    fmt::print("{}\n",
               document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else {
    fmt::print(stderr, "{}\n", PaintedProblems(problems, TakesColour(STDERR_FILENO)));
    if (!advice.empty()) fmt::print(stderr, "{}\n", advice);
  }
  return kInvalid;
}

void PrintWarnings(const config::Problems& warnings) {
  std::vector<config::Problem> in_order = warnings.items();
  std::ranges::stable_sort(in_order, {}, [](const config::Problem& warning) {
    return std::pair(warning.position.line, warning.position.column);
  });
  for (const config::Problem& warning : in_order) {
    fmt::print(stderr, "{}: {} {}\n", Printable(warning.Place()),
               InTone("warning:", Tone::kDoubtful, TakesColour(STDERR_FILENO)),
               Printable(fmt::format("{}; {}", warning.message, warning.hint)));
  }
}

}  // namespace tidemill::cli
