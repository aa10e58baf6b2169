// tidemill-export: writes a model for use elsewhere, or says whether a TorchScript file may run
// here. Exit code 1, and why on stderr, when it cannot or may not.
#include <cstdio>
#include <string>

#include "CLI/CLI.hpp"
#include "base/files.h"
#include "models/artefact_spec.h"
#include "models/export/model_export.h"
#include "models/export/sample_rows.h"
#include "models/loaded_script.h"

namespace tidemill {
namespace {

struct Flags {
  std::string artefact;
  std::string format = "safetensors";
  std::string output;
  std::string rows;
  std::string check;
};

// Samples to try the model with: from the file that was named, else from that of the dataset, if
// there is one that can be read here.
absl::StatusOr<batch::Batch> RowsToTry(const Flags& flags) {
  ASSIGN_OR_RETURN(const models::ArtefactSpec spec, models::ReadArtefactSpec(flags.artefact));
  if (!flags.rows.empty()) return models::ReadSampleRows(spec.dataset, flags.rows);
  const std::string file = files::Join(spec.dataset.path, spec.dataset.files);
  absl::StatusOr<batch::Batch> rows = models::ReadSampleRows(spec.dataset, file);
  return rows.ok() ? *std::move(rows) : batch::Batch();
}

// Nothing of the file runs.
absl::Status Check(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string file, files::Read(path));
  return models::LoadScript(file).status();
}

absl::Status Export(const Flags& flags) {
  if (!flags.check.empty()) return Check(flags.check);
  if (flags.artefact.empty() || flags.output.empty()) {
    return InvalidArgument("needs --artefact and --output, or --check");
  }
  if (flags.format == "safetensors") return models::ExportSafetensors(flags.artefact, flags.output);
  ASSIGN_OR_RETURN(const batch::Batch rows, RowsToTry(flags));
  return flags.format == "onnx" ? models::ExportOnnx(flags.artefact, rows, flags.output)
                                : models::ExportTorchScript(flags.artefact, rows, flags.output);
}

}  // namespace
}  // namespace tidemill

int main(int argc, char** argv) {
  CLI::App app("Writes a model as a folder with safetensors, or with a program.",
               "tidemill-export");
  tidemill::Flags flags;
  app.add_option("--artefact", flags.artefact, "Folder with weights.safetensors and spec.yaml.");
  app.add_option("--format", flags.format, "safetensors, torchscript or onnx.")
      ->check(CLI::IsMember({"safetensors", "torchscript", "onnx"}));
  app.add_option("--output", flags.output, "Path to write. It must not exist yet.");
  app.add_option("--rows", flags.rows, "File of the dataset with rows to test the program.");
  app.add_option("--check", flags.check,
                 "TorchScript file. Says whether a pipeline may have it as its network.");
  CLI11_PARSE(app, argc, argv);  // The library reports by exception; the macro catches it.
  const absl::Status status = tidemill::Export(flags);
  if (status.ok()) return 0;
  std::fprintf(stderr, "tidemill-export: %s\n", std::string(status.message()).c_str());
  return 1;
}
