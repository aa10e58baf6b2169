#include "cli/commands/datasets.h"

#include <charconv>
#include <cstdio>
#include <sstream>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/time.h"
#include "cli/command_line/action.h"
#include "cli/command_line/deletion.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/dataset_health.h"
#include "cli/pipelines/dataset_registration.h"
#include "cli/terminal/text.h"
#include "storage/client/left_out_text.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"

namespace tidemill::cli {
namespace {

namespace v1 = storage::v1;
using Stub = v1::StorageService::Stub;

struct DatasetsFlags {
  std::string name;
  std::string file;
  std::string keys;
  int64_t limit = 20;
  DeletionFlags deletion;
};

DatasetsFlags& Flags() {
  static DatasetsFlags flags;
  return flags;
}

nlohmann::ordered_json DatasetToJson(const v1::Dataset& dataset) {
  nlohmann::ordered_json json = {{"dataset", dataset.name()},
                                 {"id", dataset.dataset_id()},
                                 {"samples", dataset.num_samples()},
                                 {"files", dataset.num_files()},
                                 {"quarantined", dataset.num_quarantined()},
                                 {"deleted", dataset.num_deleted()},
                                 {"left_out", dataset.left_out().num_records()},
                                 {"of", dataset.left_out().num_seen()},
                                 {"unlabelled", dataset.left_out().num_unlabelled()}};
  if (dataset.has_first_event_time()) {
    json["first"] = FormatTimestamp({dataset.first_event_time()});
    json["last"] = FormatTimestamp({dataset.last_event_time()});
  }
  json["spec"] = dataset.spec();
  return json;
}

absl::StatusOr<v1::Dataset> Get(const Session& session, const std::string& name) {
  v1::GetDatasetRequest request;
  request.set_name(name);
  v1::GetDatasetResponse response;
  RETURN_IF_ERROR(
      session.Call<v1::StorageService>("storage", &Stub::GetDataset, request, &response));
  return response.dataset();
}

int List(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    v1::ListDatasetsResponse response;
    const absl::Status status = session.Call<v1::StorageService>(
        "storage", &Stub::ListDatasets, v1::ListDatasetsRequest(), &response);
    if (!status.ok()) return Report(status);
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    Table table({"DATASET", "SAMPLES", "FILES", "QUARANTINED", "DELETED", "FROM", "TO"});
    for (const v1::Dataset& dataset : response.datasets()) {
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

int Show(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto dataset = Get(session, Flags().name);
    if (!dataset.ok()) return Report(dataset.status());
    const nlohmann::ordered_json json = DatasetToJson(*dataset);
    if (flags.json) {
      fmt::print("{}\n", json.dump());
      return kDone;
    }
    for (const auto& [key, value] : json.items()) {
      if (key == "spec") continue;
      fmt::print("{:<12} {}\n", key,
                 OneLine(value.is_string() ? value.get<std::string>() : value.dump()));
    }
    const std::string left_out = storage::LeftOutText(dataset->left_out());
    if (!left_out.empty()) fmt::print("\n{}\n", Printable(left_out));
    fmt::print("\n{}", Printable(dataset->spec()));
    return kDone;
  });
}

int Register(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto requests = RegistrationsOf(Flags().file, session);
    if (!requests.ok()) return Report(requests.status());
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const v1::RegisterDatasetRequest& request : *requests) {
      v1::RegisterDatasetResponse response;
      const absl::Status status =
          session.Call<v1::StorageService>("storage", &Stub::RegisterDataset, request, &response);
      if (!status.ok()) return Report(status);
      json.push_back({{"dataset", request.name()},
                      {"id", response.dataset_id()},
                      {"created", response.created()}});
      if (!flags.json) {
        fmt::print("dataset {} {}\n", Printable(request.name()),
                   response.created() ? "registered" : "was registered already");
      }
    }
    if (flags.json) fmt::print("{}\n", json.dump());
    return kDone;
  });
}

