#include "storage/formats/format.h"

#include <algorithm>
#include <filesystem>
#include <random>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "storage/testing/any_local_files.h"
#include "storage/testing/data_folder.h"
#include "storage/testing/format_fixture.h"

namespace tidemill::storage {
namespace {

using testing::BigEndian;
using ::testing::ElementsAre;
using testing::FormatTest;
using testing::Gzip;
using ::testing::HasSubstr;
using testing::WantedSample;
using tidemill::testing::IsOk;
using tidemill::testing::kInvalid;
using tidemill::testing::StatusIs;

constexpr char kCsvSpec[] = R"(
format: {type: csv}
event_time: {column: t}
label: {column: y, classes: [a, b]}
)";

TEST_F(FormatTest, ACsvFileGivesItsRecordsAndNamesTheBadOnes) {
  data_.Write("x.csv",
              "\xef\xbb\xbft,\"y\",text\r\n"
              "2020-01-01,a,one\r\n"
              "2020-01-02,c,two\r\n"
              "2020-01-03,\"b\",\"two\nlines\"\r\n"
              "\r\n"
              "2020-01-04,a\r\n"
              "never,a,x\r\n"
              "2020-01-05,b,last");
  const auto found = Index(Spec(kCsvSpec), "x.csv");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(
      Bytes("x.csv", *found),
      ElementsAre("2020-01-01,a,one", "2020-01-03,\"b\",\"two\nlines\"", "2020-01-05,b,last"));
  EXPECT_THAT(found->positions, ElementsAre(0, 2, 5));
  EXPECT_THAT(found->rows.class_label, ElementsAre(0, 1, 1));
  EXPECT_EQ(found->rows.event_time[1], ParseTimestamp("2020-01-03")->micros);
  ASSERT_EQ(found->num_bad, 3);
  EXPECT_EQ(found->bad[0].position, 1);
  EXPECT_THAT(found->bad[0].reason, HasSubstr("'c' is not in classes"));
  EXPECT_THAT(found->bad[1].reason, HasSubstr("2 fields where 3 columns"));
  EXPECT_EQ(found->bad[2].position, 4);
  EXPECT_EQ(found->records_done, 6);
}

TEST_F(FormatTest, RecordsLongerThanAWindowAndBeyondTheLimitAreFound) {
  const std::string big(3 << 20, 'x');
  data_.Write("x.csv", "t,y,text\n2020-01-01,a," + big + "\n2020-01-02,b,small\n" +
                           std::string(9 << 20, 'y') + "\n2020-01-03,a,after\n");
  const auto found = Index(Spec(R"(
format: {type: csv, max_record: 4MiB}
event_time: {column: t}
label: {column: y, classes: [a, b]}
)"),
                           "x.csv");
  ASSERT_THAT(found, IsOk());
  const auto bytes = Bytes("x.csv", *found);
  ASSERT_EQ(bytes.size(), 3U);
  EXPECT_EQ(bytes[0], "2020-01-01,a," + big);
  EXPECT_EQ(bytes[2], "2020-01-03,a,after");
  ASSERT_EQ(found->num_bad, 1);
  EXPECT_EQ(found->bad[0].position, 2);
}

TEST_F(FormatTest, TabsWithoutQuotesOrHeader) {
  data_.Write("x.tsv", "2020-01-01\t\"odd\t1.5\n2020-01-02\tb\"c\t-2\n");
  const auto found = Index(Spec(R"(
format: {type: csv, delimiter: "\t", quote: "", header: false, columns: [t, title, y]}
event_time: {column: t}
label: {column: y, kind: real}
)"),
                           "x.tsv");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->rows.real_label, ElementsAre(1.5, -2.0));
  EXPECT_EQ(found->num_bad, 0);
}

TEST_F(FormatTest, AGrowingFileIsTakenLineByWholeLine) {
  const std::string head = "t,y\n2020-01-01,a\n2020-01-02,b\n";
  data_.Write("x.csv", head + "2020-01-03,");
  const DatasetSpec spec = Spec(std::string(kCsvSpec) + "append: true\n");
  const auto found = Index(spec, "x.csv");
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->bytes_done, static_cast<int64_t>(head.size()));
  EXPECT_EQ(found->records_done, 2);
  data_.Write("x.csv", head + "2020-01-03,b\n");
  const auto more = Index(spec, "x.csv", found->bytes_done, found->records_done);
  ASSERT_THAT(more, IsOk());
  EXPECT_THAT(more->positions, ElementsAre(2));
  EXPECT_THAT(Bytes("x.csv", *more), ElementsAre("2020-01-03,b"));
}

