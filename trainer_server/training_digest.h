// The digest of everything on which the weights of a training depend.
#pragma once

#include <string>

#include "base/status.h"
#include "tidemill/trainer_server/v1/job.pb.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"
#include "trainer_server/processes/training_specs.h"

namespace tidemill::trainer_server {

// Returns a SHA-256 in hexadecimal. Two trainings of one digest end with the same weights, on a
// CPU. It covers
//
//   the dataset, its spec, the graph with the files that it holds, the network, and the spec of the
//   training with its defaults filled in, without settings that change no bit of the weights:
//   `reuse`, `checkpoint_every`, `decoded_budget`; the training set, and the set from which the
//   graph has learned; the weights to start from, in place of `warm_start`, and that set, in place
//   of `fit`; the method of downsampling that serves the trigger; the number for random draws: the
//   number of the trigger, unless the request names another; the program, torch and the processor.
//
// Workers, threads that prepare samples, and the run do not count. `specs` are those of
// the request.
std::string DigestOfTraining(const v1::GetTrainingDigestRequest& request,
                             const TrainingSpecs& specs, const v1::TrainingMachine& machine);

// Returns why a training has no digest; empty when it has one.
std::string WhyNoDigest(const models::TrainingSpec& training, bool is_for_gpu);

}  // namespace tidemill::trainer_server
