#include "trainer_server/job/train_job.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

#include "base/descriptor.h"
#include "base/failpoints.h"
#include "base/files.h"
#include "base/log.h"
#include "base/paths/summed_file.h"
#include "loader/fit.h"
#include "models/artefact_spec.h"
#include "models/network_sandbox.h"
#include "trainer_server/job/failure_text.h"
#include "trainer_server/job/opened_job.h"
#include "trainer_server/job/training_course.h"
#include "trainer_server/job/training_machine.h"
#include "trainer_server/job/training_report.h"
#include "trainer_server/job_folder.h"
#include "trainer_server/training_processes.h"

namespace tidemill::trainer_server {
namespace {

// Every batch takes and gives back the same large pieces of memory. The allocator is to keep them
// instead of having the kernel make and clear their pages again each time.
void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // The most that it takes.
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

// Holds the folder's lock for the life of this object. Waits for a process that is being killed.
absl::StatusOr<Descriptor> Lock(const std::string& folder) {
  Descriptor file(open(files::Join(folder, kLockFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) return NotFound("cannot lock {}: {}", folder, strerror(errno));
  while (flock(file.number(), LOCK_EX) != 0) {
    if (errno != EINTR) return Unavailable("cannot lock {}: {}", folder, strerror(errno));
  }
  return file;
}

absl::Status Fit(const std::string& folder) {
  const std::string path = files::Join(folder, kFittedFile);
  if (files::Exists(path)) return absl::OkStatus();
  RETURN_IF_FAILPOINT("trainer_server.before_fit");
  ASSIGN_OR_RETURN(const auto job, ReadMessage<v1::FitJob>(folder, kFitFile));
  ASSIGN_OR_RETURN(const OpenedJob opened, Open(job));
  ASSIGN_OR_RETURN(const loader::FittedGraph fitted,
                   loader::FitGraph(*opened.graph, *opened.set, opened.reader,
                                    {.num_threads = job.preparation().threads(),
                                     .bytes_ahead = job.preparation().bytes_ahead()}));
  constexpr int kMostWarnings = 20;
  v1::FitWarnings warnings;
  for (const std::string& warning : fitted.warnings) {
    if (warnings.warnings_size() < kMostWarnings) warnings.add_warnings(warning);
  }
  if (warnings.warnings_size() > 0) {
    RETURN_IF_ERROR(WriteMessage(folder, kFitWarningsFile, warnings));
  }
  RETURN_IF_ERROR(files::WriteSummed(path, fitted.state.Encode()));
  RETURN_IF_FAILPOINT("trainer_server.after_fit");
  return absl::OkStatus();
}

// A network from a file is code of a user: it sees the run's folder and writes the trigger's.
absl::Status EnterSandbox(const PreparedTraining& training) {
  if (!training.setup().model->File()) return absl::OkStatus();
  return models::EnterNetworkSandbox(
      {.readable = {files::Join(training.folder(), ".."), training.opened().peers.TokenFolder()},
       .writable = {training.folder()},
       .graph = training.opened().graph_spec,
       .starts_plugins = !training.method()->RunsWith().empty(),
       .uses_gpu = training.setup().device.is_cuda()});
}

// Writes the model, then the result: a folder with a result has a model.
absl::Status Finish(const TrainingCourse& course, const TrainingReport& report) {
  const PreparedTraining& training = course.training();
  const std::string& folder = training.folder();
  ASSIGN_OR_RETURN(const std::string weights, course.loop()->Weights());
  RETURN_IF_FAILPOINT("trainer_server.before_artefact");
  models::ArtefactSpec spec{.model = training.model(),
                            .graph = training.opened().graph_spec,
                            .dataset = training.opened().dataset,
                            .classes = training.opened().dataset.label.classes};
  spec.class_outputs = training.spec().loss->OfClasses();
  RETURN_IF_ERROR(WriteArtefact(folder, {{models::kWeightsPart, weights},
                                         {models::kFittedPart, training.fitted().Encode()},
                                         {models::kSpecPart, models::EncodeArtefactSpec(spec)}}));
  RETURN_IF_FAILPOINT("trainer_server.after_artefact");
  if (const int threads = training.found_threads(); threads > 0) {
    v1::FoundThreads found;
    found.set_threads(threads);
    RETURN_IF_ERROR(WriteMessage(folder, kFoundThreadsFile, found));
  }
  RETURN_IF_ERROR(WriteMessage(folder, kResultFile, report.Last(course, weights)));
  // They have served their purpose.
  RETURN_IF_ERROR(files::Remove(files::Join(folder, kDownsamplingFolder)));
  return files::Remove(files::Join(folder, kCheckpointFolder));
}

absl::Status Train(const std::string& folder, process::Report& lines) {
  if (ReadResult(folder).ok()) return absl::OkStatus();
  TrainingReport report(lines);
  ASSIGN_OR_RETURN(const auto training, PreparedTraining::Open(folder));
  RETURN_IF_ERROR(EnterSandbox(*training));
  report.Opened();
  if (const auto file = training->setup().model->File()) report.Watch(*file);
  TrainingCourse course(*training, report);
  absl::Status ended = course.Run();
  if (ended.ok()) ended = Finish(course, report);
  report.EndWatch();  // The course may take its time to clean up.
  return ended;
}

absl::Status RunJob(const std::vector<std::string>& arguments, process::Report& report) {
  if (arguments.size() != 2)
    return InvalidArgument("usage: tidemill-train fit|train|describe FOLDER");
  const std::string& folder = arguments[1];
  ASSIGN_OR_RETURN(const Descriptor lock, Lock(folder));
  if (arguments[0] == "fit") return Fit(folder);
  if (arguments[0] == "train") return Train(folder, report);
  if (arguments[0] == "describe") return DescribeMachine(folder);
  return InvalidArgument("{} is neither fit, train nor describe", arguments[0]);
}

}  // namespace

int RunTrainJob(const std::vector<std::string>& arguments, process::Report& report) {
  log::Configure("train", log::Level::kInfo, /*json=*/false);
  KeepFreedMemory();
  const absl::Status status = RunJob(arguments, report);
  v1::WatchTrainingResponse message;
  if (!status.ok()) message.set_error(TextOf(status, kMaxErrorBytes));
  Send(report, std::move(message));
  if (status.ok()) return 0;
  return kExitCodeBase + static_cast<int>(status.code());
}

}  // namespace tidemill::trainer_server