void PrintSync(const v1::SyncDatasetResponse& done, const v1::Dataset& now) {
  fmt::print("{} files, {} new samples, {} quarantined; the dataset has {} samples\n",
             WithThousands(done.num_files_done()), WithThousands(done.num_samples()),
             WithThousands(done.num_quarantined()), WithThousands(now.num_samples()));
  if (now.num_deleted() > 0) {
    fmt::print(
        "{} samples are gone because their records are gone, {} of them now; the samples of a "
        "renamed file are new samples\n",
        WithThousands(now.num_deleted()), WithThousands(done.num_deleted()));
  }
  if (done.num_passed_over() > 0) {
    fmt::print("{} passed over, such as {}\n", WithThousands(done.num_passed_over()),
               OneLine(done.first_passed_over()));
  }
}

int Sync(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto dataset = Get(session, Flags().name);
    if (!dataset.ok()) return Report(dataset.status());
    v1::SyncDatasetRequest request;
    request.set_dataset_id(dataset->dataset_id());
    v1::SyncDatasetResponse last;
    const absl::Status status = session.Stream<v1::StorageService, v1::SyncDatasetResponse>(
        "storage", &Stub::SyncDataset, request,
        [&](const v1::SyncDatasetResponse& message) { last = message; });
    if (!status.ok()) return Report(status);
    // The watcher may have been first, so what is new says little of what is there.
    const auto now = Get(session, Flags().name);
    if (!now.ok()) return Report(now.status());
    if (flags.json) {
      const nlohmann::ordered_json json = {
          {"files", last.num_files_done()},        {"samples", last.num_samples()},
          {"quarantined", last.num_quarantined()}, {"deleted", last.num_deleted()},
          {"passed_over", last.num_passed_over()}, {"samples_in_all", now->num_samples()}};
      fmt::print("{}\n", json.dump());
    } else {
      PrintSync(last, *now);
    }
    return last.num_quarantined() > 0 ? kPartial : kDone;
  });
}

int Quarantine(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto dataset = Get(session, Flags().name);
    if (!dataset.ok()) return Report(dataset.status());
    v1::ListQuarantineRequest request;
    request.set_dataset_id(dataset->dataset_id());
    request.set_limit(Flags().limit);
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    Table table({"FILE", "RECORD", "REASON"});
    const auto add = [&](const v1::ListQuarantineResponse& message) {
      const v1::QuarantineEntry& entry = message.entry();
      const auto position = entry.has_position() ? nlohmann::ordered_json(entry.position())
                                                 : nlohmann::ordered_json(nullptr);
      json.push_back({{"file", entry.path()}, {"record", position}, {"reason", entry.reason()}});
      if (entry.has_sample_key()) json.back()["key"] = entry.sample_key();
      table.Add({entry.path(), entry.has_position() ? std::to_string(entry.position()) : "all",
                 entry.reason()});
    };
    const absl::Status status = session.Stream<v1::StorageService, v1::ListQuarantineResponse>(
        "storage", &Stub::ListQuarantine, request, add);
    if (!status.ok()) return Report(status);
    fmt::print("{}", flags.json ? json.dump() + "\n" : table.ToString());
    // Not on stdout where that is one JSON document.
    if (const int64_t more = dataset->num_quarantined() - std::ssize(json); more > 0) {
      fmt::print(flags.json ? stderr : stdout, "and {} more; --limit 0 shows all\n",
                 WithThousands(more));
    }
    return kDone;
  });
}

absl::StatusOr<std::vector<int64_t>> ParseKeys(const std::string& text) {
  std::vector<int64_t> keys;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    int64_t key = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), key);
    if (error != std::errc() || end != word.data() + word.size()) {
      return InvalidArgument("'{}' is not a sample key", word);
    }
    keys.push_back(key);
  }
  return keys;
}

