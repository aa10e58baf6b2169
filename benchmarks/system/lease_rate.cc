// How many LeaseSplits a second a dispatcher answers, through gRPC on a UNIX socket, with a durable
// PostgreSQL of its own. Usage: lease_rate [WORKERS] [SECONDS] [SPLITS A REQUEST]
#include <sys/stat.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "base/files.h"
#include "base/logs/log.h"
#include "base/threads/worker_pool.h"
#include "db/private_postgres.h"
#include "preprocess/client/dispatcher_client.h"
#include "preprocess/dispatcher/dispatcher_service.h"
#include "rpc/server.h"

namespace tidemill::preprocess {
namespace {

using std::chrono::seconds;

struct Load {
  int num_workers = 4;
  int num_seconds = 5;
  int num_splits = 1;
};

v1::RegisterWorkerRequest RegistrationOf(int64_t number) {
  v1::RegisterWorkerRequest request;
  request.set_name("worker " + std::to_string(number));
  request.set_endpoint("unix:/nowhere");
  return request;
}

// One lane without an end whose consumer is done with whatever was issued.
class Consumer {
 public:
  Consumer(DispatcherClient& client, const std::vector<v1::WorkerIncarnation>& workers)
      : client_(client) {
    v1::CreateJobRequest request;
    request.set_name("benchmark");
    request.add_lanes()->set_end_batch(int64_t{1} << 40);
    request.set_split_batches(4);
    report_.set_job_id(*client_.CreateJob(request));
    for (const auto& worker : workers) *report_.add_connected() = worker;
    report_.add_lanes()->set_window(4096);
  }

  absl::Status Report(int64_t issued_before) {
    report_.mutable_lanes(0)->set_done_before(std::max<int64_t>(0, issued_before - 64));
    return client_.ReportProgress(report_).status();
  }

 private:
  DispatcherClient& client_;
  v1::ReportProgressRequest report_;
};

absl::Status Measure(DispatcherClient& client, const Load& load) {
  std::vector<v1::WorkerIncarnation> workers;
  for (int64_t i = 0; i < load.num_workers; ++i) {
    ASSIGN_OR_RETURN(workers.emplace_back(), client.RegisterWorker(RegistrationOf(i)));
  }
  Consumer consumer(client, workers);
  RETURN_IF_ERROR(consumer.Report(0));
  std::atomic<int64_t> issued = 0, num_requests = 0, num_splits = 0, num_failures = 0;
  const Clock::time_point end = Clock::now() + seconds(load.num_seconds);
  WorkerPool pool("benchmark", load.num_workers);
  pool.ParallelFor(load.num_workers + 1, [&](int64_t i) {
    while (Clock::now() < end) {
      if (i == load.num_workers) {
        if (!consumer.Report(issued.load()).ok()) ++num_failures;
        continue;
      }
      v1::LeaseSplitsRequest request;
      *request.mutable_worker() = workers[static_cast<size_t>(i)];
      request.set_max_splits(load.num_splits);
      request.set_wait_millis(1000);
      const auto response = client.LeaseSplits(request);
      if (!response.ok()) ++num_failures;
      if (!response.ok() || response->splits().empty()) continue;
      ++num_requests;
      num_splits += response->splits_size();
      const int64_t to = response->splits(response->splits_size() - 1).to_batch();
      for (int64_t seen = issued; seen < to && !issued.compare_exchange_weak(seen, to);) {
      }
    }
  });
  std::printf("workers %d  requests/s %.0f  splits/s %.0f  failures %ld\n", load.num_workers,
              static_cast<double>(num_requests) / load.num_seconds,
              static_cast<double>(num_splits) / load.num_seconds,
              static_cast<long>(num_failures.load()));
  return absl::OkStatus();
}

absl::Status Run(const std::string& folder, const Load& load) {
  ASSIGN_OR_RETURN(const auto postgres,
                   db::PrivatePostgres::Start(folder + "/cluster", folder + "/s"));
  ASSIGN_OR_RETURN(const auto database, db::Database::Connect(postgres->ConnectionString()));
  ASSIGN_OR_RETURN(const auto dispatcher, Dispatcher::Open(*database, {}));
  RETURN_IF_ERROR(dispatcher->Recover());
  DispatcherService service(*dispatcher);
  RETURN_IF_ERROR(rpc::Tokens::Create(folder + "/tokens"));
  ASSIGN_OR_RETURN(const auto tokens, rpc::Tokens::Read(folder + "/tokens"));
  ASSIGN_OR_RETURN(const auto server, rpc::Server::Start({.listen = "unix:" + folder + "/socket"},
                                                         tokens, {&service}));
  ASSIGN_OR_RETURN(const std::string token, tokens.TokenOf(rpc::v1::ROLE_SERVICE));
  DispatcherClient client({.endpoint = server->endpoint(), .token = token});
  const absl::Status status = Measure(client, load);
  dispatcher->Stop();
  server->Stop();
  postgres->Stop().IgnoreError();
  return status;
}

}  // namespace
}  // namespace tidemill::preprocess

int main(int argc, char** argv) {
  using namespace tidemill;  // NOLINT: a program of one function.
  const auto argument = [&](int i, int otherwise) {
    return argc > i ? std::atoi(argv[i]) : otherwise;
  };
  char folder[] = "/tmp/tidemill-lease-XXXXXX";
  if (::mkdtemp(folder) == nullptr) return 1;
  ::chmod(folder, 0711);  // PostgreSQL runs as another user where this one is root.
  const absl::Status status = preprocess::Run(
      folder,
      {.num_workers = argument(1, 4), .num_seconds = argument(2, 5), .num_splits = argument(3, 1)});
  files::Remove(folder).IgnoreError();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
