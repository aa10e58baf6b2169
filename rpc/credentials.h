// How the two ends of a connection trust the wire between them.
//
// UNIX sockets use gRPC's local credentials: the kernel is the wire. TCP is encrypted and verified
// by certificates where there are any (tls.h). Without, loopback is local too, and any other
// address is encrypted with a certificate that the server makes at start and nobody verifies, which
// keeps listeners out but not an active attacker: hence the `insecure` switch that it needs.
#pragma once

#include <memory>
#include <string>

#include "grpcpp/security/credentials.h"
#include "grpcpp/security/server_credentials.h"

#include "base/status.h"
#include "rpc/address.h"
#include "rpc/tls.h"

namespace tidemill::rpc {

// Never fails: what an address that does not parse is given fails to connect.
std::shared_ptr<grpc::ChannelCredentials> ChannelCredentialsFor(const std::string& endpoint,
                                                                const Tls& tls);

// FAILED_PRECONDITION when `tls` holds no certificate to show; INTERNAL when none can be made.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> ServerCredentialsFor(
    const Address& address, const Tls& tls);

}  // namespace tidemill::rpc
