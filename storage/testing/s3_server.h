// An object store for tests: OpenStack Swift, which speaks S3 and checks signatures.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "storage/filesystems/object_store_config.h"

namespace tidemill::storage::testing {

// A process on loopback, as the current user, with its disk in a folder of /tmp. Aborts the test
// program when it cannot be started. Thread-compatible. The destructor ends it and removes its
// folder.
class S3Server {
 public:
  static constexpr char kAccessKey[] = "test:tester";
  static constexpr char kSecret[] = "wJalr/K7MDENG+of/the=tests";

  // Starts it with an empty bucket.
  explicit S3Server(std::string bucket);
  ~S3Server();
  S3Server(const S3Server&) = delete;
  S3Server& operator=(const S3Server&) = delete;

  int port() const { return port_; }
  std::string endpoint() const;
  // The same with TLS. Only the file of its certificate vouches for it.
  std::string tls_endpoint() const;
  std::string certificate_file() const;
  // Returns how to reach it, with the secret.
  ObjectStoreConfig Config() const;

  void Put(const std::string& key, std::string_view bytes) const;
  // Puts many objects at a time.
  void PutAll(const std::vector<std::string>& keys, std::string_view bytes) const;
  void Remove(const std::string& key) const;

  // Does kill -9. What was put stays.
  void Kill();
  // Starts it at the same address, with what was put.
  void Start();

 private:
  void Send(const char* method, const std::string& target, std::string_view bytes) const;

  const std::string bucket_;
  const std::string folder_;
  pid_t process_ = 0;
  int port_ = 0;
};

}  // namespace tidemill::storage::testing
