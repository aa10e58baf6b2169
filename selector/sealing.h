// Makes one selection: from the candidates to files that are written, but do not have their names
// yet.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "plugin/process/run_hosts.h"
#include "selector/candidate_listing.h"
#include "selector/columns/training_set_file.h"
#include "selector/remembered_listing.h"
#include "selector/stored_facts.h"
#include "selector/training_set_history.h"
#include "tidemill/selector/v1/selector.pb.h"

namespace tidemill::selector {

// The sources that a selection reads.
struct Sources {
  SampleLister list_samples;
  // For policies that read records; may be empty.
  samples::DatasetReader read_samples = {};
  // For policies that read the answers of a model; may be empty.
  ModelReader read_model = {};
};

// The resources that a selection works with.
struct SealingPlace {
  // A folder on the same file system as the final files.
  std::string folder;
  int64_t memory_budget = 0;
  RememberedListings* listings = nullptr;
  WorkerPool* pool = nullptr;
  std::string worker_program;
  int num_workers = 1;
  int64_t worker_memory = 0;
  // The processes of plug-ins between two triggers of a run; nullptr to keep none.
  plugin::HostsOfRuns* hosts = nullptr;
};

// The files of a training set: its entries, its late samples, and the samples that the run has
// chosen up to and including this set.
struct Unsealed {
  explicit Unsealed(const std::string& folder) : entries(folder), late(folder) {}

  v1::TrainingSet set;
  TrainingSetWriter entries;
  TrainingSetWriter late;
  // std::nullopt when the earlier choices of the run are unknown.
  std::optional<UnsealedChosen> chosen;
};

// Chooses and writes. `unsealed` must be new. INVALID_ARGUMENT when the policy does not decode.
// Otherwise it returns the errors of the sources and policies.
absl::Status WriteTrainingSet(const v1::SealTrainingSetRequest& request,
                              const std::vector<TrainingSetRow>& sets_before,
                              const PathsOf& paths_of, const Sources& sources,
                              const SealingPlace& place, Unsealed& unsealed);

}  // namespace tidemill::selector
