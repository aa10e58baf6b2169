// The files of a pipeline on the disk of its author.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "supervisor/pipeline/pipeline_files.h"

namespace tidemill::supervisor {

// Reads only files below the pipeline's folder and the data folder, as base/paths opens them. Their
// contents go to a server, and another user's pipeline must not be able to include other files. For
// the command line only. Remembers what must be sent. Thread-compatible.
class DiskFiles final : public PipelineFiles {
 public:
  // `data_folder` may be empty.
  DiskFiles(std::string base_folder, std::string data_folder)
      : base_folder_(std::move(base_folder)), data_folder_(std::move(data_folder)) {}

  std::optional<std::string> Read(const std::string& name, size_t most, std::string_view field,
                                  config::Problems& problems) override;
  std::optional<std::string> ReadPacked(const config::NamedFiles::Packed& file,
                                        config::Problems& problems) override;
  std::optional<std::string> Keep(const std::string& name, std::string_view field,
                                  config::Problems& problems) override;
  std::optional<Weights> KeepWeights(const models::StartFrom& start_from, std::string_view field,
                                     config::Problems& problems) override;

  // The files of ops, by their names in the pipeline, and those that are packed by NameOf().
  const std::map<std::string, std::string>& read() const { return read_; }

  struct Network {
    std::string path;
    int64_t size_bytes = 0;
    std::string digest;  // SHA-256 in hexadecimal.
  };
  // The network's file. std::nullopt when the pipeline's network is not a file.
  const std::optional<Network>& network() const { return network_; }
  // The files of training.start_from, which are sent as the network is.
  const std::vector<Network>& weights() const { return weights_; }

 private:
  struct OpenFile {
    std::string path;
    Descriptor descriptor;
    uintmax_t size_bytes = 0;
  };
  // Notes a problem when there is no file, or when it is elsewhere.
  std::optional<OpenFile> Open(const std::string& name, std::string_view field,
                               config::Problems& problems) const;

  // Notes a problem for a file that is too large. `look` sees all bytes, piece by piece.
  std::optional<Network> Digest(const std::string& name, std::string_view field,
                                config::Problems& problems,
                                const std::function<void(std::string_view)>& look) const;
  // Adds the names of the file's arrays.
  std::optional<Network> LookAtWeights(const std::string& name, std::string_view field,
                                       config::Problems& problems,
                                       std::vector<std::string>& arrays) const;
  // Returns the files of a folder of weights, as their names in the pipeline.
  std::optional<std::vector<std::string>> FilesOf(const std::string& folder, std::string_view field,
                                                  config::Problems& problems) const;

  // Reads a file without remembering it.
  std::optional<std::string> ReadOnce(const std::string& name, size_t most, std::string_view field,
                                      config::Problems& problems) const;

  const std::string base_folder_;
  const std::string data_folder_;
  std::map<std::string, std::string> read_;
  std::optional<Network> network_;
  std::vector<Network> weights_;
};

}  // namespace tidemill::supervisor
