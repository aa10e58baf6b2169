#include "storage/storage_service.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/failpoints.h"
#include "base/names.h"
#include "db/fencing.h"
#include "records/text.h"
#include "rpc/callers/job_scope.h"
#include "rpc/commands.h"
#include "rpc/grpc_status.h"
#include "storage/index/samples_to_delete.h"
#include "storage/read/dataset_check.h"
#include "storage/read/record_list.h"
#include "storage/read/sample_finder.h"
#include "storage/read/sample_identities.h"
#include "storage/read/sample_streams.h"

// A command, such as RegisterDataset or DeleteSamples, in one transaction of the catalogue:
//
//   guard: answered before? --no--> the change --> fill the response --> keep it --> commit
//                          `--yes--> roll back, and answer with the kept response

namespace tidemill::storage {
namespace {

constexpr char kSchema[] = "storage";
// Samples of one call that records them.
constexpr int kMaxQuarantined = 10'000;
// Keys and places of one call that finds samples.
constexpr int64_t kMaxFound = 100'000;
// Each reads a whole dataset.
constexpr int kMaxChecks = 8;

void Assign(Timestamp from, google::protobuf::Timestamp* to) {
  constexpr int64_t kMicros = 1'000'000;
  int64_t seconds = from.micros / kMicros;
  if (from.micros % kMicros < 0) --seconds;
  to->set_seconds(seconds);
  to->set_nanos(static_cast<int32_t>((from.micros - seconds * kMicros) * 1000));
}

void Assign(const DatasetSnapshot& from, rpc::v1::Snapshot* to) {
  to->set_dataset_id(from.dataset.value);
  to->set_committed_key(from.committed_key);
  to->set_tombstone_sequence(from.tombstone_sequence);
}

void Assign(const DatasetLeftOut& from, rpc::v1::LeftOut* to) {
  to->set_num_records(from.num_records);
  to->set_num_seen(from.num_seen);
  to->set_num_filtered(from.num_filtered);
  to->set_num_files(from.num_files);
  to->set_num_unlabelled(from.num_unlabelled);
  to->set_lost_bytes(from.lost_bytes);
  to->set_num_bytes(from.num_bytes);
  for (const DatasetLeftOut::Reason& reason : from.reasons) {
    auto* entry = to->add_reasons();
    entry->set_reason(reason.pattern);
    entry->set_wanted(reason.wanted);
    entry->set_num_records(reason.num_records);
    entry->set_num_files(reason.num_files);
    entry->set_lost_bytes(reason.lost_bytes);
    entry->set_num_members(reason.num_members);
    entry->set_first_path(reason.first_path);
    entry->set_first_reason(reason.first_reason);
    if (reason.first_record.has_value()) entry->set_first_record(*reason.first_record);
  }
}

void Assign(const SyncProgress& from, v1::SyncDatasetResponse* to) {
  to->set_num_files_done(from.num_files_done);
  to->set_num_files_found(from.num_files_found);
  to->set_num_samples(from.num_samples);
  to->set_num_quarantined(from.num_quarantined);
  to->set_num_deleted(from.num_deleted);
  to->set_num_replaced(from.num_replaced);
  to->set_num_passed_over(from.num_passed_over);
  to->set_first_passed_over(from.first_passed_over);
  to->set_num_awaited(from.num_awaited);
  if (from.num_not_taken == 0) return;
  to->mutable_not_taken()->set_num_files(from.num_not_taken);
  to->mutable_not_taken()->clear_files();
  for (const FileNotTaken& file : from.not_taken) {
    auto* const named = to->mutable_not_taken()->add_files();
    named->set_path(file.path);
    named->set_reason(file.reason);
  }
}

void Assign(const DatasetStatistics& from, v1::GetDatasetStatisticsResponse* to) {
  for (const auto& [label, count] : from.classes) {
    auto* entry = to->add_classes();
    entry->set_class_label(label);
    entry->set_num_samples(count);
  }
  if (!from.classes.empty() && from.num_without_class > 0) {
    to->add_classes()->set_num_samples(from.num_without_class);
  }
  for (const DatasetStatistics::Interval& interval : from.intervals) {
    auto* entry = to->add_intervals();
    entry->set_from(interval.from);
    entry->set_to(interval.to);
    entry->set_num_samples(interval.num_samples);
  }
  if (!from.real_labels.has_value()) return;
  auto* labels = to->mutable_real_labels();
  labels->set_num_samples(from.real_labels->num_samples);
  labels->set_min(from.real_labels->min);
  labels->set_max(from.real_labels->max);
  labels->set_mean(from.real_labels->mean);
  labels->set_standard_deviation(from.real_labels->standard_deviation);
}

// Waits for the reader of a stream. It fails when the caller went away, who will not see the
// status, or when this server stops, and then the caller is to try again.
template <typename Message>
absl::Status Send(rpc::StreamPermit& permit, grpc::ServerWriter<Message>* writer,
                  const Message& message) {
  if (!permit.Write(*writer, message)) return Unavailable("the stream was cut off");
  return absl::OkStatus();
}

}  // namespace

template <typename Response>
absl::Status StorageService::RunCommand(
    const rpc::v1::Command& command, Response* response,
    const std::function<absl::Status(const CommandGuard&, const ResponseKeeper&)>& run) {
  RETURN_IF_ERROR(rpc::CheckNamesNoRun(command));
  bool is_repeated = false;
  const CommandGuard guard = [&](pqxx::work& work) -> absl::Status {
    ASSIGN_OR_RETURN(const std::optional<std::string> answer,
                     db::FindAnswer(work, kSchema, command.request_id()));
    if (!answer.has_value()) return absl::OkStatus();
    is_repeated = true;
    if (!response->ParseFromString(*answer)) {
      return DataLoss("the answer to request {} does not parse", command.request_id());
    }
    return Cancelled("request {} was already answered", command.request_id());
  };
  const ResponseKeeper keep = [&](pqxx::work& work) {
    return db::RememberAnswer(work, kSchema, command.request_id(), response->SerializeAsString());
  };
  RETURN_IF_FAILPOINT("storage.before_command");
  const absl::Status status = run(guard, keep);
  if (is_repeated && absl::IsCancelled(status)) return absl::OkStatus();
  RETURN_IF_ERROR(status);
  RETURN_IF_FAILPOINT("storage.after_command");
  return absl::OkStatus();
}

StorageService::StorageService(const StorageCore& core) : core_(core) {
  const rpc::Senders senders{core_.senders, core_.streams};
  Serve("ListSamples", senders, [this](const grpc::ByteBuffer& request) {
    return ListFrames(core_.indexes, core_.files, core_.block_bytes, request);
  });
  Serve("ReadSamples", senders, [this](const grpc::ByteBuffer& request) {
    return ReadFrames(core_.indexes, core_.files, core_.block_bytes, request);
  });
  Serve("DescribeSamples", senders, [this](const grpc::ByteBuffer& request) {
    return DescriptionFrames(core_.indexes, request);
  });
}

OnOtherSpec ToOnOtherSpec(v1::OnOtherSpec wanted) {
  if (wanted == v1::ON_OTHER_SPEC_NEW_VERSION) return OnOtherSpec::kNewVersion;
  return wanted == v1::ON_OTHER_SPEC_REPLACE ? OnOtherSpec::kReplace : OnOtherSpec::kRefuse;
}

grpc::Status StorageService::RegisterDataset(grpc::ServerContext* /*context*/,
                                             const v1::RegisterDatasetRequest* request,
                                             v1::RegisterDatasetResponse* response) {
  using Registration = DatasetCatalog::Registration;
  return ToGrpc(RunCommand<v1::RegisterDatasetResponse>(
      request->command(), response, [&](const CommandGuard& guard, const ResponseKeeper& keep) {
        const auto fill = [&](pqxx::work& work, const Registration& registration) {
          response->set_dataset_id(registration.id.value);
          response->set_created(registration.created);
          response->set_earlier_version(registration.earlier_version);
          return keep(work);
        };
        return core_.catalog
            .Register(request->namespace_(), request->name(), request->spec(), guard, fill,
                      ToOnOtherSpec(request->on_other_spec()))
            .status();
      }));
}

// Where the records of the files are.
rpc::v1::Ledger LedgerOf(const DatasetCounts& counts) {
  int64_t num_wanted = 0;
  for (const DatasetLeftOut::Reason& reason : counts.left_out.reasons) {
    if (reason.wanted) num_wanted += reason.num_records;
  }
  rpc::v1::Ledger ledger;
  ledger.set_num_used(counts.num_samples);
  ledger.set_num_deleted(counts.num_deleted_on_request);
  ledger.set_num_unlabelled(num_wanted);
  ledger.set_num_bad(counts.left_out.num_records - num_wanted);
  ledger.set_num_filtered(counts.left_out.num_filtered);
  ledger.set_num_known(ledger.num_used() + ledger.num_deleted() + ledger.num_filtered() +
                       counts.left_out.num_records);
  return ledger;
}

absl::StatusOr<v1::Dataset> StorageService::Describe(const DatasetEntry& entry) {
  ASSIGN_OR_RETURN(const DatasetCounts counts, core_.catalog.Count(entry.id));
  v1::Dataset dataset;
  dataset.set_dataset_id(entry.id.value);
  dataset.set_namespace_(entry.name_space);
  dataset.set_name(entry.name);
  dataset.set_spec(entry.spec_text);
  Assign(entry.created_at, dataset.mutable_created_at());
  dataset.set_num_samples(counts.num_samples);
  dataset.set_num_files(counts.num_files);
  dataset.set_num_quarantined(counts.num_quarantined);
  dataset.set_num_deleted(counts.num_deleted);
  dataset.set_num_deleted_on_request(counts.num_deleted_on_request);
  if (counts.first_event_time.has_value()) {
    dataset.set_first_event_time(counts.first_event_time->micros);
  }
  if (counts.last_event_time.has_value()) {
    dataset.set_last_event_time(counts.last_event_time->micros);
  }
  Assign(counts.snapshot, dataset.mutable_snapshot());
  Assign(counts.left_out, dataset.mutable_left_out());
  dataset.mutable_left_out()->set_where(entry.spec.where.value_or(""));
  *dataset.mutable_ledger() = LedgerOf(counts);
  dataset.set_num_bad_samples(counts.num_bad_samples);
  dataset.set_superseded(entry.superseded);
  const absl::Status there = core_.catalog.CheckFolder(entry);
  if (!there.ok()) dataset.set_unreachable(AsText(std::string(there.message())));
  // Without labels, none is missing.
  if (!EffectiveLabel(entry.spec).is_given()) {
    dataset.mutable_left_out()->clear_num_unlabelled();
  }
  return dataset;
}

grpc::Status StorageService::ReadDatasetHead(grpc::ServerContext* /*context*/,
                                             const v1::ReadDatasetHeadRequest* request,
                                             v1::ReadDatasetHeadResponse* response) {
  auto head = core_.catalog.Peek(request->spec());
  if (!head.ok()) return ToGrpc(head.status());
  if (head->first_file) response->set_first_file(AsText(*head->first_file));
  response->set_head(std::move(head->bytes));
  return grpc::Status::OK;
}

grpc::Status StorageService::GetDataset(grpc::ServerContext* /*context*/,
                                        const v1::GetDatasetRequest* request,
                                        v1::GetDatasetResponse* response) {
  const auto entry = core_.catalog.Find(request->namespace_(), request->name());
  if (!entry.ok()) return ToGrpc(entry.status());
  auto dataset = Describe(*entry);
  if (!dataset.ok()) return ToGrpc(dataset.status());
  *response->mutable_dataset() = *std::move(dataset);
  return grpc::Status::OK;
}

grpc::Status StorageService::ListDatasets(grpc::ServerContext* /*context*/,
                                          const v1::ListDatasetsRequest* request,
                                          v1::ListDatasetsResponse* response) {
  const auto name_space = CheckedNamespace(request->namespace_());
  if (!name_space.ok()) return ToGrpc(name_space.status());
  const auto entries = core_.catalog.List(*name_space);
  if (!entries.ok()) return ToGrpc(entries.status());
  for (const DatasetEntry& entry : *entries) {
    auto dataset = Describe(entry);
    if (absl::IsNotFound(dataset.status())) continue;  // Deleted since it was listed.
    if (!dataset.ok()) return ToGrpc(dataset.status());
    *response->add_datasets() = *std::move(dataset);
  }
  return grpc::Status::OK;
}

grpc::Status StorageService::SyncDataset(grpc::ServerContext* context,
                                         const v1::SyncDatasetRequest* request,
                                         grpc::ServerWriter<v1::SyncDatasetResponse>* writer) {
  const auto sync = [&](rpc::StreamPermit& permit) -> absl::Status {
    v1::SyncDatasetResponse last;
    const auto report = [&](const SyncProgress& progress) {
      Assign(progress, &last);
      permit.Write(*writer,
                   last);  // What is ingested stays, whether or not the caller still listens.
    };
    SyncWait wait{.is_abandoned = [&] { return context->IsCancelled(); }};
    if (request->has_max_wait()) wait.limit = Duration{request->max_wait()};
    ASSIGN_OR_RETURN(const DatasetSnapshot snapshot,
                     core_.ingestor.Sync({request->dataset_id()}, /*wait=*/true, report, wait));
    RETURN_IF_ERROR(core_.indexes.GetAtLeast(snapshot).status());
    Assign(snapshot, last.mutable_snapshot());
    return Send(permit, writer, last);
  };
  return rpc::WithPlace(core_.streams, *context, "SyncDataset", sync);
}

grpc::Status StorageService::ListRecords(grpc::ServerContext* context,
                                         const v1::ListRecordsRequest* request,
                                         grpc::ServerWriter<v1::ListRecordsResponse>* writer) {
  const auto list = [&](rpc::StreamPermit& permit) {
    const RecordList records(core_.catalog, core_.indexes, core_.unpacked, core_.block_bytes);
    return records.Send(*request, [&](const v1::ListRecordsResponse& response) -> absl::Status {
      if (context->IsCancelled()) return Cancelled("the caller went away");
      return Send(permit, writer, response);
    });
  };
  return rpc::WithPlace(core_.streams, *context, "ListRecords", list, kMaxChecks);
}

grpc::Status StorageService::FindSamples(grpc::ServerContext* /*context*/,
                                         const v1::FindSamplesRequest* request,
                                         v1::FindSamplesResponse* response) {
  const int64_t num_asked = request->sample_keys_size() + int64_t{request->places_size()};
  if (num_asked > kMaxFound) {
    return ToGrpc(
        InvalidArgument("{} keys and places are too many for one call; send at most {} at a time",
                        num_asked, kMaxFound));
  }
  const SampleFinder finder(core_.catalog, core_.indexes);
  auto found = finder.Find(*request);
  if (!found.ok()) return ToGrpc(found.status());
  *response = *std::move(found);
  return grpc::Status::OK;
}

grpc::Status StorageService::FindIdentities(grpc::ServerContext* context,
                                            const v1::FindIdentitiesRequest* request,
                                            v1::FindIdentitiesResponse* response) {
  RETURN_GRPC_IF_ERROR(rpc::JobScope::OfCall(*context).Check(*request));
  return ToGrpc(IdentitiesOf(core_.indexes, *request, *response));
}

grpc::Status StorageService::DeleteSamples(grpc::ServerContext* /*context*/,
                                           const v1::DeleteSamplesRequest* request,
                                           v1::DeleteSamplesResponse* response) {
  const DatasetId dataset{request->dataset_id()};
  const std::span keys(request->sample_keys().data(),
                       static_cast<size_t>(request->sample_keys_size()));
  const absl::Status status = RunCommand<v1::DeleteSamplesResponse>(
      request->command(), response,
      [&](const CommandGuard& guard, const ResponseKeeper& keep) -> absl::Status {
        ASSIGN_OR_RETURN(auto samples, SamplesToDelete(core_.indexes, dataset, keys));
        const auto fill = [&](pqxx::work& work, int64_t num_deleted) {
          response->set_num_deleted(num_deleted);
          return keep(work);
        };
        return core_.catalog.DeleteSamples(dataset, samples, guard, fill).status();
      });
  if (!status.ok()) return ToGrpc(status);
  // No read that starts after the answer returns them.
  RETURN_GRPC_IF_ERROR(core_.indexes.Refresh(dataset).status());
  return ToGrpc(wipe_kept_(keys));
}

grpc::Status StorageService::QuarantineSamples(grpc::ServerContext* context,
                                               const v1::QuarantineSamplesRequest* request,
                                               v1::QuarantineSamplesResponse* response) {
  RETURN_GRPC_IF_ERROR(rpc::JobScope::OfCall(*context).Check(*request));
  if (request->sample_keys_size() != request->reasons_size() ||
      request->sample_keys_size() > kMaxQuarantined) {
    return ToGrpc(
        InvalidArgument("{} keys came with {} reasons; send as many reasons as keys, at most {}",
                        request->sample_keys_size(), request->reasons_size(), kMaxQuarantined));
  }
  // Recording twice changes nothing, so the command's answer is not kept.
  std::vector<std::string> reasons;
  for (const std::string& reason : request->reasons()) reasons.push_back(AsText(reason));
  const auto recorded = core_.catalog.QuarantineSamples(
      {request->dataset_id()}, {request->sample_keys().begin(), request->sample_keys().end()},
      reasons, {});
  if (!recorded.ok()) return ToGrpc(recorded.status());
  response->set_num_recorded(*recorded);
  return grpc::Status::OK;
}

grpc::Status StorageService::DeleteDataset(grpc::ServerContext* /*context*/,
                                           const v1::DeleteDatasetRequest* request,
                                           v1::DeleteDatasetResponse* response) {
  const auto id = core_.catalog.FindId(request->namespace_(), request->name());
  if (!id.ok()) return ToGrpc(id.status());
  const absl::Status status = RunCommand<v1::DeleteDatasetResponse>(
      request->command(), response, [&](const CommandGuard& guard, const ResponseKeeper& keep) {
        const auto fill = [&](pqxx::work& work, bool existed) {
          response->set_existed(existed);
          return keep(work);
        };
        return core_.catalog.Delete(request->namespace_(), request->name(), guard, fill).status();
      });
  if (status.ok() && id->has_value()) core_.indexes.Forget(**id);
  return ToGrpc(status);
}

grpc::Status StorageService::CheckDataset(grpc::ServerContext* context,
                                          const v1::CheckDatasetRequest* request,
                                          grpc::ServerWriter<v1::CheckDatasetResponse>* writer) {
  const auto check_all = [&](rpc::StreamPermit& permit) -> absl::Status {
    ASSIGN_OR_RETURN(auto index, core_.indexes.Refresh({request->dataset_id()}));
    DatasetCheck check(core_.indexes, std::move(index), core_.unpacked, core_.block_bytes);
    while (!context->IsCancelled()) {
      ASSIGN_OR_RETURN(auto step, check.Next());
      if (!step.has_value()) return absl::OkStatus();
      v1::CheckDatasetResponse response;
      response.set_num_samples_done(step->num_done);
      response.set_num_samples(step->num_samples);
      response.set_num_column_files(step->num_column_files);
      response.set_num_column_files_made_again(step->num_made_again);
      for (MissingKey& missing : step->damaged) {
        v1::MissingSample* sample = response.add_damaged();
        sample->set_sample_key(missing.key);
        sample->set_reason(std::move(missing.reason));
      }
      RETURN_IF_ERROR(Send(permit, writer, response));
    }
    return Cancelled("the caller went away");
  };
  return rpc::WithPlace(core_.streams, *context, "CheckDataset", check_all, kMaxChecks);
}

absl::Status StorageService::AddFiles(DatasetId dataset, const DatasetIndex& index,
                                      const DatasetStatistics& statistics,
                                      v1::GetDatasetStatisticsResponse* response) {
  std::vector<FileId> ids;
  for (const DatasetStatistics::File& file : statistics.files) ids.push_back(file.id);
  ASSIGN_OR_RETURN(const DatasetCatalog::FileSizes sizes, core_.catalog.SizesOf(dataset, ids));
  response->set_size_bytes(sizes.all_files);
  for (const DatasetStatistics::File& file : statistics.files) {
    auto* entry = response->add_files();
    const std::string* path = index.PathOf(file.id);
    entry->set_path(path == nullptr ? "" : *path);
    entry->set_num_samples(file.num_samples);
    const auto size = sizes.by_file.find(file.id);
    if (size == sizes.by_file.end()) continue;
    entry->set_size_bytes(size->second.size_bytes);
    entry->set_num_filtered(size->second.num_filtered);
  }
  return absl::OkStatus();
}

grpc::Status StorageService::GetDatasetStatistics(grpc::ServerContext* /*context*/,
                                                  const v1::GetDatasetStatisticsRequest* request,
                                                  v1::GetDatasetStatisticsResponse* response) {
  constexpr int kDefaultIntervals = 20;
  const DatasetId id{request->dataset_id()};
  const auto entry = core_.catalog.Find(id);
  if (!entry.ok()) return ToGrpc(entry.status());
  const auto index = core_.indexes.RefreshWhole(id);
  if (!index.ok()) return ToGrpc(index.status());
  auto dataset = Describe(*entry);
  if (!dataset.ok()) return ToGrpc(dataset.status());
  *response->mutable_dataset() = *std::move(dataset);
  const auto statistics = CollectStatistics(
      **index, request->num_intervals() == 0 ? kDefaultIntervals : request->num_intervals());
  if (!statistics.ok()) return ToGrpc(statistics.status());
  Assign(*statistics, response);
  return ToGrpc(AddFiles(id, **index, *statistics, response));
}

// A page at a time: a reader that stalls holds one.
absl::Status StorageService::ForEachQuarantined(
    DatasetId dataset, int64_t limit,
    const std::function<absl::Status(const DatasetCatalog::Quarantined&)>& send) {
  int64_t num_left = limit;  // 0 for no limit.
  for (int64_t after = 0;;) {
    ASSIGN_OR_RETURN(const auto page, core_.catalog.ListQuarantine(dataset, num_left, after));
    for (const DatasetCatalog::Quarantined& entry : page) RETURN_IF_ERROR(send(entry));
    if (std::ssize(page) < DatasetCatalog::kQuarantinePage) return absl::OkStatus();
    after = page.back().number;
    if (limit == 0) continue;
    num_left -= std::ssize(page);
    if (num_left == 0) return absl::OkStatus();
  }
}

grpc::Status StorageService::ListQuarantine(
    grpc::ServerContext* context, const v1::ListQuarantineRequest* request,
    grpc::ServerWriter<v1::ListQuarantineResponse>* writer) {
  const auto send_all = [&](rpc::StreamPermit& permit) {
    const auto send = [&](const DatasetCatalog::Quarantined& quarantined) {
      v1::ListQuarantineResponse response;
      v1::QuarantineEntry* entry = response.mutable_entry();
      entry->set_path(quarantined.path);
      if (quarantined.position.has_value()) entry->set_position(*quarantined.position);
      entry->set_reason(quarantined.reason);
      if (quarantined.sample_key.has_value()) entry->set_sample_key(*quarantined.sample_key);
      entry->set_is_remark(quarantined.is_remark);
      Assign(quarantined.at, entry->mutable_at());
      return Send(permit, writer, response);
    };
    return ForEachQuarantined({request->dataset_id()}, request->limit(), send);
  };
  return rpc::WithPlace(core_.streams, *context, "ListQuarantine", send_all);
}

}  // namespace tidemill::storage
