// The credentials with which the two ends of a connection trust each other.
//
// UNIX sockets use gRPC's local credentials, because the kernel connects both ends. TCP is
// encrypted and verified by certificates if there are any (tls.h). Without certificates, loopback
// is local, too. Any other address is then encrypted with a certificate that the server makes at
// start and no client verifies. That protects against eavesdroppers, but not against an active
// attacker. Therefore it needs the switch `insecure`.
#pragma once

#include <memory>
#include <string>

#include "grpcpp/security/credentials.h"
#include "grpcpp/security/server_credentials.h"

#include "base/status.h"
#include "rpc/access/address.h"
#include "rpc/access/tls.h"

namespace tidemill::rpc {

// Never fails: a connection to an address that does not parse fails later.
std::shared_ptr<grpc::ChannelCredentials> ChannelCredentialsFor(const std::string& endpoint,
                                                                const Tls& tls);

// FAILED_PRECONDITION when `tls` has no certificate to show. INTERNAL when credentials cannot be
// made.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> ServerCredentialsFor(
    const Address& address, const Tls& tls);

}  // namespace tidemill::rpc
