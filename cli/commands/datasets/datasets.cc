#include <cstdio>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/time.h"
#include "cli/command_line/action.h"
#include "cli/command_line/deletion.h"
#include "cli/command_line/set_flag.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/datasets/commands.h"
#include "cli/commands/datasets/dataset_health.h"
#include "cli/commands/datasets/preparation.h"
#include "cli/commands/datasets/records.h"
#include "cli/commands/datasets/sample_deletion.h"
#include "cli/pipelines/dataset_registration.h"
#include "cli/results/ledger.h"
#include "cli/results/left_out.h"
#include "cli/stack/sync_note.h"
#include "cli/terminal/text.h"
#include "config/config.h"
#include "storage/client/left_out_text.h"
#include "storage/client/storage_client.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::cli {
namespace {

using storage::StorageClient;

struct DatasetsFlags {
  std::string name;
  std::string file;
  std::vector<std::string> set;
  SampleChoice samples;
  int64_t limit = 20;
  DeletionFlags deletion;
};

DatasetsFlags& FlagsOfDatasets() {
  static DatasetsFlags flags;
  return flags;
}

// The counts of a dataset's ledger. Each window of a series is a sample. No count has the rows
// before the first full window.
std::string_view CountedIn(const storage::v1::Dataset& dataset) {
  const auto spec = config::ReadKept<storage::DatasetSpec>(dataset.spec(), "dataset");
  return spec.ok() && spec->series ? "windows of the series" : "records";
}

nlohmann::ordered_json DatasetToJson(const storage::v1::Dataset& dataset) {
  nlohmann::ordered_json json = {{"dataset", dataset.name()},
                                 {"id", dataset.dataset_id()},
                                 {"superseded", dataset.superseded()},
                                 {"samples", dataset.num_samples()},
                                 {"files", dataset.num_files()},
                                 {"quarantined", dataset.num_quarantined()},
                                 {"deleted", dataset.num_deleted()},
                                 {"deleted_on_request", dataset.num_deleted_on_request()},
                                 {"left_out", dataset.left_out().num_records()},
                                 {"of", dataset.left_out().num_seen()},
                                 {"filtered", dataset.left_out().num_filtered()},
                                 {"unlabelled", dataset.left_out().num_unlabelled()},
                                 {"lost_bytes", dataset.left_out().lost_bytes()},
                                 {"of_bytes", dataset.left_out().num_bytes()},
                                 {"bad_samples", dataset.num_bad_samples()},
                                 {"ledger_of", CountedIn(dataset)},
                                 {"unreachable", dataset.unreachable()},
                                 {"ledger", LedgerToJson(dataset.ledger())}};
  if (dataset.has_first_event_time()) {
    json["first"] = FormatTimestamp({dataset.first_event_time()});
    json["last"] = FormatTimestamp({dataset.last_event_time()});
  }
  json["spec"] = dataset.spec();
  return json;
}

absl::StatusOr<storage::v1::Dataset> Get(const Session& session, const std::string& name) {
  return session.Ask(&StorageClient::GetDataset, name);
}

int ListDatasets(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto datasets = session.Ask(&StorageClient::ListDatasets);
    if (!datasets.ok()) return Report(datasets.status());
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    Table table({"DATASET", "SAMPLES", "FILES", "QUARANTINED", "DELETED", "FROM", "TO"});
    for (const storage::v1::Dataset& dataset : *datasets) {
      json.push_back(DatasetToJson(dataset));
      const bool some = dataset.has_first_event_time();
      table.Add({dataset.name(), WithThousands(dataset.num_samples()),
                 WithThousands(dataset.num_files()), WithThousands(dataset.num_quarantined()),
                 WithThousands(dataset.num_deleted()),
                 some ? FormatTimestampShort({dataset.first_event_time()}) : "-",
                 some ? FormatTimestampShort({dataset.last_event_time()}) : "-"});
    }
    fmt::print("{}", flags.json ? json.dump() + "\n" : table.ToString());
    return kDone;
  });
}

