#include "tests/hosts/hosts.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "fmt/format.h"
#include "gtest/gtest.h"

#include "base/check.h"
#include "base/files.h"
#include "base/testing/tree.h"
#include "rpc/access/own_certificate.h"
#include "rpc/access/tokens.h"
#include "tests/service_command.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kNames = {"mill", "east", "west"};
constexpr char kBootId[] = "/proc/sys/kernel/random/boot_id";
constexpr int kTrainerPort = 50054;
constexpr int kWorkerPort = 50058;
// The services of the mill, and where they listen.
constexpr std::array<std::pair<const char*, int>, 6> kServices = {{{"storage", 50051},
                                                                   {"selector", 50052},
                                                                   {"model_store", 50053},
                                                                   {"evaluator", 50055},
                                                                   {"supervisor", 50056},
                                                                   {"preprocess", 50057}}};

std::string MakeRoot() {
  std::string root = "/tmp/tidemill-hosts-XXXXXX";
  EXPECT_NE(mkdtemp(root.data()), nullptr);
  return root;
}

std::string NameOf(int host) { return kNames[static_cast<size_t>(host)]; }

void Write(const std::string& path, const std::string& text) {
  EXPECT_TRUE(files::WriteAtomically(path, text).ok());
}

// For the new process of a service, which cannot do without.
void Require(bool is_well, const char* what) {
  if (is_well) return;
  std::perror(what);
  _exit(126);
}

void HaveOwnMounts() {
  Require(unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC) == 0, "namespaces");
  Require(mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "own mounts");
}

void BindOver(const std::string& from, const char* to) {
  Require(mount(from.c_str(), to, nullptr, MS_BIND, nullptr) == 0, to);
}

void HideBehindNothing(const char* folder) {
  Require(mount("none", folder, "tmpfs", 0, nullptr) == 0, folder);
}

}  // namespace

Hosts::Hosts(std::unique_ptr<Network> network, const Options& options)
    : options_(options),
      root_(MakeRoot()),
      network_(std::move(network)),
      network_before_(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)),
      certificates_(testing::InTree("deploy/certificates.sh"), root_ + "/authority"),
      of_services_(
          rpc::MakeOwnCertificate({"storage", "selector", "model-store", "evaluator", "supervisor",
                                   "preprocess", "preprocess-worker", "trainer-server"})
              .value()) {
  const std::string tokens = root_ + "/tokens";
  EXPECT_TRUE(rpc::Tokens::Create(tokens).ok());
  for (const int host : {kMill, kEast, kWest}) MakeDisk(host, tokens);
  fs::create_directory(files());
  fs::create_directory(root_ + "/logs");
  network_->Enter(kMill);
  WriteConfig(kMill, "command", "127.0.0.1");
  for (const auto& [service, port] : kServices) Launch(kMill, service, port);
  for (const int host : {kEast, kWest}) {
    Launch(host, "trainer_server", kTrainerPort);
    if (options_.copies == 0) Launch(host, "preprocess_worker", kWorkerPort);
    for (int copy = 0; copy < options_.copies; ++copy) LaunchCopy(host, copy);
  }
  is_complete_ = AwaitMembers();
}

Hosts::~Hosts() {
  for (const pid_t service : services_) kill(service, SIGKILL);
  for (const pid_t service : services_) waitpid(service, nullptr, 0);
  TIDEMILL_CHECK(setns(network_before_, CLONE_NEWNET) == 0);
  close(network_before_);
  fs::remove_all(root_);
}

std::string Hosts::DiskOf(int host) const { return root_ + "/" + NameOf(host); }

void Hosts::MakeDisk(int host, const std::string& tokens) const {
  const std::string disk = DiskOf(host);
  fs::create_directory(disk);
  if (options_.copies > 0) {
    Write(disk + "/own.pem", of_services_.certificate);
    Write(disk + "/own.key", of_services_.key);
    Write(disk + "/ca.pem", of_services_.certificate);
  } else {
    const rpc::TlsConfig tls = certificates_.Issue(NameOf(host));
    fs::copy(tls.certificate, disk + "/own.pem");
    fs::copy(tls.key, disk + "/own.key");
    fs::copy(tls.ca, disk + "/ca.pem");
  }
  fs::copy(tokens, disk + "/tokens");
  std::string names = "127.0.0.1 localhost\n";
  for (const int other : {kMill, kEast, kWest}) {
    names += fmt::format("{} {}\n", Network::AddressOf(other), NameOf(other));
  }
  Write(disk + "/names", names);
  Write(disk + "/boot_id", fmt::format("00000000-0000-0000-{:04}-{:012}\n", host, getpid()));
  WriteConfig(host, "services", NameOf(kMill));
}

std::string Hosts::WriteConfig(int host, const std::string& name, const std::string& mill) const {
  const std::string disk = DiskOf(host);
  std::string text = fmt::format(
      "cluster:\n  state_folder: {0}/state\n  token_file: {0}/tokens\n"
      "  tls: {{certificate: {0}/own.pem, key: {0}/own.key, ca: {0}/ca.pem, client_ca: "
      "{0}/ca.pem, verify: {1}}}\n",
      disk, options_.copies > 0 ? "service" : "host");
  if (host == kMill) text += fmt::format("  database: \"{}\"\n", database_.connection_string());
  text += "  endpoints:\n";
  for (const auto& [service, port] : kServices) {
    text += fmt::format("    {}: \"{}:{}\"\n", service, mill, port);
  }
  if (host == kMill) {
    text += fmt::format("evaluator: {{endpoint: \"{}:50055\"}}\n", mill);
    text += fmt::format("storage: {{allowed_roots: [\"{}\"]}}\n", files());
    text += fmt::format("supervisor: {{member_timeout: {}ms}}\n", options_.member_timeout.count());
  } else {
    const std::string own = NameOf(host);
    text += fmt::format("trainer_server: {{endpoint: \"{}:{}\"}}\n", own, kTrainerPort);
    text += options_.copies > 0
                ? "preprocess_worker: {threads: 1}\n"
                : fmt::format("preprocess_worker: {{endpoint: \"{}:{}\"}}\n", own, kWorkerPort);
  }
  const std::string path = fmt::format("{}/{}.yaml", disk, name);
  Write(path, text);
  return path;
}

