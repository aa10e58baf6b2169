// A service for service_main_test.cc: serves one gRPC service that knows no method's answer.
#include <cstdio>

#include "rpc/service_main.h"
#include "tidemill/selector/v1/selector.grpc.pb.h"

namespace tidemill::rpc {
namespace {

class TestService : public RunningService {
 public:
  std::vector<grpc::Service*> Faces() override { return {&face_}; }

 private:
  selector::v1::SelectorService::Service face_;
};

// Tells that objects of static storage are destroyed, which gRPC's threads may still use.
struct Teller {
  ~Teller() { std::fputs("static objects are destroyed\n", stderr); }
};
const Teller kTeller;

}  // namespace
}  // namespace tidemill::rpc

int main(int argc, char** argv) {
  return tidemill::rpc::ServiceMain(
      argc, argv, "selector",
      [](const tidemill::rpc::ServiceContext&)
          -> absl::StatusOr<std::unique_ptr<tidemill::rpc::RunningService>> {
        return std::make_unique<tidemill::rpc::TestService>();
      });
}
