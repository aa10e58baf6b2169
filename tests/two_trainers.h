// A stack with two trainer servers, each with its own state folder, as on two hosts.
#pragma once

#include <sys/types.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "db/testing/postgres.h"
#include "rpc/access/tokens.h"
#include "rpc/channel.h"
#include "rpc/server.h"
#include "supervisor_client/membership.h"
#include "tests/stack.h"
#include "tidemill/trainer_server/v1/trainer_server.grpc.pb.h"

namespace tidemill::tests {

// Deals the commands of a supervisor out to trainer servers, as a pool of them would: each training
// is watched where it was started, and its attempts are counted. Thread-safe.
class TrainerDealer final : public trainer_server::v1::TrainerService::Service {
 public:
  // Called before each command with its name; returns the number of the server that gets it.
  using Deal = std::function<int(const std::string& method)>;

  TrainerDealer(std::vector<rpc::Peer> servers, Deal deal)
      : servers_(std::move(servers)), deal_(std::move(deal)) {}

  // Ends the calls to a server with UNAVAILABLE, and those that come, until Find().
  void Lose(int server) ABSL_LOCKS_EXCLUDED(mutex_);
  void Find(int server) ABSL_LOCKS_EXCLUDED(mutex_);

  grpc::Status FitGraph(grpc::ServerContext* context,
                        const trainer_server::v1::FitGraphRequest* request,
                        trainer_server::v1::FitGraphResponse* response) override;
  grpc::Status GetTrainingDigest(grpc::ServerContext* context,
                                 const trainer_server::v1::GetTrainingDigestRequest* request,
                                 trainer_server::v1::GetTrainingDigestResponse* response) override;
  grpc::Status StartTraining(grpc::ServerContext* context,
                             const trainer_server::v1::StartTrainingRequest* request,
                             trainer_server::v1::StartTrainingResponse* response) override;
  grpc::Status WatchTraining(
      grpc::ServerContext* context, const trainer_server::v1::WatchTrainingRequest* request,
      grpc::ServerWriter<trainer_server::v1::WatchTrainingResponse>* writer) override;
  grpc::Status StopTraining(grpc::ServerContext* context,
                            const trainer_server::v1::StopTrainingRequest* request,
                            trainer_server::v1::StopTrainingResponse* response) override;
  grpc::Status StoreModel(grpc::ServerContext* context,
                          const trainer_server::v1::StoreModelRequest* request,
                          trainer_server::v1::StoreModelResponse* response) override;
  grpc::Status RetireTrainings(grpc::ServerContext* context,
                               const trainer_server::v1::RetireTrainingsRequest* request,
                               trainer_server::v1::RetireTrainingsResponse* response) override;
  grpc::Status DeleteRun(grpc::ServerContext* context,
                         const trainer_server::v1::DeleteRunRequest* request,
                         trainer_server::v1::DeleteRunResponse* response) override;

 private:
  using Stub = trainer_server::v1::TrainerService::Stub;
  // A call to a server, which Lose() ends.
  class Dealt;

  template <typename Request, typename Response>
  grpc::Status CallAt(int server,
                      grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                      const Request& request, Response* response);

  const std::vector<rpc::Peer> servers_;
  const Deal deal_;
  Mutex mutex_;
  std::map<int, std::vector<grpc::ClientContext*>> calls_ ABSL_GUARDED_BY(mutex_);
  std::map<int, bool> lost_ ABSL_GUARDED_BY(mutex_);
  // The server and the attempt of each training, by (run, trigger).
  std::map<std::pair<int64_t, int64_t>, std::pair<int, int64_t>> started_ ABSL_GUARDED_BY(mutex_);
};

// All services as processes, on a database for this object, and a dealer in this process where the
// supervisor expects its trainer server. The destructor kills them. Thread-compatible, but for
// what concerns one trainer server.
class TwoTrainers {
 public:
  explicit TwoTrainers(TrainerDealer::Deal deal);
  ~TwoTrainers();
  TwoTrainers(const TwoTrainers&) = delete;
  TwoTrainers& operator=(const TwoTrainers&) = delete;

  // Starts a trainer server, with these variables in its environment.
  void Start(int server, const std::map<std::string, std::string>& environment = {});
  // Kills a trainer server with its jobs, and removes its state folder: the host is gone.
  void Destroy(int server);
  // Removes the state folder of a trainer server that runs.
  void Wipe(int server) const;
  // Stops a trainer server and its jobs as SIGSTOP does, or lets them continue. To the supervisor,
  // it is lost in the meantime.
  void Suspend(int server);
  void Resume(int server);

  // Runs `tidemill <words>` against the services.
  CommandResult Tidemill(std::vector<std::string> words) const;
  std::unique_ptr<RunningCommand> Begin(std::vector<std::string> words) const;
  rpc::Peer PeerOf(const std::string& service) const;

  // A folder for the files of a test, which storage may read.
  const std::string& files() const { return files_; }
  // The state folder of the other services.
  std::string state() const { return root_ + "/state"; }
  std::string Logs() const;

 private:
  std::string EndpointOf(const std::string& name) const { return "unix:" + root_ + "/" + name; }
  // A system configuration whose trainer server is this endpoint.
  std::string WriteConfig(const std::string& name, const std::string& state,
                          const std::string& trainer) const;
  pid_t Launch(const std::string& service, const std::string& log, const std::string& config,
               const std::map<std::string, std::string>& environment) const;

  const std::string root_;
  const std::string files_;
  const db::testing::TestDatabase database_;
  std::vector<pid_t> services_;
  std::array<pid_t, 2> trainers_ = {0, 0};
  std::unique_ptr<TrainerDealer> dealer_;
  std::unique_ptr<rpc::Server> dealer_server_;
  std::unique_ptr<supervisor::Membership> membership_;
};

}  // namespace tidemill::tests
