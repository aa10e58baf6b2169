#include "tests/two_trainers.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "fmt/format.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "supervisor_client/member_offer.h"
#include "tests/service_command.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;
namespace v1 = trainer_server::v1;

constexpr const char* kServices[] = {"storage", "selector", "model_store", "evaluator",
                                     "supervisor"};

std::string MakeRoot() {
  std::string root = "/tmp/tidemill-two-XXXXXX";
  EXPECT_NE(mkdtemp(root.data()), nullptr);
  return root;
}

std::string TrainerName(int server) { return fmt::format("trainer-{}", server); }

// The processes below a process, and itself.
std::vector<pid_t> FamilyOf(pid_t process) {
  std::vector<pid_t> family = {process};
  for (size_t i = 0; i < family.size(); ++i) {
    std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", family[i]));
    for (pid_t child = 0; children >> child;) family.push_back(child);
  }
  return family;
}

}  // namespace

class TrainerDealer::Dealt {
 public:
  Dealt(TrainerDealer& dealer, int server) : dealer_(dealer), server_(server) {
    rpc::Prepare(dealer_.servers_[static_cast<size_t>(server)], std::chrono::milliseconds{0},
                 context_);
    MutexLock lock(dealer_.mutex_);
    if (dealer_.lost_[server]) context_.TryCancel();
    dealer_.calls_[server].push_back(&context_);
  }
  ~Dealt() {
    MutexLock lock(dealer_.mutex_);
    std::erase(dealer_.calls_[server_], &context_);
  }

  grpc::ClientContext& context() { return context_; }

  // A call that Lose() has ended failed because there is no server.
  static grpc::Status Told(const grpc::Status& status) {
    if (status.error_code() != grpc::StatusCode::CANCELLED) return status;
    return {grpc::StatusCode::UNAVAILABLE, "the trainer server is lost"};
  }

 private:
  TrainerDealer& dealer_;
  const int server_;
  grpc::ClientContext context_;
};

void TrainerDealer::Lose(int server) {
  MutexLock lock(mutex_);
  lost_[server] = true;
  for (grpc::ClientContext* const call : calls_[server]) call->TryCancel();
}

void TrainerDealer::Find(int server) {
  MutexLock lock(mutex_);
  lost_[server] = false;
}

template <typename Request, typename Response>
grpc::Status TrainerDealer::CallAt(int server,
                                   grpc::Status (Stub::*method)(grpc::ClientContext*,
                                                                const Request&, Response*),
                                   const Request& request, Response* response) {
  Dealt dealt(*this, server);
  Stub stub(rpc::Connect(servers_[static_cast<size_t>(server)]));
  return Dealt::Told((stub.*method)(&dealt.context(), request, response));
}

grpc::Status TrainerDealer::FitGraph(grpc::ServerContext*, const v1::FitGraphRequest* request,
                                     v1::FitGraphResponse* response) {
  return CallAt(deal_("FitGraph"), &Stub::FitGraph, *request, response);
}

grpc::Status TrainerDealer::GetTrainingDigest(grpc::ServerContext*,
                                              const v1::GetTrainingDigestRequest* request,
                                              v1::GetTrainingDigestResponse* response) {
  return CallAt(deal_("GetTrainingDigest"), &Stub::GetTrainingDigest, *request, response);
}

grpc::Status TrainerDealer::StartTraining(grpc::ServerContext*,
                                          const v1::StartTrainingRequest* request,
                                          v1::StartTrainingResponse* response) {
  const int server = deal_("StartTraining");
  v1::StartTrainingRequest dealt = *request;
  {
    MutexLock lock(mutex_);
    auto& [last, attempt] = started_[{request->command().run_id(), request->trigger()}];
    if (attempt == 0 || last != server) ++attempt;
    last = server;
    dealt.set_attempt(attempt);
  }
  return CallAt(server, &Stub::StartTraining, dealt, response);
}

