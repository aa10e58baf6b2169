#include "cli/doctor/doctor.h"

#include <cstdlib>
#include <iterator>

#include "base/files.h"
#include "cli/doctor/datasets.h"
#include "cli/doctor/machine.h"
#include "cli/doctor/plugins.h"
#include "cli/doctor/services.h"
#include "cli/stack/doctor_processes.h"
#include "config/config.h"
#include "rpc/service_main.h"

namespace tidemill::cli {
namespace {

void Append(Findings more, Findings& findings) {
  std::move(more.begin(), more.end(), std::back_inserter(findings));
}

// The section that a local stack has written, or that a remote one's --config names.
absl::StatusOr<rpc::ClusterConfig> ReadCluster(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, files::Read(path, kMaxConfigBytes));
  return config::ReadSection<rpc::ClusterConfig>(text, path, "cluster");
}

Findings ExamineRemote(const StackAddress& address) {
  Findings findings = ExaminePrograms();
  const auto session = Session::Attach(address);
  if (!session.ok()) {
    findings.push_back({"stack", Health::kFail, std::string(session.status().message()),
                        "tidemill doctor --config FILE, with the configuration of the services"});
  }
  if (!address.config.empty()) {
    if (const auto cluster = ReadCluster(address.config); cluster.ok()) {
      Append(ExamineTls(cluster->tls), findings);
      if (!cluster->database.empty()) Append(ExamineDatabase(cluster->database, nullptr), findings);
    }
  } else {
    Append(ExamineTls({.certificate = address.tls_certificate,
                       .key = address.tls_key,
                       .ca = address.tls_ca,
                       .client_ca = {}}),
           findings);
  }
  if (session.ok()) {
    Append(ExamineServices(*session, nullptr), findings);
    Append(ExaminePool(*session), findings);
    Append(ExamineEngines(*session), findings);
    Append(ExamineDevices(*session), findings);
    Append(ExamineDatasets(*session), findings);
  }
  return findings;
}

// Returns the settings of the stack, or the defaults without a configuration.
plugin::HostSettings SettingsOfPlugins(const StackLayout& layout) {
  const auto cluster = ReadCluster(layout.ConfigFile());
  return plugin::HostSettings::OfThisProcess(cluster.ok() ? cluster->plugins
                                                          : plugin::HostSettings());
}

Finding ExamineAlone(const StackAddress& address, const std::string& service) {
  const auto session = Session::Attach(address);
  if (!session.ok()) {
    return {"stack", Health::kFail, std::string(session.status().message()), "tidemill doctor"};
  }
  return ExamineService(*session, session->remote() ? nullptr : &session->layout(), service);
}

}  // namespace

Findings Examine(const StackAddress& given, const std::string& service) {
  const auto known = WithEnvironment(given);
  if (!known.ok()) {
    return {{"environment", Health::kFail, std::string(known.status().message()), "env"}};
  }
  const StackAddress& address = *known;
  if (!service.empty()) return {ExamineAlone(address, service)};
  if (!address.config.empty() || !address.server.empty()) return ExamineRemote(address);
  Findings findings = ExaminePrograms();
  Append(ExamineMachine(), findings);
  const auto layout = LayoutOf(address.state);
  if (!layout.ok()) {
    findings.push_back({"state folder", Health::kFail, std::string(layout.status().message()),
                        "tidemill up --state FOLDER, with a folder that this user can make"});
    return findings;
  }
  Append(ExamineStateFolder(layout->state_folder), findings);
  Append(ExamineProcesses(*layout), findings);
  Append(ExamineDataRoots(*layout), findings);
  findings.push_back(ExaminePlugins(SettingsOfPlugins(*layout)));
  if (!KeeperOf(*layout)) return findings;
  if (const auto cluster = ReadCluster(layout->ConfigFile()); cluster.ok()) {
    Append(ExamineTls(cluster->tls), findings);
    Append(ExamineDatabase(cluster->database, &*layout), findings);
  }
  if (const auto session = Session::Attach(address); session.ok()) {
    Append(ExamineServices(*session, &*layout), findings);
    Append(ExaminePool(*session), findings);
    Append(ExamineEngines(*session), findings);
    Append(ExamineDevices(*session), findings);
    Append(ExamineDatasets(*session), findings);
  }
  return findings;
}

}  // namespace tidemill::cli