int ShowDataset(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto dataset = Get(session, FlagsOfDatasets().name);
    if (!dataset.ok()) return Report(dataset.status());
    const nlohmann::ordered_json json = DatasetToJson(*dataset);
    if (flags.json) {
      fmt::print("{}\n", json.dump());
      return kDone;
    }
    for (const auto& [key, value] : json.items()) {
      if (key == "spec" || key == "ledger" || key == "ledger_of") continue;
      fmt::print("{:<12} {}\n", key,
                 OneLine(value.is_string() ? value.get<std::string>() : value.dump()));
    }
    fmt::print("\n{}\n", DescribeLedger(dataset->ledger(), CountedIn(*dataset)));
    const int64_t num_former = dataset->num_deleted() - dataset->num_deleted_on_request();
    if (num_former > 0) {
      fmt::print(
          "{} earlier samples are not used any more: their records have changed or are gone\n",
          WithThousands(num_former));
    }
    const std::string left_out = storage::LeftOutText(dataset->left_out());
    if (!left_out.empty()) fmt::print("{}\n", Printable(left_out));
    if (dataset->num_bad_samples() > 0) {
      fmt::print("{} samples could not be used by trainings or evaluations\n",
                 WithThousands(dataset->num_bad_samples()));
    }
    fmt::print("\n{}", Printable(dataset->spec()));
    return kDone;
  });
}

int Register(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto requests =
        RegistrationsOf(FlagsOfDatasets().file, OverridesOf(FlagsOfDatasets().set), session);
    if (!requests.ok()) return Report(requests.status());
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const storage::v1::RegisterDatasetRequest& request : *requests) {
      const auto registered =
          session.Ask(&StorageClient::RegisterDataset, request.name(), request.spec(),
                      request.command(), storage::v1::ON_OTHER_SPEC_UNSPECIFIED);
      if (!registered.ok()) return Report(registered.status());
      json.push_back({{"dataset", request.name()},
                      {"id", registered->dataset_id()},
                      {"created", registered->created()}});
      if (!flags.json) {
        fmt::print("dataset {} {}\n", Printable(request.name()),
                   registered->created() ? "registered" : "was registered already");
      }
    }
    if (flags.json) fmt::print("{}\n", json.dump());
    return kDone;
  });
}

// A record that is written again with another label, or with any other change, is a new sample.
std::string ReplacedText(const storage::v1::SyncDatasetResponse& done,
                         const storage::v1::Dataset& now) {
  std::string text;
  const int64_t num_gone = done.num_deleted() - done.num_replaced();
  if (done.num_replaced() > 0) {
    text += fmt::format("{} samples were replaced now, because their records have changed\n",
                        WithThousands(done.num_replaced()));
  }
  if (num_gone > 0) {
    text += fmt::format("{} samples are gone now, because no file has their records any more\n",
                        WithThousands(num_gone));
  }
  const int64_t num_earlier = now.num_deleted() - now.num_deleted_on_request() - done.num_deleted();
  if (num_earlier > 0) {
    text += fmt::format("{} samples were replaced or gone before\n", WithThousands(num_earlier));
  }
  return text;
}

void PrintSync(const storage::v1::SyncDatasetResponse& done, const storage::v1::Dataset& now) {
  fmt::print("{} files, {} new samples, {} quarantined; the dataset has {} samples\n",
             WithThousands(done.num_files_done()), WithThousands(done.num_samples()),
             WithThousands(done.num_quarantined()), WithThousands(now.num_samples()));
  const std::string left_out = storage::LeftOutText(now.left_out());
  if (!left_out.empty()) fmt::print("{}\n", Printable(left_out));
  fmt::print("{}", ReplacedText(done, now));
  if (now.num_deleted_on_request() > 0) {
    fmt::print("{} samples were deleted on request\n", WithThousands(now.num_deleted_on_request()));
  }
  if (done.num_passed_over() > 0) {
    fmt::print("{} passed over, such as {}\n", WithThousands(done.num_passed_over()),
               OneLine(done.first_passed_over()));
  }
}

