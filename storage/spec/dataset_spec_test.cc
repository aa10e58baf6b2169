#include "storage/spec/dataset_spec.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::storage {
namespace {

using ::testing::SizeIs;

config::Problems ProblemsOfDataset(const std::string& format, const std::string& keys) {
  const std::string text = "path: /data\nformat: " + format + "\n" + keys + "\n";
  return config::Decode<DatasetSpec>({.text = text, .name = "dataset"}).problems;
}

struct KeyThatDoesNotFit {
  const char* format;
  const char* keys;
  const char* path;
  const char* hint;
};

constexpr char kCsvFiles[] = "{type: csv}";
constexpr char kBinaryFiles[] = "{type: binary, record_bytes: 4}";
constexpr char kSingleFiles[] = "{type: single_file}";
constexpr char kJsonlFiles[] = "{type: jsonl}";
constexpr char kTarFiles[] = "{type: tar, payload: [jpg]}";
constexpr char kTfrecordFiles[] = "{type: tfrecord}";

constexpr char kOnlyFields[] = "only csv, jsonl and tfrecord have columns, and tar with `member`";
constexpr char kOnlyMembers[] = "only tar has members";

constexpr KeyThatDoesNotFit kKeysThatDoNotFit[] = {
    {kBinaryFiles, "event_time: {column: time}", "event_time.column", kOnlyFields},
    {kSingleFiles, "event_time: {columns: [day, hour], format: '%Y%j %H'}", "event_time.columns",
     kOnlyFields},
    {kTarFiles, "label: {column: class}", "label.column", kOnlyFields},
    {kCsvFiles, "event_time: {member: json}", "event_time.member", kOnlyMembers},
    {kJsonlFiles, "label: {member: cls}", "label.member", kOnlyMembers},
    {kCsvFiles, "label: {record: {offset: 0}}", "label.record", "only binary has fixed records"},
    {kTfrecordFiles, "label: {file: {pattern: images, replacement: labels}}", "label.file",
     "only binary takes a file of labels"},
    {kTarFiles, "label: {sidecar: .label}", "label.sidecar", "only single_file has sidecar labels"},
    {kCsvFiles, "label: {missing: [gone]}", "label.missing",
     "the dataset has no label: say where the label is, or remove this key"},
    {kSingleFiles, "append: true", "append", "a single file and an archive do not grow by records"},
    {kTarFiles, "append: true", "append", "a single file and an archive do not grow by records"},
    {kTfrecordFiles, "series: {history: 2}", "series", "only csv, jsonl and binary have rows"},
    {kBinaryFiles, "series: {group: trip}", "series.group", "leave it out"},
    {kBinaryFiles, "series: {target: speed}", "series.target", "use label"}};

TEST(DatasetSpec, NamesTheFormatsThatAKeyFitsWhereItDoesNotFitTheGivenOne) {
  for (const KeyThatDoesNotFit& key : kKeysThatDoNotFit) {
    SCOPED_TRACE(std::string(key.format) + " " + key.keys);
    const config::Problems problems = ProblemsOfDataset(key.format, key.keys);
    ASSERT_THAT(problems.items(), SizeIs(1)) << problems.ToString();
    EXPECT_EQ(problems.items()[0].message, std::string(key.path) + ": does not fit the format");
    EXPECT_EQ(problems.items()[0].hint, key.hint);
  }
}

TEST(DatasetSpec, TakesEachKeyWithAFormatThatItFits) {
  const struct {
    const char* format;
    const char* keys;
  } fitting[] = {{kCsvFiles, "event_time: {columns: [day, hour], format: '%Y%j %H'}"},
                 {kJsonlFiles, "label: {column: class}"},
                 {kTfrecordFiles, "event_time: {column: time}"},
                 {kTarFiles, "event_time: {member: json, column: time}"},
                 {kTarFiles, "label: {member: json, column: class}"},
                 {kBinaryFiles, "label: {record: {offset: 3}}"},
                 {kBinaryFiles, "label: {file: {pattern: images, replacement: labels}}"},
                 {kSingleFiles, "label: {sidecar: .label}"},
                 {kCsvFiles, "label: {column: class, missing: [gone]}"},
                 {kTfrecordFiles, "append: true"},
                 {kBinaryFiles, "series: {history: 2}"},
                 {kJsonlFiles, "series: {group: trip, target: speed}"}};
  for (const auto& [format, keys] : fitting) {
    const config::Problems problems = ProblemsOfDataset(format, keys);
    EXPECT_TRUE(problems.empty()) << problems.ToString();
  }
}

}  // namespace
}  // namespace tidemill::storage
