// The files of a pipeline that came with its submission.
#pragma once

#include <optional>
#include <string>

#include "supervisor/pipeline/pipeline_files.h"
#include "supervisor/runs/downstream.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Opens no file: a name is a key into the sent files. Thread-compatible.
class SentFiles final : public PipelineFiles {
 public:
  // Both must outlive this object.
  SentFiles(const v1::SubmitPipelineRequest& request, Downstream& downstream)
      : request_(request), downstream_(downstream) {}

  std::optional<std::string> Read(const std::string& name, size_t most, std::string_view field,
                                  config::Problems& problems) override;
  std::optional<std::string> ReadPacked(const config::NamedFiles::Packed& file,
                                        config::Problems& problems) override;
  std::optional<std::string> Keep(const std::string& name, std::string_view field,
                                  config::Problems& problems) override;
  std::optional<Weights> KeepWeights(const models::StartFrom& start_from, std::string_view field,
                                     config::Problems& problems) override;

  // Why the model store could not be asked; otherwise OK.
  const absl::Status& status() const { return status_; }

 private:
  // Whether the stack has the file; notes a problem when it has not.
  bool Has(const std::string& kept, const std::string& name, std::string_view field,
           config::Problems& problems);

  const v1::SubmitPipelineRequest& request_;
  Downstream& downstream_;
  absl::Status status_;
};

}  // namespace tidemill::supervisor