TEST_F(FormatTest, AHalfWrittenHeaderIsReadAgain) {
  const std::string path = data_.Write("x.csv", "\xef\xbb\xbft,");
  DatasetSpec spec = Spec(std::string(kCsvSpec) + "append: true\n");
  EXPECT_THAT(CompleteSpec(path, *cache_, spec),
              StatusIs(kInvalid, HasSubstr("no complete header")));
  spec.format->SetColumns(std::vector<std::string>{"t", "y"});
  const auto found = Index(spec, "x.csv");
  ASSERT_THAT(found, IsOk());
  data_.Write("x.csv", "\xef\xbb\xbft,y\n2020-01-01,a\n");
  const auto more = Index(spec, "x.csv", found->bytes_done, found->records_done);
  ASSERT_THAT(more, IsOk());
  EXPECT_THAT(Bytes("x.csv", *more), ElementsAre("2020-01-01,a"));
  EXPECT_EQ(more->num_bad, 0);
}

TEST_F(FormatTest, AHeaderOtherThanTheDatasetsCondemnsTheFile) {
  data_.Write("x.csv", "y,t\na,2020-01-01\n");
  DatasetSpec spec = Spec(kCsvSpec);
  spec.format->SetColumns(std::vector<std::string>{"t", "y"});
  EXPECT_THAT(Index(spec, "x.csv"), StatusIs(kInvalid, HasSubstr("[y, t]")));
}

TEST_F(FormatTest, TheHeaderCompletesTheSpecOrNamesWhatIsMissing) {
  const std::string path = data_.Write("x.csv", "t,z\n");
  DatasetSpec spec = Spec(kCsvSpec);
  EXPECT_THAT(CompleteSpec(path, *cache_, spec), StatusIs(kInvalid, HasSubstr("no column 'y'")));
  data_.Write("x.csv", "t,y,\"a,b\"\n");
  ASSERT_THAT(CompleteSpec(path, *cache_, spec), IsOk());
  EXPECT_THAT(spec.format->Columns(), ElementsAre("t", "y", "a,b"));
}

TEST_F(FormatTest, TheHeaderOfAPackedFileIsKnownWithoutUnpackingItAll) {
  const auto tiny = UnpackedCache::Create(
      {.folder = state_.path() + "/tiny", .max_unpacked_bytes = 1 << 20}, testing::AnyLocalFiles());
  ASSERT_THAT(tiny, IsOk());
  const std::string path = data_.Write("x.csv.gz", Gzip("t,y,z\n" + std::string(64 << 20, '7')));
  EXPECT_THAT((*tiny)->Open(path), StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("x")))
      << "there is no room for all of it";
  DatasetSpec spec = Spec(kCsvSpec);
  ASSERT_THAT(CompleteSpec(path, **tiny, spec), IsOk());
  EXPECT_THAT(spec.format->Columns(), ElementsAre("t", "y", "z"));
  EXPECT_TRUE(std::filesystem::is_empty(state_.path() + "/tiny"));
}

