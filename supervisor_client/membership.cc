#include "supervisor_client/membership.h"

#include <chrono>
#include <utility>

#include "google/protobuf/util/json_util.h"

#include "base/files.h"
#include "base/logs/log.h"
#include "rpc/members/own_name.h"

namespace tidemill::supervisor {
namespace {

// Several times within the shortest timeout that may be configured.
constexpr std::chrono::milliseconds kInterval{400};
// How long one attempt to reach the supervisor takes at most: the next beat is another one.
constexpr std::chrono::milliseconds kDeadline{1'000};

rpc::Peer ForBeats(rpc::Peer peer, const std::stop_token& stop) {
  peer.deadline = kDeadline;
  peer.stop = stop;
  return peer;
}

// The value in the file; the default when there is no file.
v1::MemberIncarnation ReadIncarnation(const std::string& file) {
  v1::MemberIncarnation incarnation;
  const auto text = files::Read(file);
  if (text.ok() && !google::protobuf::util::JsonStringToMessage(*text, &incarnation).ok()) {
    incarnation.Clear();
  }
  return incarnation;
}

absl::Status WriteIncarnation(const std::string& file, const v1::MemberIncarnation& incarnation) {
  std::string text;
  static_cast<void>(google::protobuf::util::MessageToJsonString(incarnation, &text));
  return files::WriteAtomically(file, text);
}

}  // namespace

Membership::Membership(rpc::Peer supervisor, Options options, Jobs jobs)
    : options_(std::move(options)),
      jobs_(std::move(jobs)),
      pool_(ForBeats(supervisor, stop_.get_token())),
      leaving_(ForBeats(std::move(supervisor), {})),
      self_(ReadIncarnation(options_.file)),
      beats_(std::make_unique<PeriodicTask>("membership", kInterval, [this] { return Step(); })) {}

Membership::~Membership() {
  stop_.request_stop();
  beats_.reset();
  if (!is_registered_) return;
  v1::BeatRequest request = NextBeat();
  request.set_leaving(true);
  // If the supervisor has ended, too, it finds out when it starts.
  static_cast<void>(leaving_.Beat(request));
}

v1::BeatRequest Membership::NextBeat() const {
  v1::BeatRequest request;
  request.mutable_command()->set_request_id(rpc::NewRequestId());
  *request.mutable_member() = self_;
  return request;
}

absl::Status Membership::Step() { return is_registered_ ? Beat() : Register(); }

absl::Status Membership::Register() {
  if (request_id_.empty()) request_id_ = rpc::NewRequestId();
  v1::RegisterMemberRequest request;
  request.mutable_command()->set_request_id(request_id_);
  request.set_kind(options_.kind);
  request.set_host(options_.name);
  request.set_endpoint(options_.endpoint);
  *request.mutable_offer() = options_.offer;
  *request.mutable_continues() = self_;
  request.set_started_as(rpc::StartedAs());
  if (jobs_.kept_runs) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> runs, jobs_.kept_runs());
    request.mutable_runs()->Add(runs.begin(), runs.end());
  }
  const auto registered = pool_.Register(request);
  // The next attempt follows soon.
  if (absl::IsUnavailable(registered.status())) return absl::OkStatus();
  RETURN_IF_ERROR(registered.status());
  RETURN_IF_ERROR(WriteIncarnation(options_.file, registered->member()));
  self_ = registered->member();
  is_registered_ = true;
  request_id_.clear();
  log::Info("registered with the supervisor", {{"name", registered->name()}});
  RemoveDeleted(*registered);
  return absl::OkStatus();
}

void Membership::RemoveDeleted(const v1::RegisterMemberResponse& registered) const {
  for (const int64_t run : registered.deleted_runs()) {
    const absl::Status removed = jobs_.remove(run);
    if (removed.ok()) {
      log::Info("a run was deleted while this member was away; its files are removed",
                {{"run", std::to_string(run)}});
    } else {
      log::Warn("the files of a deleted run cannot be removed before the next registration",
                {{"run", std::to_string(run)}, {"error", removed.ToString()}});
    }
  }
}

absl::Status Membership::Beat() {
  v1::BeatRequest request = NextBeat();
  for (v1::MemberJob& job : jobs_.list()) *request.add_jobs() = std::move(job);
  const auto answer = pool_.Beat(request);
  if (absl::IsNotFound(answer.status())) {
    log::Warn("the supervisor has given this member up; its jobs end",
              {{"reason", std::string(answer.status().message())}});
    for (const v1::MemberJob& job : request.jobs()) jobs_.end(job);
    is_registered_ = false;
    return Register();
  }
  if (absl::IsUnavailable(answer.status())) return absl::OkStatus();
  RETURN_IF_ERROR(answer.status());
  for (const v1::MemberJob& job : answer->ended()) {
    log::Info("a job has no slots any more; it ends",
              {{"run", std::to_string(job.run_id())}, {"stage", job.stage()}});
    jobs_.end(job);
  }
  return absl::OkStatus();
}

}  // namespace tidemill::supervisor
