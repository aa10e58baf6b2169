// The storage service as a process of its own, on a database and in folders of its own.
#pragma once

#include <sys/types.h>

#include <string>

#include "db/testing/postgres.h"
#include "storage/client/storage_client.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::storage::testing {

// Runs the program tidemill-storage that lies beside the test program. Thread-compatible. The
// destructor ends the process and removes its folders.
class StorageProcess {
 public:
  // `block_bytes`: small, so that tests see many blocks.
  explicit StorageProcess(const std::string& block_bytes = "64KiB");
  ~StorageProcess();
  StorageProcess(const StorageProcess&) = delete;
  StorageProcess& operator=(const StorageProcess&) = delete;

  // A folder that datasets may lie in.
  std::string data_folder() const { return folder_ + "/data"; }
  // storage's own folder.
  std::string storage_folder() const { return folder_ + "/state/storage"; }
  const std::string& connection_string() const { return database_.connection_string(); }

  // Starts it with these failpoints armed; its clients wait until it serves.
  void Start(const std::string& failpoints = "");
  // kill -9, and waits for the end.
  void Kill();
  // Waits for the process to end by itself.
  void AwaitEnd();

  StorageClient ClientAs(rpc::v1::Role role) const;

 private:
  db::testing::TestDatabase database_;
  const std::string folder_;  // Short, since a socket lies in it.
  pid_t process_ = 0;
};

}  // namespace tidemill::storage::testing
