// The services that the process of a job calls. The service that starts the job writes their
// endpoints into the job; the process opens them.
#pragma once

#include <initializer_list>
#include <string>

#include "base/status.h"
#include "rpc/access/tls.h"
#include "rpc/callers/call_token.h"
#include "rpc/channel.h"
#include "rpc/service_main.h"
#include "tidemill/rpc/v1/endpoints.pb.h"

namespace tidemill::rpc {

// Returns how a job of this service reaches `needed`, and the existing ones of `optional`, without
// a token (job_tokens.h). Returns the errors of ServiceContext::PeerOf().
absl::StatusOr<v1::Endpoints> EndpointsFor(const ServiceContext& context,
                                           std::initializer_list<std::string> needed,
                                           std::initializer_list<std::string> optional = {});

// The services of a job's endpoints, with token and certificates read. A value.
class JobPeers {
 public:
  // Returns the errors of CallToken::OfFile() and ReadTls().
  static absl::StatusOr<JobPeers> Open(const v1::Endpoints& endpoints);

  bool Has(const std::string& service) const { return endpoints_.services().contains(service); }

  // Returns the folder of the job's token, which a job that gives up its rights still has to read.
  std::string TokenFolder() const;

  // FAILED_PRECONDITION when the job was not given the service.
  absl::StatusOr<Peer> PeerOf(const std::string& service) const;

 private:
  v1::Endpoints endpoints_;
  CallToken token_;
  Tls tls_;
};

}  // namespace tidemill::rpc
