// Which samples a condition finds, on a real PostgreSQL and real files of every kind of record.
#include "storage/read/record_search.h"

#include <filesystem>

#include "storage/read/record_list.h"
#include "storage/read/sample_finder.h"
#include "storage/testing/ingest_fixture.h"
#include "storage/testing/tar_writer.h"
#include "storage/testing/tfrecord_writer.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IngestTest;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr int64_t kCounterMask = (int64_t{1} << kSlotShift) - 1;

class RecordSearchTest : public IngestTest {
 protected:
  RecordSearchTest() { Renew(); }

  void Renew() {
    indexes_ =
        std::make_unique<SampleIndex>(stack_->database(), stack_->catalog(), stack_->cache());
  }

  struct Listed {
    std::vector<int64_t> counters;
    std::vector<std::string> places;  // "a.csv:0"
    // The fields of a record with | between them; - for a missing one.
    std::vector<std::string> fields;
    std::vector<std::string> others;  // The fields of those that do not match.
    v1::ListRecordsResponse last;
  };

  static std::string FieldsOf(const v1::ListRecordsResponse::Record& record) {
    std::string fields;
    for (const auto& field : record.fields()) {
      fields += (fields.empty() ? "" : "|") +
                (field.has_text() && !field.text().empty() ? field.text() : "-");
    }
    return fields;
  }

  absl::StatusOr<Listed> List(DatasetId id, const std::string& condition, int64_t limit = 0) {
    v1::ListRecordsRequest request;
    request.set_dataset_id(id.value);
    request.set_condition(condition);
    request.set_limit(limit);
    const RecordList list(stack_->catalog(), *indexes_, stack_->cache(), int64_t{1} << 16);
    Listed listed;
    RETURN_IF_ERROR(list.Send(request, [&](const v1::ListRecordsResponse& message) {
      for (const auto& record : message.records()) {
        listed.counters.push_back(record.sample_key() & kCounterMask);
        listed.places.push_back(fmt::format("{}:{}", record.path(), record.position()));
        listed.fields.push_back(FieldsOf(record));
      }
      for (const auto& record : message.others()) listed.others.push_back(FieldsOf(record));
      listed.last = message;
      return absl::OkStatus();
    }));
    return listed;
  }

  std::vector<int64_t> Find(DatasetId id, const std::string& condition) {
    const auto listed = List(id, condition);
    EXPECT_THAT(listed, IsOk()) << condition;
    return listed.ok() ? listed->counters : std::vector<int64_t>();
  }

  std::unique_ptr<SampleIndex> indexes_;
};

