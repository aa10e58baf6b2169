#include "rpc/access/own_address.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/descriptor.h"
#include "rpc/access/address.h"

namespace tidemill::rpc {
namespace {

// An address for documentation (RFC 5737), to which no packet is ever sent.
const Address& Elsewhere() {
  static const Address kElsewhere{
      .kind = Address::Kind::kNetwork, .path = {}, .host = "198.51.100.1", .port = 9};
  return kElsewhere;
}

// Returns the address from which this host reaches another one. A connected datagram socket has it,
// and sends nothing.
absl::StatusOr<std::string> AddressTowards(const Address& peer) {
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(peer.port);
  const int error = getaddrinfo(peer.host.c_str(), port.c_str(), &wanted, &found);
  if (error != 0) return Unavailable("host {}: {}", peer.host, gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, &freeaddrinfo);
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    const Descriptor probe(socket(each->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!probe.is_open()) continue;
    if (connect(probe.number(), each->ai_addr, each->ai_addrlen) != 0) continue;
    sockaddr_storage own = {};
    socklen_t size = sizeof(own);
    auto* const address = reinterpret_cast<sockaddr*>(&own);
    if (getsockname(probe.number(), address, &size) != 0) continue;
    char text[NI_MAXHOST] = {};
    if (getnameinfo(address, size, text, sizeof(text), nullptr, 0, NI_NUMERICHOST) == 0) {
      return std::string(text);
    }
  }
  return Unavailable("there is no route to {}: {}", peer.host, std::strerror(errno));
}

}  // namespace

absl::StatusOr<std::string> ChooseEndpoint(const std::string& service, const std::string& beside) {
  ASSIGN_OR_RETURN(const Address address, ParseAddress(beside));
  if (address.kind == Address::Kind::kUnix) {
    const std::string folder = address.path.substr(0, address.path.rfind('/'));
    return fmt::format("unix:{}/{}_{}", folder, service, getpid());
  }
  if (address.kind == Address::Kind::kLoopback) return std::string("127.0.0.1:0");
  return std::string("0.0.0.0:0");
}

absl::StatusOr<std::string> ReachableEndpoint(const std::string& listening,
                                              const std::string& peer) {
  ASSIGN_OR_RETURN(Address own, ParseAddress(listening));
  if (own.kind == Address::Kind::kUnix || (own.host != "0.0.0.0" && own.host != "::")) {
    return listening;
  }
  ASSIGN_OR_RETURN(const Address towards, ParseAddress(peer));
  if (towards.kind == Address::Kind::kUnix) {
    own.host = "127.0.0.1";
  } else {
    // Among containers, a name is known only while the other one runs.
    auto host = AddressTowards(towards);
    if (!host.ok()) host = AddressTowards(Elsewhere());
    if (!host.ok()) return Annotate(host.status(), "the address of this host is unknown");
    own.host = *std::move(host);
  }
  return FormatAddress(own);
}

}  // namespace tidemill::rpc
