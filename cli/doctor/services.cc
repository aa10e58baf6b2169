#include "cli/doctor/services.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "cli/doctor/machine.h"
#include "cli/stack/device_text.h"
#include "cli/stack/doctor_processes.h"
#include "cli/terminal/text.h"
#include "config/config.h"
#include "db/database.h"
#include "db/migrations.h"
#include "db/server_facts.h"
#include "evaluator/migrations.h"
#include "model_store/client/model_store_client.h"
#include "model_store/migrations.h"
#include "preprocess/client/scaling_client.h"
#include "rpc/service_main.h"
#include "selector/migrations.h"
#include "storage/client/storage_client.h"
#include "storage/migrations.h"
#include "supervisor/migrations.h"
#include "supervisor_client/pool_client.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPatience{2'000};

double MillisSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Asks a service something that needs its database; OK for services that operators may not call.
absl::Status Ask(const rpc::Peer& peer, const std::string& service) {
  const auto channel = rpc::Connect(peer);
  if (!channel->WaitForConnected(std::chrono::system_clock::now() + kPatience)) {
    return Unavailable("does not answer at {}", peer.endpoint);
  }
  if (service == "storage") {
    return storage::StorageClient(peer).ListDatasets().status();
  }
  if (service == "supervisor") {
    return supervisor::SupervisorClient(peer).ListPipelines("").status();
  }
  if (service == "model_store") {
    // No run's: the answer is short.
    return model_store::ModelStoreClient(peer).ListModels(RunId{-1}).status();
  }
  return absl::OkStatus();
}

// How to bring a local service back: its keeper starts it again whenever it ends.
std::string FixOf(const StackLayout* layout, const std::string& service) {
  if (layout == nullptr) return fmt::format("docker-compose restart {}", service);
  const auto process = ProcessOf(*layout, service);
  if (!process) {
    return fmt::format("tidemill logs {} --level warn --lines 20 --state {}", service,
                       layout->state_folder);
  }
  return fmt::format("kill {} {}", process->state == 'T' ? "-CONT" : "-KILL", process->id);
}

struct Schema {
  const char* service;
  std::span<const db::Migration> migrations;
};

Findings ExamineMigrations(db::Database& database) {
  const Schema schemas[] = {{"storage", storage::Migrations()},
                            {"selector", selector::Migrations()},
                            {"model_store", model_store::Migrations()},
                            {"evaluator", evaluator::Migrations()},
                            {"supervisor", supervisor::Migrations()}};
  Findings findings;
  for (const Schema& schema : schemas) {
    const auto last = db::LastMigration(database, schema.service);
    const int known = schema.migrations.empty() ? 0 : schema.migrations.back().number;
    if (!last.ok()) {
      findings.push_back({"migrations", Health::kFail, std::string(last.status().message()),
                          "tidemill logs postgres --level warn"});
    } else if (last->value_or(0) > known) {
      findings.push_back({"migrations", Health::kFail,
                          fmt::format("the tables of {} are of a newer Tidemill ({} of {})",
                                      schema.service, **last, known),
                          "git pull && make build"});
    } else if (last->value_or(0) < known) {
      findings.push_back({"migrations", Health::kWarn,
                          fmt::format("the tables of {} are of an older Tidemill ({} of {})",
                                      schema.service, last->value_or(0), known),
                          "tidemill down && tidemill up"});
    }
  }
  if (findings.empty()) {
    findings.push_back(
        {"migrations", Health::kOk, "all tables are of this version of Tidemill", ""});
  }
  return findings;
}

