#include "models/export/model_export.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "base/files.h"
#include "batch/batch.h"
#include "config/config.h"
#include "models/export/artefact.h"
#include "models/export/export_files.h"
#include "models/export/model_module.h"
#include "models/export/network_trace.h"
#include "models/export/onnx_model.h"
#include "models/fitted_text.h"
#include "models/torch/guard.h"
#include "models/torch/safetensors.h"

namespace tidemill::models {
namespace {

constexpr char kNoPreprocessing[] =
    "\n**It has no preprocessing.** The network takes prepared inputs. Its outputs for raw "
    "features make no sense. First do what the ops in `spec.yaml` do, with the numbers that they "
    "learned (`fitted.json`).\n";

// What `config.json` says about the preprocessing.
constexpr char kInTheFile[] = "in the file";

constexpr char kProgramArray[] = "torchscript.program";

std::string CardOf(const Artefact& artefact) {
  const std::string_view type = artefact.spec.model.type();
  std::string card = fmt::format(
      "---\nlibrary_name: tidemill\ntags:\n- tidemill\n- {0}\n---\n\n# A {0} model\n\n"
      "Trained by Tidemill.\n\n| input | type and shape of a row |\n|---|---|\n",
      type);
  for (const auto& [name, input] : artefact.network.inputs) {
    card += fmt::format("| `{}` | {} |\n", name, Describe(input));
  }
  card += fmt::format("\nIt gives {} numbers for each row", artefact.spec.model->NumOutputs());
  card += artefact.spec.classes.empty()
              ? std::string(".\n")
              : fmt::format(", one for each class: {}.\n", fmt::join(artefact.spec.classes, ", "));
  if (transform::StandardizesTarget(artefact.spec.graph)) {
    card += fmt::format(
        "The network was trained on standardised labels. A real label is its output times {} plus "
        "{}.\n",
        artefact.target_scale.deviation, artefact.target_scale.mean);
  }
  return card + kNoPreprocessing +
         fmt::format(
             "\n- `model.safetensors`: the weights; read them with the library safetensors.\n- "
             "`config.json`: the network, its inputs and classes.\n- `spec.yaml`: the network, the "
             "ops that make its input from a sample, the dataset.\n- `fitted.json`: what the ops "
             "have learned from the training set.\n\n```yaml\n{}```\n",
             config::Print(artefact.spec.model));
}

// The arrays without the program of a TorchScript file, marked as others expect it.
absl::StatusOr<std::string> PlainWeights(const std::string& weights, std::string& program) {
  ASSIGN_OR_RETURN(TensorFile file, ReadTensorFile(weights));
  if (const auto it = file.tensors.find(kProgramArray); it != file.tensors.end()) {
    program = std::string(it->second.bytes);
    file.tensors.erase(it);
  }
  file.metadata["format"] = "pt";
  return WriteTensorFile(file);
}

absl::Status WriteFolder(const Artefact& artefact, const std::string& from,
                         const std::string& folder) {
  std::string program;
  ASSIGN_OR_RETURN(const std::string weights, PlainWeights(artefact.weights, program));
  std::map<std::string, std::string> contents = {
      {"model.safetensors", weights},
      {"config.json", ConfigOf(artefact, "none: see spec.yaml")},
      {"README.md", CardOf(artefact)},
      {std::string(kSpecPart), artefact.spec_text}};
  if (!program.empty()) contents["network.pt"] = std::move(program);
  const std::string fitted = files::Join(from, kFittedPart);
  if (files::Exists(fitted)) {
    ASSIGN_OR_RETURN(const std::string bytes, files::Read(fitted));
    ASSIGN_OR_RETURN(const transform::FittedState state, transform::FittedState::Decode(bytes));
    contents[std::string(kFittedText)] = EncodeFittedText(state);
  }
  RETURN_IF_ERROR(files::CreateFolder(folder));
  for (const auto& [name, text] : contents) {
    RETURN_IF_ERROR(files::WriteAtomically(files::Join(folder, name), text));
  }
  return absl::OkStatus();
}

// Lets `write` write beside `output` and renames what it wrote.
template <typename Write>
absl::Status Publish(const std::string& output, const Write& write) {
  if (files::Exists(output)) {
    return FailedPrecondition("{} already exists; remove it or name another path", output);
  }
  const std::string partial = fmt::format("{}.partial-{}", output, getpid());
  absl::Status status = write(partial);
  if (status.ok()) {
    std::error_code error;
    std::filesystem::rename(partial, output, error);
    if (error) status = Internal("cannot write {}: {}", output, error.message());
  }
  if (!status.ok()) files::Remove(partial).IgnoreError();
  return status;
}

absl::Status CompareAnswers(const Answers& found, const Answers& expected) {
  constexpr float kTolerance = 1e-5F;
  for (size_t i = 0; i < expected.numbers.size(); ++i) {
    const float number = expected.numbers[i];
    const float most = kTolerance * std::max(1.0F, std::abs(number));
    if (std::abs(found.numbers[i] - number) <= most) continue;
    return Internal("the exported file answers {} for a sample where the model answers {}",
                    found.numbers[i], number);
  }
  if (std::ranges::count(found.bad, true) == 0) return absl::OkStatus();
  return Internal("the exported file rejects good samples");
}

// The graph of an artefact, ready to be written.
struct Prepared {
  ArtefactGraph bound;
  transform::PortableGraph portable;
  AnswerSpec answer;
};

absl::StatusOr<Prepared> Prepare(const Artefact& artefact, const std::string& from) {
  ASSIGN_OR_RETURN(ArtefactGraph bound, ReadGraph(artefact, from));
  ASSIGN_OR_RETURN(transform::PortableGraph portable, bound.graph.WriteSteps(bound.state()));
  AnswerSpec answer = AnswerOf(artefact, bound.graph);
  return Prepared{std::move(bound), std::move(portable), std::move(answer)};
}

// Adds the good ones of the samples, with what the platform answers for them. Where ops cannot run
// on them, such as those that need the time of a sample, the README gives the reason.
absl::Status TakeExample(const batch::Batch& samples, const Artefact& artefact,
                         const Prepared& prepared, ExportContents& contents) {
  const auto& [bound, portable, answer] = prepared;
  if (samples.num_rows() == 0) return absl::OkStatus();
  absl::StatusOr<transform::GivenSamples> given =
      bound.graph.Give(samples, bound.state(), portable);
  if (!given.ok()) {
    contents.no_example = std::string(given.status().message());
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(Answers expected, ExpectedAnswers(artefact.network, answer, given->made));
  contents.example.emplace(*std::move(given), std::move(expected));
  return absl::OkStatus();
}

absl::Status WriteTexts(const Artefact& artefact, const ExportContents& contents,
                        const std::string& folder) {
  std::map<std::string, std::string> texts = WriteExportFiles(contents);
  texts["config.json"] = ConfigOf(artefact, kInTheFile);
  texts[std::string(kSpecPart)] = artefact.spec_text;
  for (const auto& [name, text] : texts) {
    RETURN_IF_ERROR(files::WriteAtomically(files::Join(folder, name), text));
  }
  return absl::OkStatus();
}

absl::Status WriteTorchScript(const Artefact& artefact, const std::string& from,
                              const batch::Batch& samples, const std::string& folder) {
  ASSIGN_OR_RETURN(const Prepared prepared, Prepare(artefact, from));
  const auto& [bound, portable, answer] = prepared;
  ASSIGN_OR_RETURN(torch::jit::Module module, MakeModelModule(artefact.network, portable, answer));
  module.eval();
  RETURN_IF_ERROR(files::CreateFolder(folder));
  const std::string path = files::Join(folder, kTorchScriptFile);
  RETURN_IF_ERROR(Guard("writing TorchScript", [&] {
    module.save(
        path, {{"spec.yaml", artefact.spec_text}, {"config.json", ConfigOf(artefact, kInTheFile)}});
    return absl::OkStatus();
  }));
  ExportContents contents{
      .ops = artefact.spec.graph, .graph = portable, .answer = answer, .fitted = bound.state()};
  // A user's program is not to run on the machine that exports it.
  if (!HasProgramOfUser(artefact)) {
    ASSIGN_OR_RETURN(torch::jit::Module loaded, Guard("loading the TorchScript file",
                                                      [&]() -> absl::StatusOr<torch::jit::Module> {
                                                        return torch::jit::load(path, torch::kCPU);
                                                      }));
    torch::jit::Module network = loaded.attr("network").toModule();
    RETURN_IF_ERROR(CompareScript(artefact.network, network));
    RETURN_IF_ERROR(TakeExample(samples, artefact, prepared, contents));
    if (contents.example) {
      ASSIGN_OR_RETURN(const Answers found,
                       AnswersOf(loaded, portable, answer, contents.example->samples.given));
      RETURN_IF_ERROR(CompareAnswers(found, contents.example->expected));
    }
  }
  return WriteTexts(artefact, contents, folder);
}

absl::Status WriteOnnx(const Artefact& artefact, const std::string& from,
                       const batch::Batch& samples, const std::string& folder) {
  ASSIGN_OR_RETURN(const Prepared prepared, Prepare(artefact, from));
  const auto& [bound, portable, answer] = prepared;
  ASSIGN_OR_RETURN(const OnnxModel model,
                   MakeOnnxModel(artefact.network, portable, answer,
                                 {{"spec.yaml", artefact.spec_text},
                                  {"config.json", ConfigOf(artefact, kInTheFile)}}));
  RETURN_IF_ERROR(files::CreateFolder(folder));
  RETURN_IF_ERROR(files::WriteAtomically(files::Join(folder, kOnnxFile), model.bytes));
  ExportContents contents{.ops = artefact.spec.graph,
                          .graph = portable,
                          .answer = answer,
                          .fitted = bound.state(),
                          .onnx = &model};
  if (!HasProgramOfUser(artefact)) {
    RETURN_IF_ERROR(TakeExample(samples, artefact, prepared, contents));
  }
  return WriteTexts(artefact, contents, folder);
}

}  // namespace

absl::Status ExportSafetensors(const std::string& artefact, const std::string& output) {
  ASSIGN_OR_RETURN(const Artefact read, ReadArtefact(artefact));
  return Publish(output,
                 [&](const std::string& partial) { return WriteFolder(read, artefact, partial); });
}

absl::Status ExportTorchScript(const std::string& artefact, const batch::Batch& samples,
                               const std::string& output) {
  ASSIGN_OR_RETURN(const Artefact read, ReadArtefact(artefact));
  return Publish(output, [&](const std::string& partial) {
    return WriteTorchScript(read, artefact, samples, partial);
  });
}

absl::Status ExportOnnx(const std::string& artefact, const batch::Batch& samples,
                        const std::string& output) {
  ASSIGN_OR_RETURN(const Artefact read, ReadArtefact(artefact));
  return Publish(output, [&](const std::string& partial) {
    return WriteOnnx(read, artefact, samples, partial);
  });
}

}  // namespace tidemill::models
