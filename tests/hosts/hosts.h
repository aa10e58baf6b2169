// A stack on three hosts of one machine. Each has its own network, name, files and shared memory:
// what is on the disk of one of them does not exist for the programs of another one.
//
//   mill                                   east, west
//   PostgreSQL, storage, selector,         a trainer server, a preprocessing worker
//   model store, evaluator, dispatcher,
//   supervisor, and the `tidemill` command
//
// Services know each other by host names and certificates.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db/testing/postgres.h"
#include "rpc/access/own_certificate.h"
#include "rpc/channel.h"
#include "rpc/testing/certificates.h"
#include "tests/hosts/network.h"
#include "tests/stack.h"

namespace tidemill::tests {

inline constexpr int kMill = 0;
inline constexpr int kEast = 1;
inline constexpr int kWest = 2;

// The destructor kills the services. Thread-compatible; to be made and destroyed by one thread,
// which is on the network of the mill in the meantime.
class Hosts {
 public:
  struct Options {
    // After which a silent trainer server is lost.
    std::chrono::milliseconds member_timeout{10'000};
    // The environment of the trainer servers.
    std::map<std::string, std::string> trainers = {};
    // Workers on each of east and west that have one configuration, which names no address. 0: one
    // worker, at an address that is configured. Certificates then name services.
    int copies = 0;
  };

  // Whether a process of this machine may have its own mounts and host name.
  static bool ArePossible();

  Hosts(std::unique_ptr<Network> network, const Options& options);
  ~Hosts();
  Hosts(const Hosts&) = delete;
  Hosts& operator=(const Hosts&) = delete;

  // Whether all services have found one another.
  bool is_complete() const { return is_complete_; }
  Network& network() { return *network_; }

  // Commands on the mill.
  CommandResult Tidemill(std::vector<std::string> words) const;
  std::unique_ptr<RunningCommand> Begin(std::vector<std::string> words) const;
  // What `tidemill trainers list --json` says.
  nlohmann::json Pool() const;
  // Returns kEast or kWest: where a training runs now; -1 when none does.
  int TrainingHost() const;
  // Whether a host has files of a run.
  bool HasFilesOf(int host, int64_t run) const;
  // A service of the mill.
  rpc::Peer PeerOf(const std::string& service) const;

  // A folder on the mill that storage may read.
  std::string files() const { return DiskOf(kMill) + "/files"; }
  std::string Logs() const;

 private:
  std::string DiskOf(int host) const;
  // Writes a configuration to the disk of a host; returns its path. `others` are the addresses by
  // which the services of the mill are reached.
  std::string WriteConfig(int host, const std::string& name, const std::string& mill) const;
  void MakeDisk(int host, const std::string& tokens) const;
  // Moves the calling process to a host.
  void Become(int host) const;
  void Launch(int host, const std::string& service, int port);
  void LaunchCopy(int host, int copy);
  bool AwaitMembers() const;

  const Options options_;
  const std::string root_;
  const std::unique_ptr<Network> network_;
  const int network_before_;
  const db::testing::TestDatabase database_;
  const rpc::testing::Certificates certificates_;
  const rpc::OwnCertificate of_services_;
  std::vector<pid_t> services_;
  bool is_complete_ = false;
};

}  // namespace tidemill::tests