TEST_F(FormatTest, AHeaderThatNoSpecCanHoldLeavesTheSpecAsItWas) {
  DatasetSpec spec = Spec("format: {type: csv, max_record: 4MiB}\n");
  const std::string before = config::Print(spec);
  const std::string path = data_.Write("x.csv", "t,y,gr\xfcn\n");
  EXPECT_THAT(CompleteSpec(path, *cache_, spec), StatusIs(kInvalid, HasSubstr("not UTF-8")));
  data_.Write("x.csv", std::string("t,y,a\0b\n", 8));
  EXPECT_THAT(CompleteSpec(path, *cache_, spec), StatusIs(kInvalid, HasSubstr("not UTF-8")));
  std::string many = "t,y";
  for (int i = 0; i < 50'000; ++i) many += ",c" + std::to_string(i);
  data_.Write("x.csv", many + "\n");
  EXPECT_THAT(CompleteSpec(path, *cache_, spec), StatusIs(kInvalid, HasSubstr("50002 columns")));
  data_.Write("x.csv", "t,y," + std::string(2 << 20, 'z') + "\n");
  EXPECT_THAT(CompleteSpec(path, *cache_, spec), StatusIs(kInvalid, HasSubstr("3 columns")));
  EXPECT_EQ(config::Print(spec), before);
  data_.Write("x.csv", "t,y,\"gr\xc3\xbcn: ${x} #\"\n");
  EXPECT_THAT(CompleteSpec(path, *cache_, spec), IsOk());
}

// A record of random fields that only quoting can carry, or that need none.
std::string RandomCsvRecord(std::mt19937& random, int64_t seconds, int64_t label) {
  constexpr std::string_view kPieces[] = {"a", ",", "\"\"", "\n", "\r\n", "\xc3\xbc", " ", "\t"};
  std::string text = "\"";
  for (size_t size = random() % (random() % 30 == 0 ? 5000 : 12); size > 0; --size) {
    text += kPieces[random() % std::size(kPieces)];
  }
  const std::string label_text =
      random() % 2 == 0 ? fmt::format("\"{}\"", label) : fmt::format("{}", label);
  return fmt::format("{},{},{}\"", seconds, label_text, text);
}

TEST_F(FormatTest, CsvRecordsComeBackAsTheyWereWrittenAndACutCostsOnlyWhatItCuts) {
  std::mt19937 random(14);
  const DatasetSpec spec = Spec(R"(
format: {type: csv, header: false, columns: [t, y, text]}
event_time: {column: t, format: unix}
label: {column: y}
max_bad_fraction: 1
)");
  for (int round = 0; round < 20; ++round) {
    const std::string end = round % 2 == 0 ? "\n" : "\r\n";
    std::string file;
    std::vector<WantedSample> wanted;
    std::vector<size_t> ends;
    for (int i = 0; i < 25; ++i) {
      wanted.push_back(
          {RandomCsvRecord(random, 1000 + i, i % 7), i % 7, (1000 + i) * int64_t{1'000'000}});
      file += wanted.back().bytes + end;
      ends.push_back(file.size());
    }
    data_.Write("x.csv", file);
    const auto found = Index(spec, "x.csv");
    ASSERT_THAT(found, IsOk());
    ASSERT_EQ(found->num_bad, 0);
    ASSERT_EQ(Samples("x.csv", *found), wanted);
    for (int cut = 0; cut < 40; ++cut) {
      const size_t size = random() % file.size();
      data_.Write("x.csv", file.substr(0, size));
      const auto left = Index(spec, "x.csv");
      ASSERT_THAT(left, IsOk());
      const auto whole = static_cast<size_t>(
          std::count_if(ends.begin(), ends.end(), [&](size_t at) { return at <= size; }));
      const std::vector<WantedSample> samples = Samples("x.csv", *left);
      ASSERT_GE(samples.size(), whole);
      ASSERT_TRUE(std::equal(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(whole),
                             samples.begin()))
          << size;
    }
  }
}

TEST_F(FormatTest, ATimeMayBeSplitOverSeveralColumns) {
  data_.Write(
      "x.csv",
      "No,year,month,day,hour,PM2.5\n1,2013,3,1,0,4\n2,2013,12,31,23,NA\n3,2013,13,1,0,4\n");
  const auto found = Index(Spec(R"(
format: csv
event_time: {columns: [year, month, day, hour], format: "%Y %m %d %H", time_zone: Asia/Shanghai}
)"),
                           "x.csv");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->rows.event_time, ElementsAre(ParseTimestamp("2013-02-28T16:00:00Z")->micros,
                                                  ParseTimestamp("2013-12-31T15:00:00Z")->micros));
  ASSERT_EQ(found->bad.size(), 1U);
  EXPECT_THAT(found->bad[0].reason, HasSubstr("'2013 13 1 0'"));
}

// Images of 2 x 3 numbers as in MNIST's files.
std::string IdxImages(const std::vector<std::string>& images) {
  std::string bytes =
      BigEndian(0x00000803, 4) + BigEndian(images.size(), 4) + BigEndian(2, 4) + BigEndian(3, 4);
  for (const std::string& image : images) bytes += image;
  return bytes;
}

constexpr char kIdx[] = R"(
format: {type: binary, header_bytes: 16, record_bytes: 6, idx: true}
event_time: {row: {start: 2020-01-01, step: 1s}}
label: {file: {pattern: images-idx3, replacement: labels-idx1, header_bytes: 8, width: 1}}
)";

TEST_F(FormatTest, GzippedIdxFilesAreReadDirectly) {
  data_.Write("t-images-idx3.gz", Gzip(IdxImages({"abcdef", "ghijkl", "mnopqr"})));
  data_.Write("t-labels-idx1.gz",
              Gzip(BigEndian(0x00000801, 4) + BigEndian(3, 4) + "\x07\x02\x09"));
  const auto found = Index(Spec(kIdx), "t-images-idx3.gz");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(Bytes("t-images-idx3.gz", *found), ElementsAre("abcdef", "ghijkl", "mnopqr"));
  EXPECT_THAT(found->rows.class_label, ElementsAre(7, 2, 9));
  EXPECT_EQ(found->rows.event_time[2], ParseTimestamp("2020-01-01T00:00:02Z")->micros);
}

