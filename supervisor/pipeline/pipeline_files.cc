#include "supervisor/pipeline/pipeline_files.h"

#include <utility>
#include <variant>

#include "absl/strings/escaping.h"
#include "fmt/format.h"

#include "supervisor/pipeline/category_file.h"

namespace tidemill::supervisor {
namespace {

// What a graph holds travels with it wherever it goes, in one message.
constexpr size_t kMostProgramBytes = size_t{4} << 20;
constexpr size_t kMostCategoryBytes = size_t{256} << 10;
constexpr size_t kMostBytes = size_t{8} << 20;
// Stands for a program that cannot be read, so that the rest is checked.
constexpr char kNoProgram[] = "AA==";

class Reader {
 public:
  Reader(PipelineFiles& files, config::Problems& problems) : files_(files), problems_(problems) {}

  void Read(transform::OneHotSpec& one_hot, std::string_view at) {
    if (one_hot.categories_file.empty()) return;
    const std::string name = std::exchange(one_hot.categories_file, {});
    // Stands for what could not be read, so that the rest is checked.
    one_hot.categories = {"?"};
    const auto text = Take(name, kMostCategoryBytes, at);
    if (!text) return;
    auto categories = CategoriesOf(*text, name);
    if (categories.ok()) {
      one_hot.categories = *std::move(categories);
    } else {
      problems_.Add(at, std::string(categories.status().message()), "write one category a line");
    }
  }

  void Read(transform::TorchScriptSpec& script, std::string_view at) {
    if (script.file.empty()) return;
    const std::string name = std::exchange(script.file, {});
    script.program = kNoProgram;
    const auto program = Take(name, kMostProgramBytes, at);
    if (!program) return;
    if (!program->starts_with("PK")) {
      problems_.Add(at, fmt::format("{} is no TorchScript file", name),
                    "write it by torch.jit.script(module).save(path)");
    } else {
      script.program = absl::Base64Escape(*program);
    }
  }

 private:
  std::optional<std::string> Take(const std::string& name, size_t most, std::string_view at) {
    auto bytes = files_.Read(name, most, at, problems_);
    if (!bytes) return std::nullopt;
    num_bytes_ += bytes->size();
    if (num_bytes_ <= kMostBytes) return bytes;
    problems_.Add(at,
                  fmt::format("with {} the files of the graph hold {} bytes, the most is {}", name,
                              num_bytes_, kMostBytes),
                  "leave out what is not needed to make rows");
    return std::nullopt;
  }

  PipelineFiles& files_;
  config::Problems& problems_;
  size_t num_bytes_ = 0;
};

}  // namespace

void ReadInto(transform::GraphSpec& graph, std::string_view at, PipelineFiles& files,
              config::Problems& problems) {
  Reader reader(files, problems);
  for (size_t i = 0; i < graph.size(); ++i) {
    if (auto* const one_hot = std::get_if<transform::OneHotSpec>(&graph[i].value)) {
      reader.Read(*one_hot, fmt::format("{}[{}].one_hot.categories_file", at, i));
    }
    if (auto* const script = std::get_if<transform::TorchScriptSpec>(&graph[i].value)) {
      reader.Read(*script, fmt::format("{}[{}].torchscript.file", at, i));
    }
  }
}

}  // namespace tidemill::supervisor
