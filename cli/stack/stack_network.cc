#include "cli/stack/stack_network.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/descriptor.h"
#include "base/files.h"
#include "cli/stack/session.h"
#include "config/config.h"
#include "rpc/access/own_certificate.h"
#include "rpc/members/own_name.h"

namespace tidemill::cli {
namespace {

// What members need on other hosts.
constexpr const char* kReached[] = {"storage",    "selector",  "model_store",
                                    "preprocess", "evaluator", "supervisor"};

struct MembersConfigFile {
  rpc::ClusterConfig cluster;
  void Fields(auto&& field) { field("cluster", cluster, "What all services share."); }
};

// A port that is free now. The system gives it to no other process for a while.
absl::StatusOr<int> FreePort() {
  const Descriptor probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(probe.number(), any, size) != 0 || getsockname(probe.number(), any, &size) != 0) {
    return Unavailable("there is no free port: {}", std::strerror(errno));
  }
  return ntohs(address.sin_port);
}

std::string CertificateFile(const StackLayout& layout, const char* name) {
  return files::Join(layout.state_folder, std::string("certificates/own.") + name);
}

absl::Status MakeCertificate(const StackLayout& layout) {
  const std::string certificate = CertificateFile(layout, "pem");
  if (std::filesystem::exists(certificate)) return absl::OkStatus();
  std::vector<std::string> names;
  for (std::string service : kServices) {
    std::replace(service.begin(), service.end(), '_', '-');
    names.push_back(service);
  }
  ASSIGN_OR_RETURN(const rpc::OwnCertificate own, rpc::MakeOwnCertificate(names));
  RETURN_IF_ERROR(files::CreateFolder(files::Join(layout.state_folder, "certificates")));
  RETURN_IF_ERROR(files::WriteAtomically(CertificateFile(layout, "key"), own.key));
  return files::WriteAtomically(certificate, own.certificate);
}

bool ReachesOtherHosts(const engine::EngineConfig& engine) {
  return engine.backend.type() != "local";
}

}  // namespace

absl::StatusOr<std::optional<engine::EngineConfig>> EngineOf(const StackLayout& layout) {
  const auto text = files::Read(layout.ConfigFile(), kMaxConfigBytes);
  if (absl::IsNotFound(text.status())) return std::nullopt;
  RETURN_IF_ERROR(text.status());
  if (!engine::HasEngine(*text)) return std::nullopt;
  ASSIGN_OR_RETURN(auto engine,
                   config::ReadSection<engine::EngineConfig>(*text, layout.ConfigFile(), "engine"));
  return engine;
}

std::vector<std::string> ServicesOf(const StackLayout& layout) {
  const auto engine = EngineOf(layout);
  const bool has_engine = engine.ok() && engine->has_value();
  std::vector<std::string> services;
  for (const std::string service : kServices) {
    if (has_engine && service == "preprocess_worker") continue;
    if (has_engine && service == "trainer_server" && (*engine)->trainers.most > 0) continue;
    services.push_back(service);
  }
  return services;
}

absl::Status JoinNetwork(const StackLayout& layout, const engine::EngineConfig& engine,
                         rpc::ClusterConfig& cluster) {
  if (!ReachesOtherHosts(engine)) return absl::OkStatus();
  if (engine.evaluators.most > 0) {
    return FailedPrecondition(
        "{}: engine.evaluators: evaluators need PostgreSQL, and that of `tidemill up` is reached "
        "on this host only; set `most: 0`",
        layout.ConfigFile());
  }
  RETURN_IF_ERROR(MakeCertificate(layout));
  cluster.tls.certificate = CertificateFile(layout, "pem");
  cluster.tls.key = CertificateFile(layout, "key");
  cluster.tls.ca = cluster.tls.certificate;
  cluster.tls.verify = rpc::VerifiedName::kService;
  const std::string host = engine.host.empty() ? rpc::HostName() : engine.host;
  for (const char* service : kReached) {
    std::string& address = cluster.network[service];
    const size_t colon = address.rfind(':');
    std::string port = colon == std::string::npos ? "" : address.substr(colon + 1);
    if (port.empty()) {
      ASSIGN_OR_RETURN(const int free, FreePort());
      port = std::to_string(free);
    }
    address = host + ":" + port;
  }
  return absl::OkStatus();
}

absl::Status WriteMembersConfig(const StackLayout& layout, const rpc::ClusterConfig& cluster,
                                const std::string& kept) {
  if (cluster.network.empty()) return absl::OkStatus();
  MembersConfigFile members{.cluster = cluster};
  members.cluster.database.clear();
  members.cluster.endpoints = cluster.network;
  members.cluster.network.clear();
  members.cluster.state_folder = files::Join(layout.state_folder, "members");
  RETURN_IF_ERROR(files::CreateFolder(members.cluster.state_folder));
  RETURN_IF_ERROR(files::CreateFolder(files::Join(layout.state_folder, "engine")));
  return files::WriteAtomically(files::Join(layout.state_folder, engine::kMembersConfig),
                                config::Print(members) + kept);
}

}  // namespace tidemill::cli