int DeleteSamples(const GlobalFlags& flags, const Session& session) {
  const auto dataset = Get(session, Flags().name);
  if (!dataset.ok()) return Report(dataset.status());
  const auto keys = ParseKeys(Flags().keys);
  if (!keys.ok()) return Report(keys.status());
  const std::string what = fmt::format("{} samples of dataset {}", keys->size(), Flags().name);
  if (const auto end = SettleDeletion(flags, Flags().deletion, what)) return *end;
  v1::DeleteSamplesRequest request;
  request.mutable_command()->set_request_id(rpc::NewRequestId());
  request.set_dataset_id(dataset->dataset_id());
  request.mutable_sample_keys()->Add(keys->begin(), keys->end());
  v1::DeleteSamplesResponse response;
  const absl::Status status =
      session.Call<v1::StorageService>("storage", &Stub::DeleteSamples, request, &response);
  if (!status.ok()) return Report(status);
  if (flags.json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"deleted", response.num_deleted()}}).dump());
  } else {
    fmt::print("{} samples deleted\n", response.num_deleted());
  }
  return kDone;
}

// "dataset weather with 1,461 samples of 3 files, but not the files".
absl::StatusOr<std::string> WhatGoes(const Session& session) {
  const auto dataset = Get(session, Flags().name);
  if (absl::IsNotFound(dataset.status())) {
    return fmt::format("dataset {}, which does not exist", Flags().name);
  }
  // An older version may have registered it so, and deleting it is what is left.
  if (absl::IsInvalidArgument(dataset.status())) {
    return fmt::format("dataset '{}' with all its samples, but not its files", Flags().name);
  }
  RETURN_IF_ERROR(dataset.status());
  return fmt::format("dataset {} with {} samples of {} files, but not the files", Flags().name,
                     WithThousands(dataset->num_samples()), WithThousands(dataset->num_files()));
}

int Delete(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    if (!Flags().keys.empty()) return DeleteSamples(flags, session);
    const auto what = WhatGoes(session);
    if (!what.ok()) return Report(what.status());
    if (const auto end = SettleDeletion(flags, Flags().deletion, *what)) return *end;
    v1::DeleteDatasetRequest request;
    request.mutable_command()->set_request_id(rpc::NewRequestId());
    request.set_name(Flags().name);
    v1::DeleteDatasetResponse response;
    const absl::Status status =
        session.Call<v1::StorageService>("storage", &Stub::DeleteDataset, request, &response);
    if (!status.ok()) return Report(status);
    if (flags.json) {
      fmt::print("{}\n", nlohmann::ordered_json({{"existed", response.existed()}}).dump());
    } else {
      fmt::print("dataset {} {}; its files were not touched\n", Printable(Flags().name),
                 response.existed() ? "deleted" : "did not exist");
    }
    return kDone;
  });
}

Command& AddVerb(Command& datasets, const std::string& verb, const std::string& description) {
  Command& command = datasets.AddSubcommand(verb, description);
  command.AddOption("name", Flags().name, "Dataset name").Required().TypeName("DATASET");
  return command;
}

}  // namespace

void AddDatasetsCommands(Command& app) {
  Command& datasets = app.AddSubcommand("datasets", "Datasets that storage watches");
  datasets.RequireSubcommand();
  SetAction(datasets.AddSubcommand("list", "List datasets"), List);
  SetAction(AddVerb(datasets, "show", "Show a dataset's counts, times and spec"), Show);
  Command& add = datasets.AddSubcommand(
      "register", "Register the datasets of a file with a `datasets:` section, such as a pipeline");
  add.AddOption("file", Flags().file, "YAML file").Required().TypeName("FILE");
  SetAction(add, Register);
  SetAction(AddVerb(datasets, "sync", "Ingest now whatever has changed"), Sync);
  Command& quarantine = AddVerb(
      datasets, "quarantine",
      "List the records that could not be ingested or used in a training, with the reasons");
  quarantine.AddOption("--limit", Flags().limit, "At most this many lines; 0 for all")
      .Check([](const std::string& text) {
        return text.starts_with('-') ? text + " is less than 0; write 0 to show all lines" : "";
      });
  SetAction(quarantine, Quarantine);
  Command& remove =
      AddVerb(datasets, "delete",
              "Delete a dataset, or some of its samples, but never its files; asks at a terminal");
  AddDeletionFlags(remove, Flags().deletion);
  remove.AddOption("--keys", Flags().keys, "Only these sample keys, separated by commas");
  SetAction(remove, Delete);
  AddDatasetHealthCommands(datasets);
}

}  // namespace tidemill::cli
