#include "supervisor/pipeline_files.h"

#include <algorithm>
#include <variant>

#include "absl/strings/escaping.h"
#include "fmt/format.h"

#include "base/files.h"
#include "supervisor/category_file.h"

namespace tidemill::supervisor {
namespace {

namespace fs = std::filesystem;

// It travels with the graph wherever that goes.
constexpr size_t kMostProgramBytes = size_t{4} << 20;
// Stands for a program that cannot be read, so that the rest is checked.
constexpr char kNoProgram[] = "AA==";

}  // namespace

fs::path PipelineFiles::Absolute(const std::string& file) const {
  const fs::path path = file;
  return (path.is_relative() ? fs::path(base_folder_) / path : path).lexically_normal();
}

std::vector<fs::path> PipelineFiles::Folders() const {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const std::string& folder : {base_folder_, data_folder_}) {
    if (folder.empty()) continue;
    if (const fs::path real = fs::canonical(folder, error); !error) folders.push_back(real);
  }
  return folders;
}

std::string PipelineFiles::Locate(const std::string& file, std::string_view field,
                                  config::Problems& problems) const {
  const fs::path path = Absolute(file);
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error || !fs::is_regular_file(real, error)) {
    problems.Add(field, fmt::format("there is no file {}", path.string()), "check the path");
    return "";
  }
  const bool is_allowed = std::ranges::any_of(Folders(), [&](const fs::path& folder) {
    const fs::path inside = real.lexically_relative(folder);
    return !inside.empty() && *inside.begin() != "..";
  });
  if (!is_allowed) {
    problems.Add(field, fmt::format("{} lies outside the pipeline's folder", real.string()),
                 "move it there, or below TIDEMILL_DATA");
    return "";
  }
  return real.string();
}

void PipelineFiles::ReadInto(transform::GraphSpec& graph, std::string_view at,
                             config::Problems& problems) const {
  for (size_t i = 0; i < graph.size(); ++i) {
    if (auto* const one_hot = std::get_if<transform::OneHotSpec>(&graph[i].value)) {
      ReadCategories(*one_hot, fmt::format("{}[{}].one_hot.categories_file", at, i), problems);
    }
    if (auto* const script = std::get_if<transform::TorchScriptSpec>(&graph[i].value)) {
      ReadProgram(*script, fmt::format("{}[{}].torchscript.file", at, i), problems);
    }
  }
}

void PipelineFiles::ReadCategories(transform::OneHotSpec& one_hot, std::string_view at,
                                   config::Problems& problems) const {
  if (one_hot.categories_file.empty()) return;
  auto categories = supervisor::ReadCategories(Absolute(one_hot.categories_file).string());
  if (categories.ok()) {
    one_hot.categories = *std::move(categories);
  } else {
    problems.Add(at, std::string(categories.status().message()), "write one category a line");
    // Stands for what could not be read, so that the rest is checked.
    one_hot.categories = {"?"};
  }
  one_hot.categories_file.clear();
}

void PipelineFiles::ReadProgram(transform::TorchScriptSpec& script, std::string_view at,
                                config::Problems& problems) const {
  if (script.file.empty()) return;
  const std::string path = Locate(script.file, at, problems);
  script.file.clear();
  script.program = kNoProgram;
  if (path.empty()) return;
  const auto program = files::Read(path);
  if (!program.ok()) {
    problems.Add(at, std::string(program.status().message()), "check who may read it");
  } else if (program->size() > kMostProgramBytes) {
    problems.Add(
        at,
        fmt::format("{} has {} bytes, the most is {}", path, program->size(), kMostProgramBytes),
        "leave out what is not needed to make rows");
  } else if (!program->starts_with("PK")) {
    problems.Add(at, fmt::format("{} is no TorchScript file", path),
                 "write it by torch.jit.script(module).save(path)");
  } else {
    script.program = absl::Base64Escape(*program);
  }
}

}  // namespace tidemill::supervisor