grpc::Status TrainerDealer::WatchTraining(grpc::ServerContext*,
                                          const v1::WatchTrainingRequest* request,
                                          grpc::ServerWriter<v1::WatchTrainingResponse>* writer) {
  int server = 0;
  {
    MutexLock lock(mutex_);
    server = started_[{request->run_id(), request->trigger()}].first;
  }
  Dealt dealt(*this, server);
  Stub stub(rpc::Connect(servers_[static_cast<size_t>(server)]));
  const auto reader = stub.WatchTraining(&dealt.context(), *request);
  v1::WatchTrainingResponse message;
  while (reader->Read(&message)) writer->Write(message);
  return Dealt::Told(reader->Finish());
}

grpc::Status TrainerDealer::StopTraining(grpc::ServerContext*,
                                         const v1::StopTrainingRequest* request,
                                         v1::StopTrainingResponse* response) {
  return CallAt(deal_("StopTraining"), &Stub::StopTraining, *request, response);
}

grpc::Status TrainerDealer::StoreModel(grpc::ServerContext*, const v1::StoreModelRequest* request,
                                       v1::StoreModelResponse* response) {
  return CallAt(deal_("StoreModel"), &Stub::StoreModel, *request, response);
}

// A server that is lost has nothing to remove.
grpc::Status TrainerDealer::RetireTrainings(grpc::ServerContext*,
                                            const v1::RetireTrainingsRequest* request,
                                            v1::RetireTrainingsResponse* response) {
  for (int server = 0; server < static_cast<int>(servers_.size()); ++server) {
    CallAt(server, &Stub::RetireTrainings, *request, response);
  }
  return grpc::Status::OK;
}

grpc::Status TrainerDealer::DeleteRun(grpc::ServerContext*, const v1::DeleteRunRequest* request,
                                      v1::DeleteRunResponse* response) {
  for (int server = 0; server < static_cast<int>(servers_.size()); ++server) {
    CallAt(server, &Stub::DeleteRun, *request, response);
  }
  return grpc::Status::OK;
}

TwoTrainers::TwoTrainers(TrainerDealer::Deal deal) : root_(MakeRoot()), files_(root_ + "/files") {
  EXPECT_TRUE(rpc::Tokens::Create(root_ + "/tokens").ok());
  fs::create_directory(files_);
  const std::vector<rpc::Peer> peers = {PeerOf(TrainerName(0)), PeerOf(TrainerName(1))};
  dealer_ = std::make_unique<TrainerDealer>(peers, std::move(deal));
  auto server = rpc::Server::Start({.listen = EndpointOf("dealer")},
                                   *rpc::Tokens::Read(root_ + "/tokens"), {dealer_.get()});
  EXPECT_TRUE(server.ok()) << server.status();
  dealer_server_ = *std::move(server);
  const std::string config = WriteConfig("services", state(), EndpointOf("dealer"));
  for (const char* const service : kServices) {
    services_.push_back(Launch(service, service, config, {}));
  }
  for (const int trainer : {0, 1}) Start(trainer);
  supervisor::Membership::Options options{.kind = supervisor::v1::MEMBER_KIND_TRAINER_SERVER,
                                          .name = "dealer",
                                          .endpoint = EndpointOf("dealer"),
                                          .offer = {},
                                          .file = root_ + "/member.json"};
  supervisor::AddSlots("fit", 2, options.offer);
  supervisor::AddSlots("cpu", 2, options.offer);
  membership_ = std::make_unique<supervisor::Membership>(
      PeerOf("supervisor"), std::move(options),
      supervisor::Membership::Jobs{.list = [] { return std::vector<supervisor::v1::MemberJob>(); },
                                   .end = [](const supervisor::v1::MemberJob&) {}});
}

TwoTrainers::~TwoTrainers() {
  membership_.reset();
  for (const int trainer : {0, 1}) Destroy(trainer);
  for (const pid_t service : services_) kill(service, SIGKILL);
  for (const pid_t service : services_) waitpid(service, nullptr, 0);
  dealer_server_.reset();
  fs::remove_all(root_);
}

