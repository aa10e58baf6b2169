#include "trainer_server/trainer_server.h"

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include "base/files.h"
#include "base/logs/log.h"
#include "base/process/program_folder.h"
#include "config/config.h"
#include "devices/devices.h"
#include "model_store/client/model_store_client.h"
#include "prepared/prepared_config.h"
#include "rpc/jobs/job_peers.h"
#include "rpc/members/own_name.h"
#include "selector/client/selector_client.h"
#include "storage/prepared_objects/open_host_store.h"
#include "trainer_server/pool_member.h"
#include "trainer_server/trainer_service.h"
#include "trainer_server/trainings.h"

namespace tidemill::trainer_server {
namespace {

// How often a server that ends looks whether its jobs have ended.
constexpr std::chrono::milliseconds kLook{20};

class TrainerServer final : public rpc::RunningService {
 public:
  TrainerServer(TrainingsOptions options, std::unique_ptr<devices::Devices> devices,
                std::unique_ptr<rpc::JobTokens> tokens,
                std::unique_ptr<TrainingProcesses> processes, const rpc::Peer& selector,
                const rpc::Peer& model_store, const rpc::ServiceContext& context)
      : context_(context),
        config_(options.config),
        folder_(options.folder),
        devices_(std::move(devices)),
        tokens_(std::move(tokens)),
        processes_(std::move(processes)),
        selector_(selector),
        model_store_(Stoppable(model_store)),
        trainings_(std::move(options), *processes_, selector_, model_store_),
        service_(trainings_, context.cluster.streams) {}

  // Ends what is being sent to a model store that does not answer.
  ~TrainerServer() override { stop_.request_stop(); }

  std::vector<grpc::Service*> Faces() override { return {&service_}; }
  absl::Status Started(const std::string& endpoint) override {
    ASSIGN_OR_RETURN(membership_,
                     JoinPool(context_, config_, folder_, *devices_, endpoint, trainings_));
    return absl::OkStatus();
  }
  void Stopping() override {
    // Before the supervisor places them elsewhere: they continue from what is sent now.
    processes_->SetGrace(Grace());
    trainings_.Shutdown();
    while (!trainings_.Active().empty()) std::this_thread::sleep_for(kLook);
    membership_.reset();
  }

 private:
  std::chrono::milliseconds Grace() const {
    constexpr std::chrono::seconds kOfEngines{10};
    if (config_.grace.micros == 0 && !rpc::StartedAs().empty()) return kOfEngines;
    return std::chrono::milliseconds(config_.grace.micros / 1000);
  }
  rpc::Peer Stoppable(rpc::Peer peer) const {
    peer.stop = stop_.get_token();
    return peer;
  }

  std::stop_source stop_;
  const rpc::ServiceContext context_;
  const TrainerConfig config_;
  const std::string folder_;
  const std::unique_ptr<devices::Devices> devices_;
  const std::unique_ptr<rpc::JobTokens> tokens_;
  const std::unique_ptr<TrainingProcesses> processes_;
  selector::SelectorClient selector_;
  model_store::ModelStoreClient model_store_;
  Trainings trainings_;
  TrainerService service_;
  std::unique_ptr<supervisor::Membership> membership_;
};

v1::PreparedStore StoreOf(const prepared::HostStoreOptions& options) {
  v1::PreparedStore store;
  store.set_memory_folder(options.memory_folder);
  store.set_memory_bytes(options.memory_bytes);
  store.set_disk_folder(options.disk_folder);
  store.set_disk_bytes(options.disk_bytes);
  store.set_keep_unused_micros(options.keep_unused.micros);
  store.set_object_store(options.object_store);
  store.set_object_store_bytes(options.object_store_bytes);
  return store;
}

// What the processes of jobs need to reach the store that hosts share. Fails when that is wrong.
absl::StatusOr<std::vector<std::string>> VariablesOf(const prepared::HostStoreOptions& options,
                                                     const storage::ObjectStoreConfig& connection) {
  ASSIGN_OR_RETURN(const auto objects, storage::OpenRowObjects(options, connection));
  if (objects == nullptr) return std::vector<std::string>();
  return std::vector<std::string>{
      fmt::format("{}={}", storage::kConnectionVariable, config::Print(connection))};
}

}  // namespace

absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartTrainerServer(
    const rpc::ServiceContext& context) {
  TrainingsOptions options;
  ASSIGN_OR_RETURN(options.config, config::ReadSection<TrainerConfig>(
                                       context.config_text, context.config_name, "trainer_server"));
  options.config.cpu_slots = devices::TrainingsAtOnce(options.config.cpu_slots);
  ASSIGN_OR_RETURN(options.folder, context.FolderOf("trainer_server"));
  ASSIGN_OR_RETURN(const auto prepared, config::ReadSection<prepared::PreparedConfig>(
                                            context.config_text, context.config_name, "prepared"));
  const auto kept = prepared::OptionsOf(prepared, context.cluster.state_folder);
  options.prepared = StoreOf(kept);
  ASSIGN_OR_RETURN(const auto connection,
                   storage::ConnectionOf(context.config_text, context.config_name));
  ASSIGN_OR_RETURN(std::vector<std::string> variables, VariablesOf(kept, connection));
  // A stack may do without workers.
  ASSIGN_OR_RETURN(
      options.endpoints,
      rpc::EndpointsFor(context, {"storage", "selector", "model_store"}, {"preprocess"}));
  ASSIGN_OR_RETURN(const rpc::Peer selector, context.PeerOf("selector"));
  ASSIGN_OR_RETURN(const rpc::Peer model_store, context.PeerOf("model_store"));
  ASSIGN_OR_RETURN(const std::string programs, process::ProgramFolder());
  ASSIGN_OR_RETURN(auto processes,
                   TrainingProcesses::Start(files::Join(programs, "tidemill-train"),
                                            options.config.cpu_slots > 1, std::move(variables)));
  ASSIGN_OR_RETURN(auto tokens,
                   rpc::JobTokens::Open(context.tokens, files::Join(options.folder, "tokens")));
  options.tokens = tokens.get();
  ASSIGN_OR_RETURN(auto devices, devices::FindDevices());
  options.devices = devices.get();
  log::Info("trainings have devices", {{"found", devices::Describe(*devices)}});
  return std::make_unique<TrainerServer>(std::move(options), std::move(devices), std::move(tokens),
                                         std::move(processes), selector, model_store, context);
}

}  // namespace tidemill::trainer_server
