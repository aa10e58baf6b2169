// The files that a pipeline names besides its data. Their contents come with the pipeline, so that
// only the command line opens them by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/documents/problems.h"
#include "config/named_files.h"
#include "models/training/start_from_spec.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::supervisor {

// The contents of one pipeline's files, from any source. Problems are added at `field`.
// Thread-compatible.
class PipelineFiles {
 public:
  virtual ~PipelineFiles() = default;

  // Returns the bytes of a file that an op names, or std::nullopt after a problem. More than `most`
  // bytes are a problem.
  virtual std::optional<std::string> Read(const std::string& name, size_t most,
                                          std::string_view field, config::Problems& problems) = 0;

  // Returns the packed content of a file, or std::nullopt after a problem.
  virtual std::optional<std::string> ReadPacked(const config::NamedFiles::Packed& file,
                                                config::Problems& problems) {
    auto bytes = Read(file.name, file.most, file.key, problems);
    if (!bytes) return std::nullopt;
    return file.pack(*std::move(bytes));
  }

  // Returns the name of a network's file in the stored pipeline, "sha256:...", or std::nullopt
  // after a problem.
  virtual std::optional<std::string> Keep(const std::string& name, std::string_view field,
                                          config::Problems& problems) = 0;

  // The files of weights as the stored pipeline names them, "sha256:...".
  struct Weights {
    std::vector<std::string> kept;
    // The names of their arrays, where they are known.
    std::vector<std::string> arrays = {};
  };
  // Returns the weights of a safetensors file, or of a folder in the layout of hubs of models, or
  // std::nullopt after a problem.
  virtual std::optional<Weights> KeepWeights(const models::StartFrom& start_from,
                                             std::string_view field,
                                             config::Problems& problems) = 0;
};

// The prefix of the name of a file that is stored by its content. The SHA-256 in hexadecimal
// follows.
inline constexpr std::string_view kKeptFile = "sha256:";

// Returns the name under which the packed content of a file is sent.
std::string NameOf(const config::NamedFiles::Packed& file);

// Replaces the names of files in the pipeline by their contents, because the receiver of a pipeline
// does not have the files: classes of labels, files of ops, and files of plug-ins. Together they
// have at most 8 MiB. A network's file is kept apart.
void ReadInto(PipelineSpec& spec, PipelineFiles& files, config::Problems& problems);
// Does the same for one of the datasets, by its name.
void ReadInto(const std::string& name, storage::DatasetSpec& dataset, PipelineFiles& files,
              config::Problems& problems);

}  // namespace tidemill::supervisor
