// The gRPC face of what the stack computes on. See devices.proto.
#pragma once

#include "supervisor/requests/supervisor.h"
#include "tidemill/supervisor/v1/devices.grpc.pb.h"

namespace tidemill::supervisor {

// Thread-safe.
class DeviceService final : public v1::DeviceService::Service {
 public:
  // `supervisor` must outlive this object.
  explicit DeviceService(Supervisor& supervisor) : supervisor_(supervisor) {}

  grpc::Status ListDevices(grpc::ServerContext*, const v1::ListDevicesRequest*,
                           v1::ListDevicesResponse* response) override {
    *response = supervisor_.ListDevices();
    return grpc::Status::OK;
  }

 private:
  Supervisor& supervisor_;
};

}  // namespace tidemill::supervisor
