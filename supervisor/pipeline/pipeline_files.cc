#include "supervisor/pipeline/pipeline_files.h"

#include "fmt/format.h"

#include "plugin/process/taken_plugin.h"

namespace tidemill::supervisor {
namespace {

// The files of a pipeline are sent with it in one message, in base64.
constexpr size_t kMaxBytes = size_t{8} << 20;

// The files of one pipeline, which have a limit together.
class CountedFiles final : public config::NamedFiles {
 public:
  explicit CountedFiles(PipelineFiles& files) : files_(files) {}

  std::optional<std::string> Read(const std::string& name, size_t most, std::string_view key,
                                  config::Problems& problems) override {
    return Counted(files_.Read(name, most, key, problems), name, key, problems);
  }
  std::optional<std::string> ReadPacked(const Packed& file, config::Problems& problems) override {
    return Counted(files_.ReadPacked(file, problems), file.name, file.key, problems);
  }

 private:
  std::optional<std::string> Counted(std::optional<std::string> bytes, const std::string& name,
                                     std::string_view key, config::Problems& problems) {
    if (!bytes) return std::nullopt;
    num_bytes_ += bytes->size();
    if (num_bytes_ <= kMaxBytes) return bytes;
    problems.Add(
        key,
        fmt::format("with {}, the files of the pipeline hold {} bytes, but at most {} are allowed",
                    name, num_bytes_, kMaxBytes),
        "leave out everything that is not needed");
    return std::nullopt;
  }

  PipelineFiles& files_;
  size_t num_bytes_ = 0;
};

void ReadDataset(const std::string& name, storage::DatasetSpec& dataset, CountedFiles& files,
                 config::Problems& problems) {
  const config::Problems::Scope scope(problems, "datasets." + name);
  dataset.TakeFiles(files, problems);
}

// The program of a training is a plug-in whose file `run` names.
void TakeProgram(models::ProgramSpec& program, CountedFiles& files, config::Problems& problems) {
  plugin::PluginUse use = program.Use();
  config::Problems own;
  plugin::TakePlugin(use, models::kProgramKind, files, own, /*check=*/{});
  for (const config::Problem& problem : own.items()) {
    // Without a document, a message begins with its path.
    std::string_view message = problem.message;
    if (message.starts_with(problem.path + ": ")) message.remove_prefix(problem.path.size() + 2);
    problems.Add(problem.path == "use" ? "run" : problem.path, message, problem.hint);
  }
  program.Keep(std::move(use));
}

}  // namespace

std::string NameOf(const config::NamedFiles::Packed& file) {
  return fmt::format("{} [{}]", file.name, file.contents);
}

void ReadInto(PipelineSpec& spec, PipelineFiles& files, config::Problems& problems) {
  CountedFiles counted(files);
  for (auto& [name, dataset] : spec.datasets) {
    if (dataset) ReadDataset(name, *dataset, counted, problems);
  }
  for (size_t i = 0; i < spec.preprocess.graph.size(); ++i) {
    transform::OpSpec& op = spec.preprocess.graph[i].value;
    const config::Problems::Scope scope(problems,
                                        fmt::format("preprocess.graph[{}].{}", i, op.type()));
    op->TakeFiles(counted, problems);
  }
  {
    const config::Problems::Scope scope(problems, "trigger");
    spec.trigger->TakeFiles(counted, problems);
  }
  {
    const config::Problems::Scope scope(problems, "selection");
    spec.selection->TakeFiles(counted, problems);
  }
  if (spec.training.RunsProgram()) {
    const config::Problems::Scope scope(problems, "training");
    TakeProgram(spec.training.program, counted, problems);
  }
  {
    const config::Problems::Scope scope(problems, "training.downsampling");
    spec.training.downsampling->TakeFiles(counted, problems);
  }
  for (size_t i = 0; i < spec.evaluation.size(); ++i) {
    const config::Problems::Scope scope(problems, fmt::format("evaluation[{}]", i));
    spec.evaluation[i].TakeFiles(counted, problems);
  }
}

void ReadInto(const std::string& name, storage::DatasetSpec& dataset, PipelineFiles& files,
              config::Problems& problems) {
  CountedFiles counted(files);
  ReadDataset(name, dataset, counted, problems);
}

}  // namespace tidemill::supervisor
