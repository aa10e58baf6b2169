// Tells KEDA how many preprocessing workers are wanted, where KEDA starts and ends their pods.
//
//   KEDA, every few seconds          ExternalScaler                 the dispatcher
//     IsActive        ------------>  demand() -------------------->  wanted workers, jobs
//     GetMetrics      ------------>  wanted_workers: 3
//   Deployment preprocess-worker:    GetMetricSpec: one pod for each
//   3 pods
//
// KEDA knows no tokens of Tidemill. So it has another server, at its own address, which answers
// these questions and nothing else. It tells numbers of workers, and no caller can change anything.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "rpc/access/tls.h"

namespace tidemill::preprocess {

struct ScaleWanted {
  int64_t wanted_workers = 0;
  // While there are jobs, KEDA keeps at least one worker.
  bool has_jobs = false;
};

struct ScalerOptions {
  // host:port; port 0 picks a free one.
  std::string address;
  // Shown to KEDA, and, with a `client_ca`, asked of it. nullptr: only loopback is served.
  rpc::Tls tls = nullptr;
};

// Thread-safe. The destructor stops it.
class ExternalScaler {
 public:
  // The one metric, of which each worker takes care of 1.
  static constexpr char kMetric[] = "wanted_workers";
  // StreamIsActive looks so often whether anything has changed.
  static constexpr std::chrono::milliseconds kLook{200};
  // Calls of StreamIsActive at the same time, each of which holds a thread. KEDA makes one.
  static constexpr int kMaxStreams = 8;

  // `demand` is called by several threads, once for each question. UNAVAILABLE when the address is
  // taken. INVALID_ARGUMENT for one off loopback without `tls`.
  static absl::StatusOr<std::unique_ptr<ExternalScaler>> Start(const ScalerOptions& options,
                                                               std::function<ScaleWanted()> demand);
  virtual ~ExternalScaler() = default;

  // host:port, with the port that was picked.
  virtual const std::string& endpoint() const = 0;
};

}  // namespace tidemill::preprocess
