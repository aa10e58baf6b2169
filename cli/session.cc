#include "cli/session.h"

#include "rpc/tokens.h"

namespace tidemill::cli {

absl::StatusOr<Session> Session::Attach(const std::string& state_folder) {
  Session session;
  ASSIGN_OR_RETURN(session.layout_, LayoutOf(state_folder));
  if (!KeeperOf(session.layout_)) {
    return Unavailable("no stack runs in {}", session.layout_.state_folder);
  }
  RETURN_IF_ERROR(CheckOwner(session.layout_.sockets_folder));
  ASSIGN_OR_RETURN(const auto tokens, rpc::Tokens::Read(session.layout_.TokenFile()));
  ASSIGN_OR_RETURN(session.token_, tokens.TokenOf(rpc::v1::ROLE_OPERATOR));
  return session;
}

absl::StatusOr<Session> Session::AttachOrStart(const std::string& state_folder) {
  ASSIGN_OR_RETURN(const StackLayout layout, LayoutOf(state_folder));
  const bool running = KeeperOf(layout).has_value();
  RETURN_IF_ERROR(StartStack(layout));
  ASSIGN_OR_RETURN(Session session, Attach(layout.state_folder));
  session.started_ = !running;
  return session;
}

rpc::Peer Session::PeerOf(const std::string& service) const {
  return {.endpoint = layout_.EndpointOf(service), .token = token_};
}

}  // namespace tidemill::cli
