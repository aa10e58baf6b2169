#include "rpc/access/address.h"

#include <sys/un.h>

#include <charconv>
#include <string_view>

namespace tidemill::rpc {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";

absl::StatusOr<Address> ParseUnix(const std::string& endpoint) {
  Address address;
  address.path = endpoint.substr(kUnixPrefix.size());
  if (address.path.empty() || address.path.front() != '/') {
    return InvalidArgument("endpoint {} does not name an absolute path", endpoint);
  }
  constexpr size_t kMax = sizeof(sockaddr_un::sun_path) - 1;
  if (address.path.size() > kMax) {
    return InvalidArgument("endpoint {} is longer than the {} bytes a socket's path may have",
                           endpoint, kMax);
  }
  return address;
}

}  // namespace

absl::StatusOr<Address> ParseAddress(const std::string& endpoint) {
  if (endpoint.starts_with(kUnixPrefix)) return ParseUnix(endpoint);
  const size_t colon = endpoint.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    return InvalidArgument("endpoint \"{}\" is neither unix:/path nor host:port", endpoint);
  }
  Address address;
  address.host = endpoint.substr(0, colon);
  if (address.host.size() > 2 && address.host.front() == '[' && address.host.back() == ']') {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  const char* const end = endpoint.data() + endpoint.size();
  const auto [rest, error] = std::from_chars(endpoint.data() + colon + 1, end, address.port);
  if (error != std::errc() || rest != end || address.port < 0 || address.port > 65'535) {
    return InvalidArgument("endpoint \"{}\" has no port from 0 to 65535", endpoint);
  }
  const bool loopback = address.host == "localhost" || address.host == "::1" ||
                        (address.host.starts_with("127.") &&
                         address.host.find_first_not_of("0123456789.") == std::string::npos);
  address.kind = loopback ? Address::Kind::kLoopback : Address::Kind::kNetwork;
  return address;
}

std::string FormatAddress(const Address& address) {
  if (address.kind == Address::Kind::kUnix) return fmt::format("unix:{}", address.path);
  const bool v6 = address.host.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(v6 ? "[{}]:{}" : "{}:{}"), address.host, address.port);
}

}  // namespace tidemill::rpc