TEST_F(FormatTest, LabelsThatDoNotFitTheRecordsCondemnTheFile) {
  data_.Write("t-images-idx3", IdxImages({"abcdef", "ghijkl"}));
  EXPECT_THAT(Index(Spec(kIdx), "t-images-idx3"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("t-labels-idx1")));
  data_.Write("t-labels-idx1", BigEndian(0x00000801, 4) + BigEndian(1, 4) + "\x07");
  EXPECT_THAT(Index(Spec(kIdx), "t-images-idx3"),
              StatusIs(kInvalid, HasSubstr("2 records have 1")));
  data_.Write("t-images-idx3", "\x89PNG and so on, much longer than a header");
  EXPECT_THAT(Index(Spec(kIdx), "t-images-idx3"), StatusIs(kInvalid, HasSubstr("IDX")));
}

TEST_F(FormatTest, ALabelInTheRecordIsCutFromThePayload) {
  const DatasetSpec spec = Spec(R"(
format: {type: binary, header_bytes: 2, record_bytes: 4}
label: {record: {offset: 2, width: 2, encoding: signed, endianness: big}, kind: real}
)");
  data_.Write("x.bin", std::string("HHab\xff\xff"
                                   "cd\x00\x05"
                                   "e",
                                   11));
  const auto found = Index(spec, "x.bin");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->rows.real_label, ElementsAre(-1.0, 5.0));
  EXPECT_THAT(found->rows.byte_from, ElementsAre(2, 6));
  ASSERT_EQ(found->num_bad, 1);
  EXPECT_THAT(found->bad[0].reason, HasSubstr("ends within a record"));
  EXPECT_GT(found->lost_bytes, 0);
  EXPECT_EQ(found->lost_bytes, found->num_bytes - found->bytes_done);
  EXPECT_EQ(CutOf(spec).offset, 2);
  EXPECT_EQ(CutOf(spec).size, 2);
}

TEST_F(FormatTest, AFileIsASampleWithItsLabelBesideItOrAroundIt) {
  data_.Write("a/cat/1.png", "image");
  data_.Write("a/cat/1.label", " 3\n");
  const auto beside = Index(Spec("format: single_file\nlabel: {sidecar: .label}\n"), "a/cat/1.png");
  ASSERT_THAT(beside, IsOk());
  EXPECT_THAT(beside->rows.class_label, ElementsAre(3));
  const auto around = Index(
      Spec("format: single_file\nlabel: {folder: true, classes: [dog, cat]}\n"), "a/cat/1.png");
  ASSERT_THAT(around, IsOk());
  EXPECT_THAT(around->rows.class_label, ElementsAre(1));
  EXPECT_THAT(Bytes("a/cat/1.png", *around), ElementsAre("image"));
  EXPECT_THAT(
      Index(Spec("format: single_file\nlabel: {sidecar: .txt, missing: []}\n"), "a/cat/1.png"),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("1.txt")));
}

TEST_F(FormatTest, BrokenAndBloatedGzipIsRefused) {
  const std::string packed = Gzip(std::string(1 << 20, 'a'));
  data_.Write("cut.gz", packed.substr(0, packed.size() / 2));
  EXPECT_THAT(cache_->Open(data_.path() + "/cut.gz"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("ends within")));
  data_.Write("bad.gz", packed.substr(0, 20) + "garbage" + packed.substr(20));
  EXPECT_THAT(cache_->Open(data_.path() + "/bad.gz"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("bad.gz")));
  const auto strict =
      UnpackedCache::Create({.folder = state_.path() + "/strict", .max_unpacked_bytes = 1 << 19},
                            testing::AnyLocalFiles());
  data_.Write("bomb.gz", packed);
  EXPECT_THAT((*strict)->Open(data_.path() + "/bomb.gz"),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("524288")));
  EXPECT_TRUE(std::filesystem::is_empty(state_.path() + "/strict"));
}

