#include "preprocess/transport/grpc_lifetime.h"

#include "grpc/grpc.h"

namespace tidemill::preprocess {

void KeepGrpc() {
  [[maybe_unused]] static const bool kept = [] {
    grpc_init();
    return true;
  }();
}

}  // namespace tidemill::preprocess
