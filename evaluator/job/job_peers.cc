#include "evaluator/job/job_peers.h"

#include <string>

#include "rpc/tls.h"
#include "rpc/tokens.h"

namespace tidemill::evaluator {

absl::StatusOr<JobPeers> PeersOf(const v1::EvaluationJob& job) {
  ASSIGN_OR_RETURN(const rpc::Tokens tokens, rpc::Tokens::Read(job.token_file()));
  ASSIGN_OR_RETURN(const std::string token, tokens.TokenOf(rpc::v1::ROLE_SERVICE));
  ASSIGN_OR_RETURN(const rpc::Tls tls, rpc::ReadTls({.certificate = job.tls_certificate(),
                                                     .key = job.tls_key(),
                                                     .ca = job.tls_ca(),
                                                     .client_ca = {}}));
  return JobPeers{
      .storage = {.endpoint = job.storage_endpoint(), .token = token, .tls = tls},
      .model_store = {.endpoint = job.model_store_endpoint(), .token = token, .tls = tls}};
}

}  // namespace tidemill::evaluator
