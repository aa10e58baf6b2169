#include "trainer_server/job/train_job.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "google/protobuf/util/json_util.h"

#include "base/descriptor.h"
#include "base/failpoints.h"
#include "base/files.h"
#include "base/logs/log.h"
#include "base/paths/summed_file.h"
#include "base/process/interruption.h"
#include "base/threads/periodic_task.h"
#include "devices/owned_device.h"
#include "loader/fit.h"
#include "models/artefact_spec.h"
#include "models/network.h"
#include "models/network_sandbox.h"
#include "models/program_weights.h"
#include "storage/prepared_objects/open_host_store.h"
#include "trainer_server/folders/job_folder.h"
#include "trainer_server/job/failure_text.h"
#include "trainer_server/job/opened_job.h"
#include "trainer_server/job/program_course.h"
#include "trainer_server/job/training_course.h"
#include "trainer_server/job/training_machine.h"
#include "trainer_server/job/training_report.h"
#include "trainer_server/processes/ranked_training.h"
#include "trainer_server/processes/training_processes.h"
#include "trainer_server/ranks/rank_place.h"
#include "trainer_server/ranks/ranks.h"

namespace tidemill::trainer_server {
namespace {

constexpr std::chrono::milliseconds kAliveEvery{1000};
// The module that a program has returned, until it is in the model.
constexpr char kScriptFile[] = "program_model.pt";

// Every batch takes and gives back the same large pieces of memory. The allocator is to keep them
// instead of having the kernel make and clear their pages again each time.
void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // The most that it takes.
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

// Holds the folder's lock for the life of this object. Waits for a process that is being killed.
// Ranks work on a folder together: each has its own lock.
absl::StatusOr<Descriptor> Lock(const std::string& folder, int64_t rank) {
  const std::string name =
      rank == 0 ? std::string(kLockFile) : fmt::format("{}-{}", kLockFile, rank);
  Descriptor file(open(files::Join(folder, name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
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
  return models::EnterNetworkSandbox(
      {.readable = {files::Join(training.folder(), ".."), training.opened().peers.TokenFolder()},
       .writable = {training.folder()},
       .graph = training.opened().graph_spec,
       .starts_plugins = !training.method()->RunsWith().empty(),
       .uses_gpu = training.setup().device.is_cuda()});
}

// Writes the model, then the result: a folder with a result has a model.
absl::Status Finish(const Course& course, const TrainingReport& report,
                    const models::ArtefactSpec& spec, const std::string& weights) {
  const PreparedTraining& training = course.training();
  const std::string& folder = training.folder();
  RETURN_IF_FAILPOINT("trainer_server.before_artefact");
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
  RETURN_IF_ERROR(files::Remove(files::Join(folder, kRanksFolder)));
  RETURN_IF_ERROR(files::Remove(files::Join(folder, kDownsamplingFolder)));
  return files::Remove(files::Join(folder, kCheckpointFolder));
}

models::ArtefactSpec ArtefactOf(const PreparedTraining& training) {
  models::ArtefactSpec spec{.model = training.model(),
                            .graph = training.opened().graph_spec,
                            .dataset = training.opened().dataset,
                            .classes = training.opened().dataset.label.classes};
  spec.class_outputs = training.spec().loss->OfClasses();
  return spec;
}

absl::Status FinishNetwork(const TrainingCourse& course, const TrainingReport& report) {
  ASSIGN_OR_RETURN(const std::string weights, course.loop()->Weights());
  return Finish(course, report, ArtefactOf(course.training()), weights);
}

// The module of a program becomes a network from a file, which is read where such networks are run.
absl::StatusOr<std::string> WeightsOfScript(const PreparedTraining& training,
                                            const std::string& script, models::ArtefactSpec& spec) {
  const std::string path = files::Join(training.folder(), kScriptFile);
  RETURN_IF_ERROR(files::WriteAtomically(path, script));
  RETURN_IF_ERROR(EnterSandbox(training));
  spec.model = models::NetworkFromScript(training.spec().program.run.value_or(""),
                                         training.model()->NumOutputs());
  const auto made = models::MakeNetwork(spec.model->WithFile(path), training.setup().inputs);
  if (!made.ok()) {
    return InvalidArgument("{}: the module that it has returned cannot be used: {}",
                           spec.model->File()->path, std::string(made.status().message()));
  }
  ASSIGN_OR_RETURN(std::string weights, models::EncodeWeights(*made));
  RETURN_IF_ERROR(files::Remove(path));
  return weights;
}

absl::Status FinishProgram(ProgramCourse& course, const TrainingReport& report) {
  const PreparedTraining& training = course.training();
  models::ArtefactSpec spec = ArtefactOf(training);
  const models::PackedModel model = course.TakeModel();
  std::string weights;
  if (model.form == models::kTorchScriptForm) {
    ASSIGN_OR_RETURN(weights, WeightsOfScript(training, model.bytes, spec));
  } else {
    spec.program = training.spec().program;
    ASSIGN_OR_RETURN(weights, models::EncodePickle(model.bytes));
  }
  return Finish(course, report, spec, weights);
}

// Returns the place of this process among the ranks of a training; std::nullopt for a training in
// one process.
absl::StatusOr<std::optional<RankPlace>> PlaceIn(const std::string& folder,
                                                 std::span<const std::string> arguments) {
  std::optional<RankPlace> place;
  ASSIGN_OR_RETURN(const RankNumbers ranks, ReadRankNumbers(folder));
  // The variables may be those of whatever has started the trainer server.
  if (ranks.most == 1) return place;
  ASSIGN_OR_RETURN(place, ReadRankPlace(arguments, [](const std::string& name) {
                     const char* const value = getenv(name.c_str());
                     return value == nullptr ? std::nullopt : std::optional<std::string>(value);
                   }));
  if (!place) {
    return InvalidArgument(
        "the training has {} ranks; start each with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, "
        "as torchrun does",
        ranks.most);
  }
  if (place->size > ranks.most || place->size < ranks.least) {
    return InvalidArgument("WORLD_SIZE is {}, but the training has {} ranks", place->size,
                           ranks.most);
  }
  return place;
}

// Says that this process is alive, however long it waits for its samples or for another rank.
PeriodicTask SayAlive(process::Report& lines) {
  return {"alive", kAliveEvery, [&lines] {
            Send(lines, v1::WatchTrainingResponse());
            return absl::OkStatus();
          }};
}

absl::Status Train(const std::string& folder, devices::OwnedDevice device, Ranks* ranks,
                   process::Report& lines) {
  TrainingReport report(lines);
  ASSIGN_OR_RETURN(const auto training, PreparedTraining::Open(folder, std::move(device), ranks));
  if (training->setup().model->File()) RETURN_IF_ERROR(EnterSandbox(*training));
  report.Opened();
  process::NoteInterruptions();
  if (training->spec().RunsProgram()) {
    ProgramCourse course(*training, report);
    RETURN_IF_ERROR(course.Run());
    return FinishProgram(course, report);
  }
  if (const auto file = training->setup().model->File()) report.Watch(*file, ranks);
  TrainingCourse course(*training, report);
  absl::Status ended = course.Run();
  if (ended.ok() && (ranks == nullptr || ranks->rank() == 0)) ended = FinishNetwork(course, report);
  ended = course.End(std::move(ended));
  report.EndWatch();  // The course may take its time to clean up.
  return ended;
}

absl::Status TrainRank(const std::string& folder, devices::OwnedDevice device,
                       const RankPlace& place, process::Report& lines) {
  const PeriodicTask alive = SayAlive(lines);
  ASSIGN_OR_RETURN(const auto ranks, Ranks::Join(place));
  return Train(folder, std::move(device), ranks.get(), lines);
}

absl::Status RunJob(const std::vector<std::string>& arguments, process::Report& report) {
  rpc::v1::JobDevice described;
  if (arguments.size() < 3 ||
      !google::protobuf::util::JsonStringToMessage(arguments[2], &described).ok()) {
    return InvalidArgument("usage: tidemill-train fit|train|describe FOLDER DEVICE [RANK=N ...]");
  }
  const std::string& what = arguments[0];
  const std::string& folder = arguments[1];
  std::optional<RankPlace> place;
  if (what == "train") {
    ASSIGN_OR_RETURN(place, PlaceIn(folder, std::span(arguments).subspan(3)));
  }
  ASSIGN_OR_RETURN(const Descriptor lock, Lock(folder, place ? place->rank : 0));
  ASSIGN_OR_RETURN(devices::OwnedDevice device, devices::OwnedDevice::Take(std::move(described)));
  if (what == "fit") return Fit(folder);
  if (what == "train") {
    if (ReadResult(folder).ok()) return absl::OkStatus();
    return place ? TrainRank(folder, std::move(device), *place, report)
                 : Train(folder, std::move(device), nullptr, report);
  }
  if (what == "describe") return DescribeMachine(folder);
  return InvalidArgument("{} is neither fit, train nor describe", what);
}

}  // namespace

int RunTrainJob(const std::vector<std::string>& arguments, process::Report& report) {
  log::Configure("train", log::Level::kInfo, /*json=*/false);
  KeepFreedMemory();
  // Its errors are reported where it is used.
  storage::ConnectionOfEnvironment().status().IgnoreError();
  const absl::Status status = RunJob(arguments, report);
  v1::WatchTrainingResponse message;
  if (!status.ok()) message.set_error(TextOf(status, kMaxErrorBytes));
  Send(report, std::move(message));
  if (status.ok()) return 0;
  return kExitCodeBase + static_cast<int>(status.code());
}

}  // namespace tidemill::trainer_server
