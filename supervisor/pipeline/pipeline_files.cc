#include "supervisor/pipeline/pipeline_files.h"

#include "fmt/format.h"

namespace tidemill::supervisor {
namespace {

// What a graph holds travels with it wherever it goes, in one message.
constexpr size_t kMostBytes = size_t{8} << 20;

// The files of one section, which have a limit together.
class SectionFiles final : public config::NamedFiles {
 public:
  explicit SectionFiles(PipelineFiles& files) : files_(files) {}

  std::optional<std::string> Read(const std::string& name, size_t most, std::string_view key,
                                  config::Problems& problems) override {
    auto bytes = files_.Read(name, most, key, problems);
    if (!bytes) return std::nullopt;
    num_bytes_ += bytes->size();
    if (num_bytes_ <= kMostBytes) return bytes;
    problems.Add(
        key,
        fmt::format("with {}, the files of the section hold {} bytes, but at most {} are allowed",
                    name, num_bytes_, kMostBytes),
        "leave out everything that is not needed");
    return std::nullopt;
  }

 private:
  PipelineFiles& files_;
  size_t num_bytes_ = 0;
};

}  // namespace

void ReadInto(transform::GraphSpec& graph, std::string_view at, PipelineFiles& files,
              config::Problems& problems) {
  SectionFiles of_graph(files);
  for (size_t i = 0; i < graph.size(); ++i) {
    transform::OpSpec& op = graph[i].value;
    const config::Problems::Scope scope(problems, fmt::format("{}[{}].{}", at, i, op.type()));
    op->TakeFiles(of_graph, problems);
  }
}

void ReadInto(TriggerSpec& trigger, PipelineFiles& files, config::Problems& problems) {
  SectionFiles of_trigger(files);
  const config::Problems::Scope scope(problems, "trigger");
  trigger->TakeFiles(of_trigger, problems);
}

void ReadInto(models::DownsamplingSpec& downsampling, PipelineFiles& files,
              config::Problems& problems) {
  SectionFiles of_downsampling(files);
  const config::Problems::Scope scope(problems, "training.downsampling");
  downsampling->TakeFiles(of_downsampling, problems);
}

void ReadInto(selector::SelectionSpec& selection, PipelineFiles& files,
              config::Problems& problems) {
  SectionFiles of_selection(files);
  const config::Problems::Scope scope(problems, "selection");
  selection->TakeFiles(of_selection, problems);
}

void ReadInto(evaluator::EvaluationSpec& evaluation, std::string_view at, PipelineFiles& files,
              config::Problems& problems) {
  SectionFiles of_evaluation(files);
  const config::Problems::Scope scope(problems, std::string(at));
  evaluation.TakeFiles(of_evaluation, problems);
}

}  // namespace tidemill::supervisor