Findings ExamineFacts(const db::ServerFacts& facts) {
  Findings findings;
  constexpr int kOldest = 150'000;
  if (facts.version < kOldest) {
    findings.push_back({"database", Health::kFail,
                        fmt::format("PostgreSQL {} is older than 15", facts.version / 10'000),
                        "apt-get install postgresql-15"});
  }
  for (const std::string& setting : facts.off) {
    findings.push_back({"database", Health::kFail,
                        fmt::format("{} is off: a power failure loses acknowledged work", setting),
                        fmt::format("psql -c \"ALTER SYSTEM SET {0} = on\" -c \"SELECT "
                                    "pg_reload_conf()\"",
                                    setting)});
  }
  if (facts.num_connections > facts.max_connections * 9 / 10) {
    findings.push_back({"database", Health::kWarn,
                        fmt::format("{} of {} connections are taken", facts.num_connections,
                                    facts.max_connections),
                        "psql -c \"ALTER SYSTEM SET max_connections = 400\" and start it again"});
  }
  return findings;
}

// A cluster that a version before 0.8 has made, or a server of the administrator.
Finding NoChecksums(const StackLayout* layout) {
  const std::string enable = "pg_checksums --enable --pgdata=";
  return {"database", Health::kWarn,
          "PostgreSQL keeps no checksums: a page that the disk has changed is not noticed",
          layout == nullptr
              ? "stop the server; " + enable + "FOLDER, with its data folder; start it again"
              : "tidemill down; as the owner of the folder: " + enable +
                    files::Join(layout->database_folder, "data") + "; tidemill up"};
}

// A stopped server would keep this one waiting for minutes. Keywords or a URI: both are allowed.
std::string Hasty(const std::string& connection_string) {
  if (connection_string.find("://") == std::string::npos) {
    return connection_string + " connect_timeout=2";
  }
  const bool has_more = connection_string.find('?') != std::string::npos;
  return connection_string + (has_more ? "&" : "?") + "connect_timeout=2";
}

// A stopped server keeps callers waiting forever, a dead one is started again by the keeper.
Finding Unanswered(const absl::Status& status, const StackLayout* layout) {
  if (layout == nullptr) {
    return {"database", Health::kFail, std::string(status.message()),
            "docker-compose restart postgres"};
  }
  const auto text = files::Read(files::Join(layout->database_folder, "data/postmaster.pid"));
  const int id = text.ok() ? std::atoi(text->c_str()) : 0;
  for (const ProcessInfo& process : AllProcesses()) {
    if (process.id == id && process.state == 'T') {
      return {"database", Health::kFail, fmt::format("PostgreSQL's process {} is stopped", id),
              fmt::format("kill -CONT {}", id)};
    }
  }
  return {"database", Health::kFail, std::string(status.message()),
          fmt::format("tidemill down --state {0}; tidemill up --state {0}", layout->state_folder)};
}

// The bytes that the model store holds, by purpose. Empty when it does not report them, as an older
// store.
Findings ExamineStoredBytes(const Session& session) {
  rpc::Peer peer = session.PeerOf("model_store");
  peer.deadline = kPatience;
  const auto bytes = model_store::ModelStoreClient(peer).GetStoredBytes();
  if (!bytes.ok()) return {};
  const auto mib = [](int64_t count) { return static_cast<double>(count) / (1 << 20); };
  return {{"stored bytes", Health::kOk,
           fmt::format("{:.1f} MiB of models, {:.1f} MiB to continue jobs, {:.1f} MiB of files of "
                       "pipelines, {:.1f} MiB that nothing names yet",
                       mib(bytes->models()), mib(bytes->jobs()), mib(bytes->pipelines()),
                       mib(bytes->unnamed())),
           ""}};
}

}  // namespace

Finding ExamineService(const Session& session, const StackLayout* layout,
                       const std::string& service) {
  rpc::Peer peer = session.PeerOf(service);
  peer.deadline = kPatience;
  const auto begin = Clock::now();
  const absl::Status status = Ask(peer, service);
  if (status.ok()) {
    return {service, Health::kOk, fmt::format("answers in {:.1f} ms", MillisSince(begin)), ""};
  }
  std::string message(status.message());
  if (layout != nullptr) {
    if (const auto process = ProcessOf(*layout, service); !process) {
      message += "; it has no process, and its log says why";
    } else if (process->state == 'T') {
      message += fmt::format("; its process {} is stopped", process->id);
    }
  }
  return {service, Health::kFail, message, FixOf(layout, service)};
}

Findings ExamineServices(const Session& session, const StackLayout* layout) {
  Findings findings;
  for (const char* service : kServices) {
    if (session.PeerOf(service).endpoint.empty()) continue;  // Out of this side's reach.
    findings.push_back(ExamineService(session, layout, service));
    if (std::string_view(service) != "model_store" || findings.back().health != Health::kOk)
      continue;
    for (Finding& stored : ExamineStoredBytes(session)) findings.push_back(std::move(stored));
  }
  return findings;
}

// The engine's groups, and what it failed with.
Finding ExamineEngine(const rpc::v1::EngineGroup& group) {
  if (group.error().empty()) {
    return {"engine", Health::kOk,
            fmt::format("{}: {} {} wanted, {} there", group.backend(), group.wanted(), group.name(),
                        group.processes_size()),
            ""};
  }
  return {
      "engine", Health::kWarn,
      fmt::format("{} does not start or end {}: {}", group.backend(), group.name(), group.error()),
      "see `engine` in the system configuration, and docs/guides/scale.md"};
}