int Sync(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto dataset = Get(session, FlagsOfDatasets().name);
    if (!dataset.ok()) return Report(dataset.status());
    storage::v1::SyncDatasetResponse last;
    SyncNote note(flags.quiet);
    const auto synced =
        session.Follow(&StorageClient::SyncDataset, DatasetId{dataset->dataset_id()},
                       [&](const storage::v1::SyncDatasetResponse& message) {
                         note.Take(message);
                         last = message;
                       });
    if (!synced.ok()) return Report(synced.status());
    // The watcher may have been first, so what is new says little of what is there.
    auto now = Get(session, FlagsOfDatasets().name);
    if (!now.ok()) return Report(now.status());
    *now->mutable_left_out()->mutable_not_taken() = last.not_taken();
    if (flags.json) {
      const nlohmann::ordered_json json = {
          {"files", last.num_files_done()},
          {"samples", last.num_samples()},
          {"quarantined", last.num_quarantined()},
          {"deleted", last.num_deleted()},
          {"replaced", last.num_replaced()},
          {"deleted_on_request_in_all", now->num_deleted_on_request()},
          {"passed_over", last.num_passed_over()},
          {"samples_in_all", now->num_samples()},
          {"left_out", now->left_out().num_records()},
          {"of", now->left_out().num_seen()},
          {"filtered", now->left_out().num_filtered()},
          {"not_taken", NotTakenToJson(last.not_taken())}};
      fmt::print("{}\n", json.dump());
    } else {
      PrintSync(last, *now);
    }
    // By what is missing now, whichever look found it.
    return storage::AnyLost(now->left_out()) ? kPartial : kDone;
  });
}

int Quarantine(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto dataset = Get(session, FlagsOfDatasets().name);
    if (!dataset.ok()) return Report(dataset.status());
    const auto entries = session.Follow(&StorageClient::ListQuarantine,
                                        DatasetId{dataset->dataset_id()}, FlagsOfDatasets().limit);
    if (!entries.ok()) return Report(entries.status());
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    Table table({"FILE", "RECORD", "REASON"});
    int64_t num_listed = 0;
    for (const storage::v1::QuarantineEntry& entry : *entries) {
      num_listed += entry.is_remark() ? 0 : 1;
      const auto position = entry.has_position() ? nlohmann::ordered_json(entry.position())
                                                 : nlohmann::ordered_json(nullptr);
      json.push_back({{"file", entry.path()}, {"record", position}, {"reason", entry.reason()}});
      if (entry.has_sample_key()) json.back()["key"] = entry.sample_key();
      if (entry.is_remark()) json.back()["remark"] = true;
      const char* const whole = entry.is_remark() ? "-" : "all";
      table.Add({entry.path(), entry.has_position() ? std::to_string(entry.position()) : whole,
                 entry.reason()});
    }
    fmt::print("{}", flags.json ? json.dump() + "\n" : table.ToString());
    // Not on stdout where that is one JSON document.
    if (const int64_t more = dataset->num_quarantined() - num_listed; more > 0) {
      fmt::print(flags.json ? stderr : stdout, "and {} more; --limit 0 shows all\n",
                 WithThousands(more));
    }
    return kDone;
  });
}

// "dataset weather with 1,461 samples of 3 files, but not the files".
absl::StatusOr<std::string> WhatGoesWithDataset(const Session& session) {
  const auto dataset = Get(session, FlagsOfDatasets().name);
  if (absl::IsNotFound(dataset.status())) {
    return fmt::format("dataset {}, which does not exist", FlagsOfDatasets().name);
  }
  // An older version may have registered it so, and deleting it is what is left.
  if (absl::IsInvalidArgument(dataset.status())) {
    return fmt::format("dataset '{}' with all its samples, but not its files",
                       FlagsOfDatasets().name);
  }
  RETURN_IF_ERROR(dataset.status());
  return fmt::format("dataset {} with {} samples of {} files, but not the files",
                     FlagsOfDatasets().name, WithThousands(dataset->num_samples()),
                     WithThousands(dataset->num_files()));
}

