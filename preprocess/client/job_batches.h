// Opens the batches of a job for its consumer, which makes them itself or takes them from workers.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "loader/batch_source.h"
#include "loader/batches/batch_parts.h"
#include "loader/batches/batch_plan.h"
#include "loader/batches/batch_stream.h"
#include "preprocess/client/job_spec.h"
#include "preprocess/client/set_division.h"
#include "preprocess/client/workers_spec.h"
#include "rpc/channel.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// All that batches are opened with. The references are used during the call only.
struct JobBatches {
  const JobSpec& spec;
  // The samples of a job that does not take all samples of its set.
  const v1::JobSamples& samples;
  const SetDivision& division;
  // The parts are those of the set that `division` divides.
  const loader::BatchParts& parts;
  // The plan of the whole set, from its `first_batch` on. For consumers that share each batch, the
  // plan of one slice.
  const loader::BatchPlan& plan;
};

// Where the workers' batches come from.
struct JobWorkers {
  rpc::Peer dispatcher = {};
  // Consumers that name the same job share it.
  std::string job_name = {};
  WorkersSpec spec = {};
  // Whether rows may be changed where they are; see LinkOptions.
  bool rows_are_writable = false;
};

// Makes the batches in this process, as `here` says. The batches are those of OpenAtWorkers().
// Returns the errors of LanesOf() and loader::BatchStream::Create().
absl::StatusOr<std::unique_ptr<loader::BatchSource>> OpenHere(const JobBatches& job,
                                                              const loader::StreamOptions& here);

// Takes the batches from workers. `here` says how this process makes those that it has to make.
// Returns the errors of WorkerSource::Open() and ShardedSource::Open().
absl::StatusOr<std::unique_ptr<loader::BatchSource>> OpenAtWorkers(
    const JobBatches& job, const JobWorkers& workers, const loader::StreamOptions& here);

}  // namespace tidemill::preprocess