TEST_F(FormatTest, TheCacheKeepsWithinItsSizeAndOpenFilesStayReadable) {
  const auto small = UnpackedCache::Create({.folder = state_.path() + "/small", .max_bytes = 3000},
                                           testing::AnyLocalFiles());
  std::vector<OpenFile> open;
  for (const char name : {'a', 'b', 'c', 'd'}) {
    data_.Write(std::string(1, name), Gzip(std::string(1000, name)));
    auto file = (*small)->Open(data_.path() + "/" + name);
    ASSERT_THAT(file, IsOk());
    open.push_back(*std::move(file));
  }
  int64_t kept = 0;
  for (const auto& entry : std::filesystem::directory_iterator(state_.path() + "/small")) {
    kept += static_cast<int64_t>(entry.file_size());
  }
  EXPECT_LE(kept, 3000);
  std::string bytes(1000, '\0');
  EXPECT_THAT(open[0].ReadAt(0, bytes.data(), bytes.size()), IsOk());
  EXPECT_EQ(bytes, std::string(1000, 'a'));
}

TEST_F(FormatTest, GzipThatUnpacksToWholeBuffersIsSound) {
  const std::string megabyte(1 << 20, 'a');
  data_.Write("whole.gz", Gzip(megabyte));
  const auto file = cache_->Open(data_.path() + "/whole.gz");
  ASSERT_THAT(file, IsOk());
  std::string bytes(megabyte.size(), '\0');
  EXPECT_THAT(file->ReadAt(0, bytes.data(), bytes.size()), IsOk());
  EXPECT_EQ(bytes, megabyte);
}

// A JPEG without pixels: the Exif data in it say only when it was taken.
std::string Photograph(const std::string& taken_at) {
  using std::string_literals::operator""s;
  const std::string block = "MM\0*\0\0\0\x08\0\x01\x87\x69\0\x04\0\0\0\x01\0\0\0\x1a\0\0\0\0"s +
                            "\0\x01\x90\x03\0\x02\0\0\0\x14\0\0\0\x2c\0\0\0\0"s + taken_at + "\0"s;
  const std::string segment = "Exif\0\0"s + block;
  return "\xff\xd8\xff\xe1\0"s + static_cast<char>(segment.size() + 2) + segment + "\xff\xda\0\2"s;
}

TEST_F(FormatTest, ThePhotographSaysWhenItWasTaken) {
  data_.Write("1.jpg", Photograph("2020:12:31 21:25:00"));
  const auto spec = Spec("format: single_file\nevent_time: {exif: true, time_zone: Asia/Tokyo}\n");
  const auto found = Index(spec, "1.jpg");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->rows.event_time, ElementsAre(ParseTimestamp("2020-12-31T12:25Z")->micros));
  data_.Write("2.jpg", "\xff\xd8\xff\xda");
  EXPECT_THAT(Index(spec, "2.jpg"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no Exif data")));
  data_.Write("3.jpg", Photograph("0000:00:00 00:00:00"));
  EXPECT_THAT(Index(spec, "3.jpg"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("the month is not 01 to 12")));
  EXPECT_THAT(
      config::Read<DatasetSpec>("path: /x\nformat: csv\nevent_time: {exif: true}\n", "spec"),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("exif")));
}

TEST_F(FormatTest, AFileThatIsNoLongerWantedIsReadNoFurther) {
  const auto index = [&](const std::string& spec, bool is_unwanted) -> absl::StatusOr<IndexedFile> {
    ASSIGN_OR_RETURN(const auto format, MakeFormat(Spec(spec), *cache_));
    return format->Index(
        {.root = data_.path(), .path = "x", .is_unwanted = [is_unwanted] { return is_unwanted; }});
  };
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += fmt::format("{{\"t\": {}}}\n", i);
  data_.Write("x", lines);
  for (const char* const spec : {"format: {type: csv, header: false, columns: [a]}\nevent_time: "
                                 "{row: {start: 2020-01-01, step: 1s}}\n",
                                 "format: jsonl\nevent_time: {column: t, format: unix}\n",
                                 "format: {type: binary, record_bytes: 10}\nevent_time: {row: "
                                 "{start: 2020-01-01, step: 1s}}\n"}) {
    const auto wanted = index(spec, /*is_unwanted=*/false);
    ASSERT_THAT(wanted, IsOk());
    EXPECT_GT(wanted->records_done, 90) << spec;
    const auto unwanted = index(spec, /*is_unwanted=*/true);
    EXPECT_EQ(unwanted.ok() ? unwanted->records_done : 0, 0) << spec;
  }
}

TEST_F(FormatTest, SeveralGzipMembersAreOneFile) {
  data_.Write("two.gz", Gzip("first,") + Gzip("second"));
  const auto file = cache_->Open(data_.path() + "/two.gz");
  ASSERT_THAT(file, IsOk());
  std::string bytes(12, '\0');
  EXPECT_THAT(file->ReadAt(0, bytes.data(), bytes.size()), IsOk());
  EXPECT_EQ(bytes, "first,second");
}

}  // namespace
}  // namespace tidemill::storage
