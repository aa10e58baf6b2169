// tidemill-export: writes a model for use elsewhere. Exit code 1, and why on stderr, when it
// cannot.
#include <cstdio>
#include <string>

#include "CLI/CLI.hpp"
#include "models/export/model_export.h"

int main(int argc, char** argv) {
  CLI::App app("Writes the parts of a model as a folder with safetensors or as a TorchScript file.",
               "tidemill-export");
  std::string artefact;
  std::string format = "safetensors";
  std::string output;
  app.add_option("--artefact", artefact, "Folder with weights.safetensors and spec.yaml.")
      ->required();
  app.add_option("--format", format, "safetensors or torchscript.")
      ->check(CLI::IsMember({"safetensors", "torchscript"}));
  app.add_option("--output", output, "Path to write. It must not exist yet.")->required();
  CLI11_PARSE(app, argc, argv);  // The library reports by exception; the macro catches it.
  const absl::Status status = format == "torchscript"
                                  ? tidemill::models::ExportTorchScript(artefact, output)
                                  : tidemill::models::ExportSafetensors(artefact, output);
  if (status.ok()) return 0;
  std::fprintf(stderr, "tidemill-export: %s\n", std::string(status.message()).c_str());
  return 1;
}
