// The storage service as a separate process, with its own database and folders.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "db/testing/postgres.h"
#include "storage/client/storage_client.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::storage::testing {

struct StorageSettings {
  // More lines of the section `storage`, indented by two spaces.
  std::string section = {};
  // Folders besides data_folder() that datasets may be in.
  std::vector<std::string> allowed_roots = {};
  // Environment variables, "NAME=value". They override those of the test.
  std::vector<std::string> variables = {};
  // Whether to serve on a free port of loopback instead of a UNIX socket.
  bool tcp = false;
  std::string block_bytes = "64KiB";
  // Where its folders are.
  std::string root = "/tmp";
};

// Runs the program tidemill-storage, which must be beside the test program. Thread-compatible. The
// destructor ends the process and removes its folders.
class StorageProcess {
 public:
  explicit StorageProcess(StorageSettings settings = {});
  ~StorageProcess();
  StorageProcess(const StorageProcess&) = delete;
  StorageProcess& operator=(const StorageProcess&) = delete;

  // A folder that datasets may be in.
  std::string data_folder() const { return folder_ + "/data"; }
  // storage's own folder.
  std::string storage_folder() const { return folder_ + "/state/storage"; }
  // 0 while it does not run.
  pid_t process() const { return process_; }
  const std::string& connection_string() const { return database_.connection_string(); }

  // Starts it with these failpoints armed. Its clients wait until it serves.
  void Start(const std::string& failpoints = "");
  // Does kill -9, and waits for the end.
  void Kill();
  // Waits until the process ends.
  void AwaitEnd();

  StorageClient ClientAs(rpc::v1::Role role) const { return StorageClient(PeerAs(role)); }
  rpc::Peer PeerAs(rpc::v1::Role role) const;

 private:
  db::testing::TestDatabase database_;
  const StorageSettings settings_;
  const std::string folder_;  // A short path, because a socket is in it.
  const std::string endpoint_;
  pid_t process_ = 0;
};

}  // namespace tidemill::storage::testing
