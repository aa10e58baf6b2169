#include "rpc/jobs/job_peers.h"

#include <filesystem>
#include <utility>

namespace tidemill::rpc {

absl::StatusOr<v1::Endpoints> EndpointsFor(const ServiceContext& context,
                                           std::initializer_list<std::string> needed,
                                           std::initializer_list<std::string> optional) {
  v1::Endpoints endpoints;
  for (const std::string& service : needed) {
    ASSIGN_OR_RETURN(Peer peer, context.PeerOf(service));
    (*endpoints.mutable_services())[service] = std::move(peer.endpoint);
  }
  for (const std::string& service : optional) {
    if (!context.cluster.endpoints.contains(service)) continue;
    ASSIGN_OR_RETURN(Peer peer, context.PeerOf(service));
    (*endpoints.mutable_services())[service] = std::move(peer.endpoint);
  }
  const TlsConfig& tls = context.cluster.tls;
  endpoints.mutable_tls()->set_certificate(tls.certificate);
  endpoints.mutable_tls()->set_key(tls.key);
  endpoints.mutable_tls()->set_ca(tls.ca);
  endpoints.mutable_tls()->set_verify_service(tls.verify == VerifiedName::kService);
  return endpoints;
}

absl::StatusOr<JobPeers> JobPeers::Open(const v1::Endpoints& endpoints) {
  JobPeers peers;
  peers.endpoints_ = endpoints;
  ASSIGN_OR_RETURN(peers.token_, CallToken::OfFile(endpoints.token_file()));
  ASSIGN_OR_RETURN(peers.tls_,
                   ReadTls({.certificate = endpoints.tls().certificate(),
                            .key = endpoints.tls().key(),
                            .ca = endpoints.tls().ca(),
                            .client_ca = {},
                            .verify = endpoints.tls().verify_service() ? VerifiedName::kService
                                                                       : VerifiedName::kHost}));
  return peers;
}

std::string JobPeers::TokenFolder() const {
  return std::filesystem::path(endpoints_.token_file()).parent_path().string();
}

absl::StatusOr<Peer> JobPeers::PeerOf(const std::string& service) const {
  const auto found = endpoints_.services().find(service);
  if (found == endpoints_.services().end()) {
    return FailedPrecondition("the job was given no endpoint for {}", service);
  }
  return Peer{.endpoint = found->second, .token = token_, .tls = tls_, .service = service};
}

}  // namespace tidemill::rpc
