#include "storage/catalog/left_out_table.h"

#include <utility>

namespace tidemill::storage::left_out_table {

namespace {

constexpr size_t kMaxReasons = 20;

constexpr char kSeen[] = R"(
  SELECT coalesce(sum(records_done), 0)::bigint, coalesce(sum(num_bytes), 0)::bigint,
         coalesce(sum(num_filtered), 0)::bigint
  FROM storage.files
  WHERE dataset_id = $1 AND state <> 'vanished')";
constexpr char kUnlabelled[] = R"(
  SELECT coalesce(sum(num_unlabelled), 0)::bigint FROM storage.segments WHERE dataset_id = $1)";
constexpr char kReasons[] = R"(
  SELECT reason, wanted, sum(num_records)::bigint, sum(num_files)::bigint,
         sum(lost_bytes)::bigint, sum(num_members)::bigint, min(path COLLATE "C")
  FROM storage.left_out JOIN storage.files USING (file_id)
  WHERE left_out.dataset_id = $1
  GROUP BY reason, wanted
  ORDER BY reason = '', sum(num_records + num_files) DESC, sum(lost_bytes) DESC,
           sum(num_members) DESC, reason, wanted)";
constexpr char kFirst[] = R"(
  SELECT first_record, first_reason FROM storage.left_out JOIN storage.files USING (file_id)
  WHERE left_out.dataset_id = $1 AND path = $2 AND reason = $3 AND wanted = $4)";
constexpr char kBadOf[] = R"(
  SELECT coalesce(sum(num_records), 0)::bigint, coalesce(sum(lost_bytes), 0)::bigint,
         coalesce(sum(lost_bytes) FILTER (WHERE reason LIKE '%zero%'), 0)::bigint
  FROM storage.left_out
  WHERE file_id = $1 AND NOT wanted)";

constexpr char kFirstBadOf[] = R"(
  SELECT first_record, first_reason FROM storage.left_out
  WHERE file_id = $1 AND NOT wanted AND first_record IS NOT NULL
  ORDER BY first_record LIMIT 1)";

// Adds what is not listed separately to the last entry.
void AddRest(const DatasetLeftOut::Reason& reason, DatasetLeftOut& all) {
  DatasetLeftOut::Reason& rest = all.reasons.back();
  rest.pattern.clear();
  rest.wanted = rest.wanted && reason.wanted;
  rest.num_records += reason.num_records;
  rest.num_files += reason.num_files;
  rest.lost_bytes += reason.lost_bytes;
  rest.num_members += reason.num_members;
}

}  // namespace

DatasetLeftOut Read(pqxx::work& work, DatasetId dataset) {
  DatasetLeftOut all;
  const pqxx::row seen = work.exec_params1(kSeen, dataset.value);
  all.num_seen = seen[0].as<int64_t>();
  all.num_bytes = seen[1].as<int64_t>();
  all.num_filtered = seen[2].as<int64_t>();
  all.num_unlabelled = work.exec_params1(kUnlabelled, dataset.value)[0].as<int64_t>();
  for (const pqxx::row& row : work.exec_params(kReasons, dataset.value)) {
    DatasetLeftOut::Reason reason;
    reason.pattern = row[0].as<std::string>();
    reason.wanted = row[1].as<bool>();
    reason.num_records = row[2].as<int64_t>();
    reason.num_files = row[3].as<int64_t>();
    reason.lost_bytes = row[4].as<int64_t>();
    reason.num_members = row[5].as<int64_t>();
    reason.first_path = row[6].as<std::string>();
    all.num_records += reason.num_records;
    all.num_files += reason.num_files;
    all.lost_bytes += reason.lost_bytes;
    if (all.reasons.size() == kMaxReasons) {
      AddRest(reason, all);
      continue;
    }
    const pqxx::row first =
        work.exec_params1(kFirst, dataset.value, reason.first_path, reason.pattern, reason.wanted);
    if (!first[0].is_null()) reason.first_record = first[0].as<int64_t>();
    reason.first_reason = first[1].as<std::string>();
    all.reasons.push_back(std::move(reason));
  }
  return all;
}

BadShare BadOf(pqxx::work& work, FileId file) {
  const pqxx::row row = work.exec_params1(kBadOf, file.value);
  std::optional<BadRecord> first;
  for (const pqxx::row& bad : work.exec_params(kFirstBadOf, file.value)) {
    first = BadRecord{.position = bad[0].as<int64_t>(), .reason = bad[1].as<std::string>()};
  }
  return {.num_records = row[0].as<int64_t>(),
          .lost_bytes = row[1].as<int64_t>(),
          .zeroed_bytes = row[2].as<int64_t>(),
          .first = std::move(first)};
}

}  // namespace tidemill::storage::left_out_table
