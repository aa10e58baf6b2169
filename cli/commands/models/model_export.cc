#include "cli/commands/models/model_export.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/digest.h"
#include "base/files.h"
#include "base/process/program_folder.h"
#include "base/time.h"
#include "cli/terminal/text.h"
#include "models/artefact_spec.h"
#include "models/fitted_text.h"
#include "models/op_formulas.h"
#include "transform/fitted_state.h"
#include "transform/target_scale.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kProgram[] = "tidemill-export";
// What libraries look for.
constexpr char kWeightsFile[] = "model.safetensors";

// A folder that is gone with this object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    path_ = (fs::temp_directory_path(error) / "tidemill-export-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~ScratchFolder() {
    if (!path_.empty()) files::Remove(path_).IgnoreError();
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// All parts under their own names, digests checked by the client.
absl::Status FetchParts(model_store::ModelStoreClient& store, const model_store::v1::Model& model,
                        const std::string& folder) {
  for (const model_store::v1::ModelPart& part : model.parts()) {
    // A name is the store's word, and becomes a path here.
    if (part.name().empty() || part.name().front() == '.' ||
        part.name().find('/') != std::string::npos) {
      return DataLoss("model {} has a part with the name '{}'", model.model_id(), part.name());
    }
    ASSIGN_OR_RETURN(const std::string bytes, store.ReadPart({model.model_id()}, part.name()));
    RETURN_IF_ERROR(files::WriteAtomically(files::Join(folder, part.name()), bytes));
  }
  return absl::OkStatus();
}

// `fitted` is the text that stands for the part which only Tidemill can read.
std::string ConfigOf(const model_store::v1::Model& model, const transform::TargetScale& scale,
                     const std::string& fitted) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::object();
  for (const model_store::v1::ModelPart& part : model.parts()) {
    if (part.name() == models::kFittedPart) {
      parts[std::string(models::kFittedText)] = Sha256(fitted);
    } else {
      parts[part.name() == models::kWeightsPart ? kWeightsFile : part.name()] = part.digest();
    }
  }
  nlohmann::ordered_json json = {
      {"library", "tidemill"},
      {"model", model.model_id()},
      {"run", model.run_id()},
      {"trigger", model.trigger()},
      {"parent", model.parent_model_id() == 0 ? nlohmann::ordered_json(nullptr)
                                              : nlohmann::ordered_json(model.parent_model_id())},
      {"samples", model.num_samples()},
      {"training_set_digest", model.training_set_digest()},
      {"classes", model.classes()},
      {"architecture", model.model()},
      {"preprocessing", "none: the network takes inputs as the graph in spec.yaml makes them"},
      {"sha256", parts}};
  if (!scale.IsNone()) json["target"] = {{"mean", scale.mean}, {"deviation", scale.deviation}};
  return json.dump(2) + "\n";
}

std::string CardOf(const model_store::v1::Model& model, const transform::TargetScale& scale,
                   const transform::GraphSpec& graph) {
  std::string card = fmt::format(
      "---\nlibrary_name: tidemill\ntags: [tidemill]\n---\n\n# Model {0}\n\n"
      "Trained by run {1} at its trigger {2} on {3} samples{4}. Digest of the training set:\n"
      "`{5}`.\n\n",
      model.model_id(), model.run_id(), model.trigger(), WithThousands(model.num_samples()),
      model.parent_model_id() == 0
          ? std::string(", from a fresh initialisation")
          : fmt::format(", starting from model {}", model.parent_model_id()),
      model.training_set_digest());
  if (model.classes_size() > 0) {
    card += "Classes, by output:\n\n";
    for (const std::string& name : model.classes()) card += "- " + Printable(name) + "\n";
    card += '\n';
  }
  if (!scale.IsNone()) {
    card += fmt::format(
        "The network was trained on standardised labels. A real label is its output times {} plus "
        "{}.\n\n",
        scale.deviation, scale.mean);
  }
  card +=
      "**It has no preprocessing.** The network takes prepared inputs. Its outputs for raw "
      "features make no sense. First do what the ops in `spec.yaml` do, with the numbers that they "
      "learned (`fitted.json`).\n\n";
  card += fmt::format(
      "| file | holds |\n|---|---|\n| `{}` | the weights |\n"
      "| `config.json` | lineage and digests |\n"
      "| `spec.yaml` | the network, the graph that prepares a sample, the dataset |\n"
      "| `fitted.json` | what the graph learnt from the training set |\n\n"
      "What the ops compute of each number x of a column:\n\n{}\n"
      "The network:\n\n```yaml\n{}```\n\nThe weights alone, in Python:\n\n```python\n"
      "from safetensors.numpy import load_file\nweights = load_file(\"{}\")\n```\n",
      kWeightsFile, models::ListFormulas(graph), model.model(), kWeightsFile);
  return card;
}

