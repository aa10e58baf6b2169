#include "evaluator/predictors.h"

#include <algorithm>
#include <utility>

#include "base/logs/log.h"

namespace tidemill::evaluator {
namespace {

// How often a wait asks whether the caller still waits.
constexpr std::chrono::milliseconds kLook{50};

}  // namespace

// The owner's mutex guards all fields but `model`, `socket` and `stop`.
struct Predictors::Process {
  ModelId model;
  std::string socket;  // Its name in the folder.
  RunId run = {};      // 0 until a request has learnt it.
  bool is_listening = false;
  bool is_busy = true;
  std::chrono::steady_clock::time_point last_use = {};
  std::optional<absl::Status> ended = std::nullopt;
  std::stop_source stop = {};
};

Predictors::Predictors(PredictorsOptions options, PredictorRunner run_job)
    : options_(std::move(options)),
      run_job_(std::move(run_job)),
      pool_("predictors", options_.max_processes) {}

Predictors::~Predictors() { Stop(); }

absl::StatusOr<Predictors::Lease> Predictors::Take(ModelId model, const Alive& alive) {
  SharedProcess process;
  {
    const auto give_up = std::chrono::steady_clock::now() + options_.longest_wait;
    MutexLock lock(mutex_);
    while (!stopping_ && alive() && (process = TryTake(model)) == nullptr) {
      if (std::chrono::steady_clock::now() >= give_up) {
        return ResourceExhausted(
            "all {} processes that predict are busy; try again, or raise evaluator.predictors in "
            "the system configuration",
            options_.max_processes);
      }
      changed_.wait_for(mutex_, kLook);
    }
    if (stopping_) return Unavailable("the evaluator is stopping");
    if (process == nullptr) return Cancelled("the caller no longer waits");
  }
  absl::Status listens = AwaitListening(*process, alive);
  if (!listens.ok()) {
    GiveBack(*process, /*is_sound=*/false);
    return listens;
  }
  auto connection = rpc::MessageSocket::Connect(options_.folder, process->socket);
  if (!connection.ok()) {
    GiveBack(*process, /*is_sound=*/false);
    return connection.status();
  }
  Lease lease(*this, process, *std::move(connection));
  ASSIGN_OR_RETURN(const v1::PredictResponse first, lease.Receive(alive));
  lease.model_ = first.model();
  lease.is_sound_ = true;
  MutexLock lock(mutex_);
  process->run = {lease.model_.run_id()};
  return lease;
}

Predictors::SharedProcess Predictors::TryTake(ModelId model) {
  for (const SharedProcess& process : processes_) {
    if (process->model != model || process->is_busy) continue;
    process->is_busy = true;
    return process;
  }
  if (std::ssize(processes_) < options_.max_processes) return Start(model);
  // Its place is free once it has ended, which wakes this caller.
  EndIdle();
  return nullptr;
}

void Predictors::EndIdle() {
  Process* oldest = nullptr;
  for (const SharedProcess& process : processes_) {
    if (process->stop.stop_requested()) return;
    if (process->is_busy) continue;
    if (std::chrono::steady_clock::now() - process->last_use < options_.least_idle) continue;
    if (oldest == nullptr || process->last_use < oldest->last_use) oldest = process.get();
  }
  if (oldest == nullptr) return;
  oldest->is_busy = true;  // No caller takes it from here on.
  oldest->stop.request_stop();
}

Predictors::SharedProcess Predictors::Start(ModelId model) {
  auto process = std::make_shared<Process>();
  process->model = model;
  process->socket = fmt::format("predictor.{}", ++num_started_);
  processes_.push_back(process);
  pool_.Submit([this, process] { RunProcess(*process); });
  return process;
}

void Predictors::RunProcess(Process& process) {
  v1::EvaluationJob job;
  job.mutable_prediction()->set_model_id(process.model.value);
  job.mutable_prediction()->set_folder(options_.folder);
  job.mutable_prediction()->set_socket(process.socket);
  const auto note = [&](const v1::JobReport& report) -> absl::Status {
    MutexLock lock(mutex_);
    process.is_listening |= report.has_listening();
    changed_.notify_all();
    return absl::OkStatus();
  };
  absl::Status status = run_job_(job, note, process.stop.get_token());
  const bool was_idle = status.ok();
  if (was_idle) status = Unavailable("the process was idle, and has given its GPU back");
  if (absl::IsAborted(status)) status = absl::UnavailableError(status.message());
  if (!process.stop.stop_requested() && !was_idle) {
    log::Warn("a process that predicts has ended",
              {{"model", std::to_string(process.model.value)}, {"error", status.ToString()}});
  }
  MutexLock lock(mutex_);
  process.ended = std::move(status);
  std::erase_if(processes_, [&](const SharedProcess& each) { return each.get() == &process; });
  changed_.notify_all();
}

absl::Status Predictors::AwaitListening(Process& process, const Alive& alive) {
  MutexLock lock(mutex_);
  while (true) {
    if (stopping_) return Unavailable("the evaluator is stopping");
    if (process.ended) return *process.ended;
    if (process.is_listening) return absl::OkStatus();
    if (!alive()) return Cancelled("the caller no longer waits");
    changed_.wait_for(mutex_, kLook);
  }
}

void Predictors::GiveBack(Process& process, bool is_sound) {
  MutexLock lock(mutex_);
  process.last_use = std::chrono::steady_clock::now();
  if (is_sound) {
    process.is_busy = false;
  } else {
    process.stop.request_stop();
  }
  changed_.notify_all();
}

void Predictors::DeleteRun(RunId run) {
  MutexLock lock(mutex_);
  for (const SharedProcess& process : processes_) {
    if (process->run == run) process->stop.request_stop();
  }
}

void Predictors::Stop() {
  std::vector<SharedProcess> all;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    all.swap(processes_);
    changed_.notify_all();
  }
  for (const SharedProcess& process : all) process->stop.request_stop();
}

Predictors::Lease::~Lease() {
  if (process_ != nullptr) owner_->GiveBack(*process_, is_sound_);
}

absl::StatusOr<v1::PredictResponse> Predictors::Lease::Receive(const Alive& alive) {
  v1::PredictionReply reply;
  RETURN_IF_ERROR(connection_.Receive(reply, alive));
  if (reply.failure_code() != 0) {
    return absl::Status(static_cast<absl::StatusCode>(reply.failure_code()), reply.failure());
  }
  return std::move(*reply.mutable_response());
}

absl::StatusOr<v1::Predictions> Predictors::Lease::Predict(const v1::PredictionRecords& records,
                                                           const Alive& alive) {
  is_sound_ = false;
  RETURN_IF_ERROR(connection_.Send(records));
  ASSIGN_OR_RETURN(v1::PredictResponse response, Receive(alive));
  is_sound_ = true;
  return std::move(*response.mutable_predictions());
}

}  // namespace tidemill::evaluator
