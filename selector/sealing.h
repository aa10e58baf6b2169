// One selection, from the candidates to files that are written but not yet under their names.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "selector/candidate_listing.h"
#include "selector/columns/training_set_file.h"
#include "selector/stored_facts.h"
#include "selector/training_set_history.h"
#include "tidemill/selector/v1/selector.pb.h"

namespace tidemill::selector {

// Whom a selection asks.
struct Sources {
  SampleLister list_samples;
  // For policies that look into records; may be empty.
  samples::DatasetReader read_samples = {};
  // For policies that look at what models say; may be empty.
  ModelReader read_model = {};
};

// What a selection works with.
struct SealingPlace {
  // On the file system of the files' names.
  std::string folder;
  int64_t memory_budget = 0;
  WorkerPool* pool = nullptr;
  std::string worker_program;
  int num_workers = 1;
  int64_t worker_memory = 0;
};

// A set, its late samples and what the run has chosen with it.
struct Unsealed {
  explicit Unsealed(const std::string& folder) : entries(folder), late(folder) {}

  v1::TrainingSet set;
  TrainingSetWriter entries;
  TrainingSetWriter late;
  // std::nullopt where what was chosen before is not known.
  std::optional<UnsealedChosen> chosen;
};

// Chooses and writes. `unsealed` is fresh. INVALID_ARGUMENT for a policy that does not decode, and
// what sources and policies answer.
absl::Status WriteTrainingSet(const v1::SealTrainingSetRequest& request,
                              const std::vector<TrainingSetRow>& sets_before,
                              const PathsOf& paths_of, const Sources& sources,
                              const SealingPlace& place, Unsealed& unsealed);

}  // namespace tidemill::selector
