// The part of tidemill datasets delete that deletes some of a dataset's samples.
#pragma once

#include <string>

#include "cli/command_line/deletion.h"
#include "cli/stack/session.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::cli {

// The choice of samples. At most one member is set.
struct SampleChoice {
  std::string keys;     // --keys
  std::string where;    // --where
  std::string records;  // --records: a path, or "-" for stdin.

  bool is_given() const { return !keys.empty() || !where.empty() || !records.empty(); }
};

// Adds --keys, --where and --records.
void AddSampleChoice(Command& command, SampleChoice& choice);

// Prints the number of samples, their files, and the models that have seen them. Then deletes them,
// unless this is a dry run or the answer is no.
int DeleteSamples(const GlobalFlags& flags, const Session& session,
                  const storage::v1::Dataset& dataset, const SampleChoice& choice,
                  const DeletionFlags& deletion);

}  // namespace tidemill::cli