TEST_F(RecordSearchTest, FindsRowsOfCsvFilesByTheirColumns) {
  data_.Write("a.csv", "t,y,user,note\n1,1,17,\"a, b\"\n2,0,18,\"says \"\"no\"\"\"\n3,1,017,c\n");
  data_.Write("day 2 b.csv", "t,y,user,note\n4,1,17,a\n5,0,170,\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  const auto listed = List(id, "user = 17 and note != 'c'");
  ASSERT_THAT(listed, IsOk());
  EXPECT_THAT(listed->counters, ElementsAre(1, 4));
  EXPECT_THAT(listed->places, ElementsAre("a.csv:0", "day 2 b.csv:0"));
  EXPECT_THAT(listed->fields, ElementsAre("17|a, b", "17|a"));
  EXPECT_EQ(listed->last.num_matches(), 2);
  EXPECT_EQ(listed->last.num_samples_done(), 5);
  EXPECT_EQ(listed->last.num_samples(), 5);
  EXPECT_THAT(Find(id, "user = '017'"), ElementsAre(3));
  EXPECT_THAT(Find(id, "note = 'says \"no\"'"), ElementsAre(2));
  EXPECT_THAT(Find(id, "note is null"), ElementsAre(5));
  EXPECT_THAT(Find(id, ""), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(Find(id, "user = 1"), IsEmpty());
  EXPECT_THAT(
      List(id, "usr = 17"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("column 1 of 'usr = 17': there is no column 'usr'; did you mean "
                         "'user'?; the columns are t, y, user, note, @time, @label, @key")));
  EXPECT_THAT(List(id, "@files = 1"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("there is no column '@files'; did you mean '@file'?")));
}

TEST_F(RecordSearchTest, ReadsFieldsAsTheDatasetSaysAndCountsWhatCannotBeCompared) {
  data_.Write("a.csv",
              "day;amount;y\n01.02.2024;8,50;1\n02.02.2024;2500,00;1\n03.02.2024;NA;0\n"
              "04.02.2024;;1\n05.02.2024;12,5 kg;1\n");
  const DatasetId id = Register("path: " + data_.path() +
                                "\nfiles: \"*.csv\"\nformat: {type: csv, delimiter: \";\", "
                                "decimal: \",\"}\nevent_time: {column: day, format: \"%d.%m.%Y\"}\n"
                                "label: {column: y, classes: [\"0\", \"1\"]}\n");
  Sync(id);
  const auto listed = List(id, "amount > 2400");
  ASSERT_THAT(listed, IsOk());
  EXPECT_THAT(listed->counters, ElementsAre(2));
  const auto& counts = listed->last.column_counts(0);
  EXPECT_EQ(counts.num_lacking(), 0);
  EXPECT_EQ(counts.num_null(), 2);
  EXPECT_EQ(counts.num_unfit(), 1);
  EXPECT_EQ(counts.first_unfit(), "amount is '12,5 kg', not a number");
  EXPECT_EQ(listed->last.num_undecided(), 3);
  EXPECT_THAT(listed->others, ElementsAre("8,50", "NA", "-"));
  EXPECT_THAT(Find(id, "amount is null"), ElementsAre(3, 4));
  EXPECT_THAT(Find(id, "time(day) >= '2024-02-04'"), ElementsAre(4, 5));
  EXPECT_THAT(Find(id, "day(@time) = 2 or amount < 10"), ElementsAre(1, 2));
  EXPECT_THAT(Find(id, "@label = '0'"), ElementsAre(3));
}

TEST_F(RecordSearchTest, AFieldThatIsNotANumberIsThereAllTheSame) {
  data_.Write("a.csv", "t,y,count\n1,1,many\n2,1,7\n3,1,NA\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  EXPECT_THAT(Find(id, "count is null"), ElementsAre(3));
  EXPECT_THAT(Find(id, "count = 7 or count is null"), ElementsAre(2, 3));
  EXPECT_THAT(Find(id, "count = 7 or count = 'many'"), ElementsAre(1, 2));
}

TEST_F(RecordSearchTest, ReadsColumnsOfRecordsThatBeginLikeThoseOfStorage) {
  data_.Write("a.csv", "t,y,@timestamp,@files\n1,1,17,a\n2,1,18,b\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  EXPECT_THAT(Find(id, "@timestamp = 18 and @files = 'b' and @file = 'a.csv'"), ElementsAre(2));
}

TEST_F(RecordSearchTest, RefusesWhatConditionsOnceMeantOtherwise) {
  data_.Write("a.csv", "t,y,user,user-id,User ID\n1,1,17,5,6\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  const auto expect = [&](const std::string& condition, const std::string& advice) {
    EXPECT_THAT(List(id, condition),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(advice)))
        << condition;
  };
  expect("user = anna", "a text is written in single quotes: 'anna'");
  expect("user = \"anna\"", "a text is written in single quotes: 'anna'");
  expect("'User ID' = 6", "'User ID' is a text; the column of that name is written \"User ID\"");
  expect("'user' = '17'", "the condition names no column");
  expect("user-id = 5", "the column is written in double quotes: \"user-id\"");
  expect("user = ''", "an empty field is null, which equals nothing; write user is null");
  expect("user = null", "write user is null");
  expect("user = 2024-01-31", "a time is written in single quotes: '2024-01-31'");
  expect("user > 9,50", "numbers are written with a point");
  expect("user = 'O'Neill'", "a quote within quotes is doubled: 'O''Neill'");
  EXPECT_THAT(Find(id, "\"user-id\" = 5 AND \"User ID\" = 6 and user == 17"), ElementsAre(1));
}

TEST_F(RecordSearchTest, EndsAtTheLimitAndSaysThatThereIsMore) {
  std::string rows = "t,y,user\n";
  for (int i = 0; i < 10'000; ++i) rows += fmt::format("{},1,{}\n", i, i % 2);
  data_.Write("a.csv", rows);
  const DatasetId id = Register(SpecText());
  Sync(id);
  const auto some = List(id, "user = 1", 300);
  ASSERT_THAT(some, IsOk());
  EXPECT_THAT(some->counters, SizeIs(300));
  EXPECT_TRUE(some->last.is_cut());
  EXPECT_LT(some->last.num_samples_done(), 10'000);
  const auto all = List(id, "user = 1", 5'000);
  ASSERT_THAT(all, IsOk());
  EXPECT_THAT(all->counters, SizeIs(5'000));
  EXPECT_FALSE(all->last.is_cut());
  EXPECT_EQ(all->places.back(), "a.csv:9999");
  EXPECT_THAT(List(id, "", -1), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("-1")));
}

TEST_F(RecordSearchTest, FindsFieldsOfJsonLinesAndNamesThoseThatNobodyHas) {
  data_.Write("a.jsonl",
              "{\"t\":1,\"user\":{\"id\":17},\"tags\":[1]}\n{\"t\":2,\"user\":{\"id\":\"17\"}}\n"
              "{\"t\":3,\"user\":{\"id\":null}}\n{\"t\":4,\"ok\":true}\n");
  const DatasetId id = Register("path: " + data_.path() +
                                "\nfiles: \"*.jsonl\"\nformat: jsonl\n"
                                "event_time: {column: t, format: unix}\n");
  Sync(id);
  const auto listed = List(id, "user.id = 17");
  ASSERT_THAT(listed, IsOk());
  EXPECT_THAT(listed->counters, ElementsAre(1, 2));
  EXPECT_EQ(listed->last.column_counts(0).num_lacking(), 2);
  EXPECT_EQ(listed->last.column_counts(0).num_null(), 2);
  EXPECT_EQ(listed->last.num_undecided(), 2);
  EXPECT_THAT(Find(id, "ok = true"), ElementsAre(4));
  EXPECT_THAT(List(id, "usr.id = 17"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("no sample has a single value 'usr.id'")));
  EXPECT_THAT(List(id, "usre = 17"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("did you mean 'user'?; the first sample has t, user, tags")));
}

TEST_F(RecordSearchTest, FindsSamplesOfArchivesByTheJsonBesideThem) {
  using testing::TarMemberBytes;
  data_.Write("a.tar", TarMemberBytes({"1.json", "{\"user\":17}"}) +
                           TarMemberBytes({"1.jpg", "one"}) + TarMemberBytes({"2.jpg", "two"}) +
                           TarMemberBytes({"2.json", "{\"user\":18}"}) +
                           TarMemberBytes({"3.jpg", "three"}) + testing::TarEnd());
  data_.Write("b.tar", TarMemberBytes({"1.jpg", "four"}) +
                           TarMemberBytes({"1.json", "{\"user\":\"17\"}"}) + testing::TarEnd());
  const DatasetId id = Register("path: " + data_.path() +
                                "\nfiles: \"*.tar\"\nformat: {type: tar, payload: [jpg]}\n");
  Sync(id);
  EXPECT_THAT(Find(id, ""), SizeIs(4));
  const auto listed = List(id, "user = 17");
  ASSERT_THAT(listed, IsOk());
  EXPECT_THAT(listed->places, ElementsAre("a.tar:0", "b.tar:0"));
  EXPECT_EQ(listed->last.column_counts(0).num_lacking(), 1);
  EXPECT_THAT(List(id, "usr = 17"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("did you mean 'user'?")));
}

TEST_F(RecordSearchTest, FindsFeaturesOfExamples) {
  std::string records;
  for (const testing::ExampleContent& content :
       {testing::ExampleContent{.ints = {{"user", 17}}, .bytes = {{"name", "anna"}}},
        testing::ExampleContent{.ints = {{"user", 18}}, .bytes = {}}}) {
    records += testing::TfRecord(testing::TfExample(content));
  }
  data_.Write("a.tfrecord", records);
  const DatasetId id =
      Register("path: " + data_.path() + "\nfiles: \"*.tfrecord\"\nformat: tfrecord\n");
  Sync(id);
  EXPECT_THAT(Find(id, "user = 17"), ElementsAre(1));
  EXPECT_THAT(Find(id, "user > 17"), ElementsAre(2));
  EXPECT_THAT(Find(id, "name != 'bert'"), ElementsAre(1));
  EXPECT_THAT(List(id, "nme = 'anna'"), StatusIs(absl::StatusCode::kInvalidArgument,
                                                 HasSubstr("no sample has a single value 'nme'")));
}

TEST_F(RecordSearchTest, FindsFilesByWhatStorageKnows) {
  data_.Write("users/17/a.txt", "one");
  data_.Write("users/18/a.txt", "two");
  data_.Write("users/17/b.txt", "three");
  const DatasetId id =
      Register("path: " + data_.path() + "\nfiles: \"**.txt\"\nformat: single_file\n");
  const int64_t last = Sync(id).committed_key;
  EXPECT_THAT(Find(id, "@file.2 = 17"), ElementsAre(1, 2));
  EXPECT_THAT(Find(id, "@file = 'users/18/a.txt'"), ElementsAre(3));
  EXPECT_THAT(Find(id, fmt::format("@key >= {}", last - 1)), ElementsAre(2, 3));
  EXPECT_THAT(Find(id, "@time > '1970-01-02' and @file.4 = 'x'"), IsEmpty());
  EXPECT_THAT(Find(id, "@time > '1970-01-02'"), SizeIs(3));
  EXPECT_THAT(List(id, "user = 17"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("there is no column 'user'; a text is written in single quotes: "
                                 "'user'; the columns are @time, @key, @file, @file.1")));
}

TEST_F(RecordSearchTest, FindsAWindowByEachOfItsRows) {
  data_.Write("a.csv", "t,v,user\n1,1,1\n2,2,17\n3,3,1\n4,4,1\n5,5,1\n");
  const DatasetId id = Register("path: " + data_.path() +
                                "\nfiles: \"*.csv\"\nformat: csv\n"
                                "event_time: {column: t, format: unix}\n"
                                "series: {history: 2, horizon: 1, target: v, step: 1s}\n");
  Sync(id);
  EXPECT_THAT(Find(id, ""), ElementsAre(1, 2, 3));
  EXPECT_THAT(Find(id, "user = 17"), ElementsAre(1, 2));
}

TEST_F(RecordSearchTest, PassesOverDeletedSamplesAndCountsThoseThatCannotBeRead) {
  data_.Write("a.csv", "t,y,user\n1,1,17\n2,1,17\n");
  data_.Write("b.csv", "t,y,user\n3,1,17\n");
  const DatasetId id = Register(SpecText());
  const int64_t last = Sync(id).committed_key;
  DeleteOnRequest(id, {last - 2});
  std::filesystem::remove(data_.path() + "/b.csv");
  Renew();
  const auto listed = List(id, "user = 17");
  ASSERT_THAT(listed, IsOk());
  EXPECT_THAT(listed->counters, ElementsAre(2));
  EXPECT_EQ(listed->last.num_unreadable(), 1);
  EXPECT_EQ(listed->last.first_unreadable().sample_key(), last);
  EXPECT_EQ(listed->last.num_samples(), 2);
  EXPECT_EQ(listed->last.num_samples_done(), 2);
  // Nothing is read for this one.
  EXPECT_THAT(Find(id, "@file = 'b.csv'"), ElementsAre(3));
}

TEST_F(RecordSearchTest, TellsLivingDeletedAndUnknownSamplesApart) {
  data_.Write("a.csv", "t,y\n1,1\n2,x\n3,1\n");
  data_.Write("b.csv", "t,y\n4,1\n");
  const DatasetId id = Register(SpecText());
  const int64_t last = Sync(id).committed_key;
  DeleteOnRequest(id, {last - 2});
  v1::FindSamplesRequest request;
  request.set_dataset_id(id.value);
  for (const int64_t key : {last, last, last - 2, last + 1, int64_t{1}}) {
    request.add_sample_keys(key);
  }
  const auto add = [&](const std::string& path, int64_t position) {
    auto* const place = request.add_places();
    place->set_path(path);
    place->set_position(position);
  };
  add("b.csv", 0);  // It is `last` again.
  add("a.csv", 2);
  add("a.csv", 1);  // It has no label that can be read.
  add("c.csv", 0);
  const auto found = SampleFinder(stack_->catalog(), *indexes_).Find(request);
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->living_keys(), ElementsAre(last - 1, last));
  EXPECT_THAT(found->deleted_keys(), ElementsAre(last - 2));
  EXPECT_EQ(found->num_unknown(), 4);
  EXPECT_THAT(found->unknown(), ElementsAre("record 1 of a.csv", "record 0 of c.csv", "key 1",
                                            fmt::format("key {}", last + 1)));
  ASSERT_EQ(found->files_size(), 2);
  EXPECT_EQ(found->files(0).path(), "a.csv");
  EXPECT_EQ(found->files(0).num_samples(), 1);
}

}  // namespace
}  // namespace tidemill::storage
