// The differences between a stack's datasets and those of a pipeline.
#pragma once

#include <optional>
#include <string>

#include "cli/stack/session.h"
#include "storage/spec/dataset_spec.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::cli {

// A dataset of a pipeline that the stack has under the same name with another spec.
struct OtherDataset {
  storage::v1::Dataset registered;
  std::string difference;  // The keys that differ, in words.
};

// Returns std::nullopt when the stack does not have the dataset, has it with this spec, or cannot
// be asked.
std::optional<OtherDataset> FindOtherDataset(const Session& session, const std::string& name,
                                             const storage::DatasetSpec& spec);

}  // namespace tidemill::cli