Findings ExamineEngines(const Session& session) {
  Findings findings;
  rpc::Peer dispatcher = session.PeerOf("preprocess");
  rpc::Peer supervisor = session.PeerOf("supervisor");
  dispatcher.deadline = supervisor.deadline = kPatience;
  if (!dispatcher.endpoint.empty()) {
    const auto scaling = preprocess::ScalingClient(dispatcher).Get(1);
    if (scaling.ok() && scaling->has_engine()) findings.push_back(ExamineEngine(scaling->engine()));
  }
  if (supervisor.endpoint.empty()) return findings;
  const auto pool = supervisor::PoolClient(supervisor).Get();
  if (!pool.ok()) return findings;
  for (const auto& group : pool->engines()) findings.push_back(ExamineEngine(group));
  return findings;
}

Findings ExaminePool(const Session& session) {
  rpc::Peer peer = session.PeerOf("supervisor");
  if (peer.endpoint.empty()) return {};
  peer.deadline = kPatience;
  const auto pool = supervisor::PoolClient(peer).Get();
  // ExamineServices() says that the supervisor does not answer.
  if (!pool.ok()) return {};
  Findings findings;
  int num_trainers = 0;
  int num_slots = 0;
  for (const supervisor::v1::Member& member : pool->members()) {
    if (member.state() == supervisor::v1::MEMBER_STATE_LOST) {
      findings.push_back({"pool", Health::kWarn,
                          fmt::format("{} at {} is lost: it {}", member.name(), member.endpoint(),
                                      member.lost_because()),
                          "start it again; it is forgotten after an hour"});
      continue;
    }
    if (member.kind() != supervisor::v1::MEMBER_KIND_TRAINER_SERVER) continue;
    ++num_trainers;
    for (const auto& slot : member.offer().slots()) {
      if (slot.device() != "fit") num_slots += slot.count();
    }
  }
  const std::string text = fmt::format(
      "trainer servers: {}, slots for trainings: {}, jobs that run: {}, jobs that wait: {}",
      num_trainers, num_slots, pool->running_size(), pool->waiting_size());
  const bool starts_trainers = std::ranges::any_of(
      pool->engines(), [](const auto& group) { return group.name() == "trainers"; });
  if (num_trainers == 0 && starts_trainers) {
    findings.push_back(
        {"pool", Health::kOk, "no trainer server runs; the engine starts one for a job", ""});
  } else if (num_trainers == 0) {
    findings.push_back({"pool", Health::kFail, "no trainer server is registered",
                        "tidemill logs trainer_server --level warn --lines 20"});
  } else {
    findings.push_back({"pool", Health::kOk, text, ""});
  }
  return findings;
}

Findings ExamineDevices(const Session& session) {
  rpc::Peer peer = session.PeerOf("supervisor");
  peer.deadline = kPatience;
  const auto devices = supervisor::SupervisorClient(peer).ListDevices();
  if (!devices.ok()) return {};
  Findings findings;
  for (const supervisor::v1::ServerSlots& server : devices->servers()) {
    const bool answers = server.error().empty();
    findings.push_back({"devices", answers ? Health::kOk : Health::kWarn,
                        server.server() + ": " + DescribeSlots(server),
                        answers ? "" : "tidemill doctor --service " + server.server()});
  }
  return findings;
}

Findings ExamineDatabase(const std::string& connection_string, const StackLayout* layout) {
  const auto begin = Clock::now();
  auto database = db::Database::Connect(Hasty(connection_string), kPatience);
  if (!database.ok()) return {Unanswered(database.status(), layout)};
  const auto facts = db::ReadServerFacts(**database);
  if (!facts.ok()) return {Unanswered(facts.status(), layout)};
  Findings findings = ExamineFacts(*facts);
  if (findings.empty()) {
    findings.push_back(
        {"database", Health::kOk,
         fmt::format("PostgreSQL {}.{} answers in {:.1f} ms; {:.1f} MB, {} of {} "
                     "connections",
                     facts->version / 10'000, facts->version % 10'000, MillisSince(begin),
                     static_cast<double>(facts->size_bytes) / 1e6, facts->num_connections,
                     facts->max_connections),
         ""});
  }
  if (!facts->has_checksums) findings.push_back(NoChecksums(layout));
  findings.push_back(JudgeClock("the database's clock", facts->time.micros - Now().micros));
  for (Finding& finding : ExamineMigrations(**database)) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace tidemill::cli