rpc::Peer TwoTrainers::PeerOf(const std::string& service) const {
  const auto tokens = rpc::Tokens::Read(root_ + "/tokens");
  return {.endpoint = EndpointOf(service),
          .token = tokens.value().TokenOf(rpc::v1::ROLE_SERVICE).value()};
}

std::string TwoTrainers::WriteConfig(const std::string& name, const std::string& state,
                                     const std::string& trainer) const {
  std::string text = fmt::format(
      "cluster:\n  state_folder: {}\n  database: \"{}\"\n  token_file: {}/tokens\n  endpoints:\n",
      state, database_.connection_string(), root_);
  // The trainer servers know of no supervisor: the dealer is the member of its pool.
  const bool is_trainer = trainer != EndpointOf("dealer");
  for (const char* const service : kServices) {
    if (is_trainer && std::string_view(service) == "supervisor") continue;
    text += fmt::format("    {}: \"{}\"\n", service, EndpointOf(service));
  }
  text += fmt::format("    trainer_server: \"{}\"\n", trainer);
  text += fmt::format("storage: {{allowed_roots: [\"{}\"]}}\n", files_);
  const std::string path = root_ + "/" + name + ".yaml";
  EXPECT_TRUE(files::WriteAtomically(path, text).ok());
  return path;
}

pid_t TwoTrainers::Launch(const std::string& service, const std::string& log,
                          const std::string& config,
                          const std::map<std::string, std::string>& environment) const {
  std::string program = "tidemill-" + service;
  std::replace(program.begin(), program.end(), '_', '-');
  return StartService({.program = program,
                       .config = config,
                       .log = root_ + "/" + log + ".log",
                       .environment = environment});
}

void TwoTrainers::Start(int server, const std::map<std::string, std::string>& environment) {
  const std::string name = TrainerName(server);
  const std::string config = WriteConfig(name, root_ + "/" + name + "-state", EndpointOf(name));
  trainers_[static_cast<size_t>(server)] = Launch("trainer_server", name, config, environment);
  dealer_->Find(server);
}

void TwoTrainers::Destroy(int server) {
  pid_t& process = trainers_[static_cast<size_t>(server)];
  if (process == 0) return;
  dealer_->Lose(server);
  const std::vector<pid_t> family = FamilyOf(process);
  for (const pid_t member : family) kill(member, SIGKILL);
  waitpid(process, nullptr, 0);
  process = 0;
  fs::remove_all(root_ + "/" + TrainerName(server) + "-state");
}

void TwoTrainers::Wipe(int server) const {
  fs::remove_all(root_ + "/" + TrainerName(server) + "-state");
}

void TwoTrainers::Suspend(int server) {
  for (const pid_t member : FamilyOf(trainers_[static_cast<size_t>(server)])) {
    kill(member, SIGSTOP);
  }
  dealer_->Lose(server);
}

void TwoTrainers::Resume(int server) {
  for (const pid_t member : FamilyOf(trainers_[static_cast<size_t>(server)])) {
    kill(member, SIGCONT);
  }
  dealer_->Find(server);
}

CommandResult TwoTrainers::Tidemill(std::vector<std::string> words) const {
  return Begin(std::move(words))->Result();
}

std::unique_ptr<RunningCommand> TwoTrainers::Begin(std::vector<std::string> words) const {
  words.insert(words.end(), {"--config", root_ + "/services.yaml"});
  return std::make_unique<RunningCommand>(words, std::map<std::string, std::string>(), root_);
}

std::string TwoTrainers::Logs() const {
  std::string text;
  for (const auto& entry : fs::directory_iterator(root_)) {
    if (entry.path().extension() != ".log") continue;
    const std::string log = files::Read(entry.path()).value_or("");
    text += fmt::format("--- {}\n{}", entry.path().filename().string(),
                        log.substr(log.size() > 4'000 ? log.size() - 4'000 : 0));
  }
  return text;
}

}  // namespace tidemill::tests