// Writes what the graph has learned as text, in place of the part. Returns the text; empty when
// there is none.
absl::StatusOr<std::string> WriteFittedText(const std::string& folder) {
  const std::string part = files::Join(folder, models::kFittedPart);
  if (!files::Exists(part)) return std::string();
  ASSIGN_OR_RETURN(const std::string bytes, files::Read(part));
  ASSIGN_OR_RETURN(const transform::FittedState fitted, transform::FittedState::Decode(bytes));
  std::string text = models::EncodeFittedText(fitted);
  RETURN_IF_ERROR(files::WriteAtomically(files::Join(folder, models::kFittedText), text));
  RETURN_IF_ERROR(files::Remove(part));
  return text;
}

absl::Status WriteFolder(model_store::ModelStoreClient& store, const model_store::v1::Model& model,
                         const std::string& output) {
  const std::string partial = output + ".partial";
  RETURN_IF_ERROR(files::Remove(partial));
  RETURN_IF_ERROR(files::CreateFolder(partial));
  RETURN_IF_ERROR(FetchParts(store, model, partial));
  std::error_code error;
  fs::rename(files::Join(partial, models::kWeightsPart), files::Join(partial, kWeightsFile), error);
  if (error) return DataLoss("model {} has no weights", model.model_id());
  ASSIGN_OR_RETURN(const auto spec, models::ReadArtefactSpec(partial));
  ASSIGN_OR_RETURN(const transform::TargetScale scale, models::ReadTargetScale(spec, partial));
  ASSIGN_OR_RETURN(const std::string fitted, WriteFittedText(partial));
  for (size_t op = 0; op < spec.graph.size(); ++op) {
    const auto table = models::TableOf(spec.graph, op);
    if (!table) continue;
    const std::string file = files::Join(partial, models::TableFileOf(spec.graph, op));
    RETURN_IF_ERROR(files::WriteAtomically(file, table->table));
  }
  RETURN_IF_ERROR(
      files::WriteAtomically(files::Join(partial, "config.json"), ConfigOf(model, scale, fitted)));
  RETURN_IF_ERROR(
      files::WriteAtomically(files::Join(partial, "README.md"), CardOf(model, scale, spec.graph)));
  fs::rename(partial, output, error);
  return error ? Internal("cannot write {}: {}", output, error.message()) : absl::OkStatus();
}

// Runs tidemill-export on the artefact; its messages go to this process's stderr.
absl::Status RunExporter(const std::string& artefact, ExportFormat format,
                         const std::string& output, const std::string& rows) {
  ASSIGN_OR_RETURN(const std::string folder, process::ProgramFolder());
  const std::string program = files::Join(folder, kProgram);
  if (!files::Exists(program)) {
    return FailedPrecondition("{} does not exist: this Tidemill was built without libtorch",
                              program);
  }
  std::vector<std::string> words = {kProgram,
                                    "--artefact",
                                    artefact,
                                    "--format",
                                    format == ExportFormat::kOnnx ? "onnx" : "torchscript",
                                    "--output",
                                    output};
  if (!rows.empty()) words.insert(words.end(), {"--rows", rows});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) return Unavailable("cannot start a process: {}", std::strerror(errno));
  if (child == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execv(program.c_str(), arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  return Internal("{} could not export the model", kProgram);
}

}  // namespace

absl::Status ExportModel(model_store::ModelStoreClient& store, ModelId model, ExportFormat format,
                         const std::string& output, const std::string& rows) {
  if (files::Exists(output)) {
    return FailedPrecondition("{} already exists; remove it or name another path", output);
  }
  ASSIGN_OR_RETURN(const model_store::v1::Model found, store.GetModel(model));
  if (format == ExportFormat::kSafetensors) return WriteFolder(store, found, output);
  const ScratchFolder scratch;
  if (scratch.path().empty()) return Internal("cannot make a folder for temporary files");
  RETURN_IF_ERROR(FetchParts(store, found, scratch.path()));
  return RunExporter(scratch.path(), format, output, rows);
}

}  // namespace tidemill::cli
