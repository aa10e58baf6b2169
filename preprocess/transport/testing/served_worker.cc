#include "preprocess/transport/testing/served_worker.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace tidemill::preprocess::testing {

namespace {

template <typename T>
T OrAbort(absl::StatusOr<T> result) {
  if (!result.ok()) {
    std::fprintf(stderr, "no worker for tests: %s\n", result.status().ToString().c_str());
    std::abort();
  }
  return *std::move(result);
}

}  // namespace

ServedWorker::ServedWorker(const std::string& listen, const rpc::Tls& server_tls)
    : token(folder.TokenOf(rpc::v1::ROLE_SERVICE)),
      server_(OrAbort(rpc::Server::Start(
          {.listen = listen.empty() ? "unix:" + folder.path() + "/w" : listen, .tls = server_tls},
          folder.tokens(), {&face_}))),
      rings_(OrAbort(RingServer::Start(RingSocketIn(folder.path()), folder.tokens(), outboxes))),
      endpoint_(server_->endpoint()) {}

ServedWorker::~ServedWorker() { Stop(); }

void ServedWorker::Stop() {
  if (server_ != nullptr) server_->Stop(std::chrono::milliseconds{10});
  server_.reset();
  rings_.reset();
}

std::string RingSocketIn(const std::string& folder) { return folder + "/r"; }

v1::Worker ServedWorker::Description() const { return DescribeWorker(endpoint_, folder.path()); }

v1::Worker DescribeWorker(const std::string& endpoint, const std::string& folder) {
  v1::Worker worker;
  worker.mutable_incarnation()->set_worker_id(2);
  worker.mutable_incarnation()->set_incarnation(3);
  worker.set_endpoint(endpoint);
  worker.set_boot_id(BootId());
  worker.set_ring_socket(RingSocketIn(folder));
  return worker;
}

std::unique_ptr<BatchLink> ServedWorker::OpenWith(Transport transport, LinkHandler handler,
                                                  const std::vector<int32_t>& lanes,
                                                  LinkOptions options) {
  v1::ReadBatchesRequest::Open open;
  open.set_job_id(1);
  for (const int32_t lane : lanes) open.add_lanes(lane);
  options.transport = transport;
  return OpenLink({.endpoint = {}, .token = token, .tls = tls}, Description(), open, options,
                  std::move(handler));
}

std::unique_ptr<BatchLink> ServedWorker::Open(Transport transport, Received& received,
                                              const std::vector<int32_t>& lanes,
                                              LinkOptions options) {
  return OpenWith(transport, received.Handler(), lanes, options);
}

}  // namespace tidemill::preprocess::testing
