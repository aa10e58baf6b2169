// The services that the process of a job speaks to: written down by the service that has the job
// done, opened by the process.
#pragma once

#include <initializer_list>
#include <string>

#include "base/status.h"
#include "rpc/channel.h"
#include "rpc/service_main.h"
#include "rpc/tls.h"
#include "tidemill/rpc/v1/endpoints.pb.h"

namespace tidemill::rpc {

// How a job of this service reaches `needed`, and those of `optional` that there are. Fails as
// ServiceContext::PeerOf().
absl::StatusOr<v1::Endpoints> EndpointsFor(const ServiceContext& context,
                                           std::initializer_list<std::string> needed,
                                           std::initializer_list<std::string> optional = {});

// What a job's endpoints name, with token and certificates read. A value.
class JobPeers {
 public:
  // Fails as Tokens::Read(), Tokens::TokenOf() and ReadTls().
  static absl::StatusOr<JobPeers> Open(const v1::Endpoints& endpoints);

  bool Has(const std::string& service) const { return endpoints_.services().contains(service); }

  // FAILED_PRECONDITION for a service that the job was not given.
  absl::StatusOr<Peer> PeerOf(const std::string& service) const;

 private:
  v1::Endpoints endpoints_;
  std::string token_;
  Tls tls_;
};

}  // namespace tidemill::rpc