bool Hosts::ArePossible() {
  const pid_t child = fork();
  if (child == 0) {
    HaveOwnMounts();
    BindOver("/proc/version", kBootId);
    HideBehindNothing("/dev/shm");
    _exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && status == 0;
}

void Hosts::Become(int host) const {
  network_->Enter(host);
  HaveOwnMounts();
  const std::string name = NameOf(host);
  Require(sethostname(name.c_str(), name.size()) == 0, "the host's name");
  const std::string disk = DiskOf(host);
  BindOver(disk + "/names", "/etc/hosts");
  BindOver(disk + "/boot_id", kBootId);
  HideBehindNothing("/dev/shm");
  for (const int other : {kMill, kEast, kWest}) {
    if (other != host) HideBehindNothing(DiskOf(other).c_str());
  }
}

void Hosts::Launch(int host, const std::string& service, int port) {
  std::string program = "tidemill-" + service;
  std::replace(program.begin(), program.end(), '_', '-');
  ServiceCommand command{
      .program = program,
      .config = DiskOf(host) + "/services.yaml",
      .log = fmt::format("{}/logs/{}-{}.log", root_, NameOf(host), service),
      .listen = fmt::format("{}:{}", host == kMill ? "0.0.0.0" : Network::AddressOf(host), port),
      .prepare = [this, host] { Become(host); }};
  if (service == "trainer_server") command.environment = options_.trainers;
  services_.push_back(StartService(command));
}

void Hosts::LaunchCopy(int host, int copy) {
  services_.push_back(StartService(
      {.program = "tidemill-preprocess-worker",
       .config = DiskOf(host) + "/services.yaml",
       .log = fmt::format("{}/logs/{}-preprocess_worker-{}.log", root_, NameOf(host), copy),
       .listen = "0.0.0.0:0",
       .prepare = [this, host] { Become(host); }}));
}

CommandResult Hosts::Tidemill(std::vector<std::string> words) const {
  return Begin(std::move(words))->Result();
}

std::unique_ptr<RunningCommand> Hosts::Begin(std::vector<std::string> words) const {
  words.insert(words.end(), {"--config", DiskOf(kMill) + "/command.yaml"});
  return std::make_unique<RunningCommand>(words, std::map<std::string, std::string>(), root_);
}

nlohmann::json Hosts::Pool() const {
  const CommandResult listed = Tidemill({"trainers", "list", "--json"});
  EXPECT_EQ(listed.exit_code, 0) << listed.err << Logs();
  return listed.Json();
}

int Hosts::TrainingHost() const {
  const nlohmann::json pool = Pool();
  for (const auto& placement : pool.at("running")) {
    if (placement.at("stage") != "train") continue;
    const std::string member = placement.at("member");
    if (member.starts_with(NameOf(kEast))) return kEast;
    EXPECT_TRUE(member.starts_with(NameOf(kWest))) << member;
    return kWest;
  }
  return -1;
}

bool Hosts::HasFilesOf(int host, int64_t run) const {
  return fs::exists(fmt::format("{}/state/trainer_server/runs/{}", DiskOf(host), run));
}

bool Hosts::AwaitMembers() const {
  constexpr size_t kMembers = 3;  // Two trainer servers and an evaluator.
  for (int look = 0; look < 300; ++look) {
    const CommandResult listed = Tidemill({"trainers", "list", "--json"});
    if (listed.exit_code == 0 && listed.Json().at("members").size() == kMembers) return true;
    usleep(100'000);
  }
  return false;
}

rpc::Peer Hosts::PeerOf(const std::string& service) const {
  const std::string disk = DiskOf(kMill);
  const auto tls = rpc::ReadTls(
      {.certificate = disk + "/own.pem",
       .key = disk + "/own.key",
       .ca = disk + "/ca.pem",
       .client_ca = {},
       .verify = options_.copies > 0 ? rpc::VerifiedName::kService : rpc::VerifiedName::kHost});
  const auto tokens = rpc::Tokens::Read(disk + "/tokens");
  for (const auto& [name, port] : kServices) {
    if (name != service) continue;
    return {.endpoint = fmt::format("127.0.0.1:{}", port),
            .token = tokens.value().TokenOf(rpc::v1::ROLE_SERVICE).value(),
            .tls = tls.value(),
            .service = service};
  }
  ADD_FAILURE() << service;
  return {};
}

std::string Hosts::Logs() const {
  std::string text;
  for (const auto& entry : fs::directory_iterator(root_ + "/logs")) {
    const std::string log = files::Read(entry.path()).value_or("");
    text += fmt::format("--- {}\n{}", entry.path().filename().string(),
                        log.substr(log.size() > 3'000 ? log.size() - 3'000 : 0));
  }
  return text;
}

}  // namespace tidemill::tests