int DeleteDataset(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const DatasetsFlags& wanted = FlagsOfDatasets();
    if (wanted.samples.is_given()) {
      const auto dataset = Get(session, wanted.name);
      if (!dataset.ok()) return Report(dataset.status());
      return DeleteSamples(flags, session, *dataset, wanted.samples, wanted.deletion);
    }
    const auto what = WhatGoesWithDataset(session);
    if (!what.ok()) return Report(what.status());
    if (const auto end = SettleDeletion(flags, FlagsOfDatasets().deletion, *what)) return *end;
    rpc::v1::Command command;
    command.set_request_id(rpc::NewRequestId());
    const auto deleted = session.Ask(&StorageClient::DeleteDataset, wanted.name, command);
    if (absl::IsDeadlineExceeded(deleted.status())) {
      return Report(DeadlineExceeded(
          "storage has not answered yet; a deletion that it has begun continues there: `tidemill "
          "datasets list` shows whether {} is gone",
          wanted.name));
    }
    if (!deleted.ok()) return Report(deleted.status());
    if (flags.json) {
      fmt::print("{}\n", nlohmann::ordered_json({{"existed", deleted->existed()}}).dump());
    } else {
      fmt::print("dataset {} {}; its files were not touched\n", Printable(FlagsOfDatasets().name),
                 deleted->existed() ? "deleted" : "did not exist");
    }
    return kDone;
  });
}

Command& AddDatasetVerb(Command& datasets, const std::string& verb,
                        const std::string& description) {
  Command& command = datasets.AddSubcommand(verb, description);
  command.AddOption("name", FlagsOfDatasets().name, "Dataset name").Required().TypeName("DATASET");
  return command;
}

}  // namespace

void AddDatasetsCommands(Command& app) {
  Command& datasets = app.AddSubcommand("datasets", "Datasets that storage watches");
  datasets.RequireSubcommand();
  Command& list = datasets.AddSubcommand("list", "List datasets");
  SetAction(list, ListDatasets);
  list.AddExample("tidemill datasets list");
  Command& show = AddDatasetVerb(datasets, "show", "Show a dataset's counts, times and spec");
  SetAction(show, ShowDataset);
  show.AddExample("tidemill datasets show elec2");
  Command& add = datasets.AddSubcommand(
      "register", "Register the datasets of a file with a `datasets:` section, such as a pipeline");
  add.AddOption("file", FlagsOfDatasets().file, "YAML file").Required().TypeName("FILE");
  AddSetFlag(add, FlagsOfDatasets().set);
  SetAction(add, Register);
  add.AddExample("tidemill datasets register pipeline.yaml");
  add.AddExample("tidemill datasets register pipeline.yaml --set datasets.elec2.settle=0s");
  Command& sync = AddDatasetVerb(datasets, "sync", "Ingest now whatever has changed");
  SetAction(sync, Sync);
  sync.AddExample("tidemill datasets sync elec2");
  Command& quarantine = AddDatasetVerb(
      datasets, "quarantine",
      "List the records that could not be ingested or used in a training, with the reasons");
  quarantine.AddOption("--limit", FlagsOfDatasets().limit, "At most this many lines; 0 for all")
      .NonNegative();
  SetAction(quarantine, Quarantine);
  quarantine.AddExample("tidemill datasets quarantine elec2 --limit 0");
  AddRecordsCommand(datasets);
  Command& remove = AddDatasetVerb(
      datasets, "delete",
      "Delete a dataset, or some of its samples, but never its files; asks at a terminal");
  AddDeletionFlags(remove, FlagsOfDatasets().deletion);
  AddSampleChoice(remove, FlagsOfDatasets().samples);
  SetAction(remove, DeleteDataset);
  remove.AddExample("tidemill datasets delete elec2 --dry-run");
  remove.AddExample("tidemill datasets delete elec2 --where \"user = 17\"");
  Command& prepare = AddDatasetVerb(
      datasets, "prepare",
      "Show up to which op of a graph its samples can be prepared once for all trainings, and what "
      "that brings; with --to, do it, or continue it");
  static PreparationFlags preparation;
  prepare
      .AddOption("--graph", preparation.graph,
                 "The pipeline file whose graph begins like those that will train")
      .Required()
      .TypeName("FILE");
  prepare.AddOption("--to", preparation.to, "The op: its type, or its place in the graph, from 1")
      .TypeName("OP");
  SetAction(prepare, [](const GlobalFlags& flags) {
    return PrepareDataset(flags, FlagsOfDatasets().name, preparation);
  });
  prepare.AddExample("tidemill datasets prepare photos --graph pipeline.yaml");
  prepare.AddExample("tidemill datasets prepare photos --graph pipeline.yaml --to resize");
  AddDatasetHealthCommands(datasets);
}

}  // namespace tidemill::cli
