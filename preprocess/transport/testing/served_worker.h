// A worker that serves links, for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/threads/worker_pool.h"
#include "preprocess/transport/batch_link.h"
#include "preprocess/transport/frame_sender.h"
#include "preprocess/transport/ring_server.h"
#include "preprocess/transport/testing/test_batches.h"
#include "rpc/server.h"
#include "rpc/testing/token_folder.h"

namespace tidemill::preprocess::testing {

// Returns the description of a worker that serves in a folder.
v1::Worker DescribeWorker(const std::string& endpoint, const std::string& folder);
std::string RingSocketIn(const std::string& folder);

// Thread-compatible.
class ServedWorker {
 public:
  // When `listen` is empty, the worker has a UNIX socket of its own.
  explicit ServedWorker(const std::string& listen = "", const rpc::Tls& server_tls = nullptr);
  ~ServedWorker();

  // Opens a link to this worker for job 1.
  std::unique_ptr<BatchLink> Open(Transport transport, Received& received,
                                  const std::vector<int32_t>& lanes, LinkOptions options);
  std::unique_ptr<BatchLink> OpenWith(Transport transport, LinkHandler handler,
                                      const std::vector<int32_t>& lanes, LinkOptions options);
  // Returns the description that a dispatcher would give.
  v1::Worker Description() const;
  void Stop();
  // Serves only frames from now on, although its description has a ring.
  void StopRings() { rings_.reset(); }

  rpc::testing::TokenFolder folder;
  // The token that links show which are opened from now on.
  std::string token;
  rpc::Tls tls;
  TestOutboxes outboxes;

 private:
  WorkerPool pool_{"test.worker", 2};
  WorkerFace face_{outboxes, pool_};
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<RingServer> rings_;
  std::string endpoint_;
};

}  // namespace tidemill::preprocess::testing
