#include "storage/formats/series_view.h"

#include <random>

#include "gmock/gmock.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "storage/testing/any_local_files.h"
#include "storage/testing/data_folder.h"
#include "xxhash.h"

namespace tidemill::storage {
namespace {

using testing::DataFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

// A window by content.
struct Window {
  int64_t position = 0;
  std::string bytes;
  int64_t seconds = 0;
  std::optional<double> label;

  friend bool operator==(const Window&, const Window&) = default;
  friend void PrintTo(const Window& window, std::ostream* out) {
    *out << window.position << " at " << window.seconds << "s -> " << window.label.value_or(-1)
         << " '" << window.bytes << "'";
  }
};

class SeriesViewTest : public ::testing::Test {
 protected:
  SeriesViewTest() {
    auto cache =
        UnpackedCache::Create({.folder = state_.path() + "/unpacked"}, testing::AnyLocalFiles());
    EXPECT_THAT(cache, IsOk());
    cache_ = *std::move(cache);
  }

  DatasetSpec Spec(const std::string& text) const {
    auto spec = config::Read<DatasetSpec>("path: " + data_.path() + "\n" + text, "spec");
    EXPECT_THAT(spec, IsOk());
    return spec.value_or(DatasetSpec{});
  }

  absl::StatusOr<IndexedFile> Index(DatasetSpec spec, const std::string& name,
                                    int64_t from_byte = 0, int64_t from_record = 0) const {
    const std::string path = files::Join(data_.path(), name);
    RETURN_IF_ERROR(CompleteSpec(path, *cache_, spec));
    ASSIGN_OR_RETURN(const auto format, MakeFormat(spec, *cache_));
    FileInput input{.root = data_.path(), .path = name};
    ASSIGN_OR_RETURN(input.identity, testing::AnyLocalFiles().IdentityOf(path));
    input.from_byte = from_byte;
    input.from_record = from_record;
    return format->Index(input);
  }

  std::vector<Window> Windows(const std::string& name, const IndexedFile& found) const {
    const auto file = cache_->Open(files::Join(data_.path(), name));
    std::vector<Window> windows;
    for (size_t i = 0; i < found.positions.size(); ++i) {
      const SegmentRows& rows = found.rows;
      std::string bytes(static_cast<size_t>(rows.byte_to[i] - rows.byte_from[i]), 0);
      EXPECT_THAT(file->ReadAt(rows.byte_from[i], bytes.data(), bytes.size()), IsOk());
      EXPECT_EQ(rows.hash[i], static_cast<int64_t>(XXH3_64bits(bytes.data(), bytes.size())));
      windows.push_back({found.positions[i], std::move(bytes), rows.event_time[i] / 1'000'000,
                         rows.real_label[i]});
    }
    return windows;
  }

  std::vector<Window> WindowsOf(const std::string& spec, const std::string& bytes) const {
    data_.Write("x.csv", bytes);
    const auto found = Index(Spec(spec), "x.csv");
    EXPECT_THAT(found, IsOk());
    if (!found.ok()) return {};
    EXPECT_EQ(found->misfit, "");
    return Windows("x.csv", *found);
  }

  DataFolder state_, data_;
  std::unique_ptr<UnpackedCache> cache_;
};

constexpr char kSeriesSpec[] = R"(
format: {type: csv}
event_time: {column: t, format: unix}
series: {group: g, history: 2, horizon: 1, target: y, step: 1s}
)";

TEST_F(SeriesViewTest, AWindowReachesFromItsFirstRowToItsAnchorAndHasALaterRowsTarget) {
  EXPECT_THAT(WindowsOf(kSeriesSpec, "t,g,y\n1,a,10\n2,a,20\n3,a,30\n4,a,40\n"),
              ElementsAre(Window{1, "1,a,10\n2,a,20", 2, 30}, Window{2, "2,a,20\n3,a,30", 3, 40}));
}

TEST_F(SeriesViewTest, AGapAnotherGroupAndABadRowEndAWindow) {
  const std::string rows =
      "1,a,1\n2,a,2\n4,a,4\n5,a,5\n6,a,6\n"  // A second is missing.
      "7,b,7\n8,b,8\n"                       // Too short.
      "never,b,9\n10,b,10\n11,b,11\n12,b,12\n";
  EXPECT_THAT(WindowsOf(kSeriesSpec, "t,g,y\n" + rows),
              ElementsAre(Window{3, "4,a,4\n5,a,5", 5, 6}, Window{9, "10,b,10\n11,b,11", 11, 12}));
}

// The wanted reasons with their counts.
std::vector<std::pair<std::string, int64_t>> Told(const IndexedFile& found) {
  std::vector<std::pair<std::string, int64_t>> told;
  for (const LeftOutReason& reason : found.left_out.items()) {
    if (reason.wanted) told.emplace_back(reason.first_reason, reason.num_records);
  }
  return told;
}

TEST_F(SeriesViewTest, WindowsThatAGapOrABadRowBreaksAreCounted) {
  data_.Write("x.csv",
              "t,g,y\n1,a,1\n2,a,2\n3,a,3\n5,a,5\n6,a,6\n7,a,7\nnever,a,8\n9,a,9\n10,a,10\n"
              "11,a,11\n21,b,1\n22,b,2\n");
  const auto found = Index(Spec(kSeriesSpec), "x.csv");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->positions, ElementsAre(1, 4, 8));
  EXPECT_THAT(Told(*found),
              ElementsAre(std::pair("its window has a gap: from '1970-01-01T00:00:03Z' to "
                                    "'1970-01-01T00:00:05Z' is not a step of 1s",
                                    2),
                          std::pair("its window has a record that cannot be read", 2)));
  EXPECT_EQ(found->left_out.items()[1].first_record, 2);
  EXPECT_EQ(found->num_bad, 1) << "a window that is not made is not a bad record";
}

TEST_F(SeriesViewTest, TheHourThatComesTwiceCostsWindowsThatAreCounted) {
  std::string rows = "t,y\n";
  for (const char* const hour :
       {"24 22", "24 23", "25 00", "25 01", "25 02", "25 02", "25 03", "25 04", "25 05", "25 06"}) {
    rows += fmt::format("2020-10-{}:00,1\n", hour);
  }
  data_.Write("x.csv", rows);
  const std::string spec =
      "format: csv\nevent_time: {column: t, time_zone: Europe/Zurich}\n"
      "series: {history: 3, target: y, step: 1h}\n";
  const auto found = Index(Spec(spec), "x.csv");
  ASSERT_THAT(found, IsOk());
  // 02:00 comes at 00:00Z and at 01:00Z; the second is read as the first.
  EXPECT_THAT(found->positions, ElementsAre(2, 3, 4, 8, 9));
  EXPECT_THAT(Told(*found),
              ElementsAre(::testing::Pair(HasSubstr("to '2020-10-25T00:00:00Z'"), 3)));
}

TEST_F(SeriesViewTest, ARowWithoutTargetIsHistoryButNoTarget) {
  data_.Write("x.csv", "t,g,y\n1,a,1\n2,a,NA\n3,a,\n4,a,4\n5,a,what\n6,a,6\n");
  const auto found = Index(Spec(kSeriesSpec), "x.csv");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(Windows("x.csv", *found), ElementsAre(Window{2, "2,a,NA\n3,a,", 3, 4}));
  ASSERT_EQ(found->num_bad, 1);
  EXPECT_THAT(found->bad[0].reason, HasSubstr("'what' is not a number"));
}

TEST_F(SeriesViewTest, TheClassOfTheSameRowIsTheLabelWithoutHorizon) {
  data_.Write("x.csv", "t,y\n1,UP\n2,DOWN\n2,UP\n1,DOWN\n2,UP\n");
  const auto found = Index(Spec(R"(
format: {type: csv}
event_time: {column: t, format: unix}
label: {column: y, classes: [DOWN, UP]}
series: {history: 2}
)"),
                           "x.csv");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->positions, ElementsAre(1, 2, 4));  // Time goes back before row 3.
  EXPECT_THAT(found->rows.class_label, ElementsAre(0, 1, 1));
}

TEST_F(SeriesViewTest, FixedRecordsMakeWindowsToo) {
  data_.Write("x.bin", "HEADaabbccdd");
  const auto found = Index(Spec(R"(
format: {type: binary, header_bytes: 4, record_bytes: 2}
event_time: {row: {start: 2024-01-01, step: 1h}}
series: {history: 3, step: 1h}
)"),
                           "x.bin");
  ASSERT_THAT(found, IsOk());
  const auto windows = Windows("x.bin", *found);
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_EQ(windows[0].bytes, "aabbcc");
  EXPECT_EQ(windows[1].bytes, "bbccdd");
}

TEST_F(SeriesViewTest, AFileWhoseGroupsAlternateIsAMisfitWithAdvice) {
  std::string rows = "t,g,y\n";
  for (int t = 1; t <= 20; ++t) {
    for (const char* group : {"a", "b"}) rows += fmt::format("{},{},1\n", t, group);
  }
  data_.Write("x.csv", rows);
  const auto found = Index(Spec(kSeriesSpec), "x.csv");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->positions, IsEmpty());
  EXPECT_THAT(found->misfit, HasSubstr("36 of the file's 36 windows"));
  EXPECT_THAT(found->misfit, HasSubstr("sort the file by that column"));
}

TEST_F(SeriesViewTest, AGroupThatComesBackLaterCostsNothing) {
  EXPECT_THAT(WindowsOf(kSeriesSpec,
                        "t,g,y\n1,a,1\n2,a,2\n3,a,3\n1,b,1\n2,b,2\n3,b,3\n7,a,7\n8,a,8\n9,a,9\n"),
              ElementsAre(Window{1, "1,a,1\n2,a,2", 2, 3}, Window{4, "1,b,1\n2,b,2", 2, 3},
                          Window{7, "7,a,7\n8,a,8", 8, 9}));
}

TEST_F(SeriesViewTest, SpecsThatMakeNoSenseAreRefused) {
  const auto problem = [&](const std::string& text) {
    return config::Read<DatasetSpec>("path: /x\n" + text, "spec").status();
  };
  using enum absl::StatusCode;
  EXPECT_THAT(problem("format: csv\nlabel: {column: y}\nseries: {horizon: 2}\n"),
              StatusIs(kInvalidArgument, HasSubstr("label_delay")));
  EXPECT_THAT(problem("format: csv\nlabel: {column: y}\nseries: {target: z}\n"),
              StatusIs(kInvalidArgument, HasSubstr("second source")));
  EXPECT_THAT(problem("format: single_file\nseries: {history: 2}\n"),
              StatusIs(kInvalidArgument, HasSubstr("csv, jsonl and binary")));
  EXPECT_THAT(problem("format: {type: binary, record_bytes: 9}\nlabel: {record: {offset: 0}}\n"
                      "series: {history: 2}\n"),
              StatusIs(kInvalidArgument, HasSubstr("inside the samples")));
  EXPECT_THAT(problem("format: csv\nlabel_delay: -1s\n"),
              StatusIs(kInvalidArgument, HasSubstr("label_delay")));
}

TEST(LabelDelay, IsTheTimeToTheTargetUnlessStated) {
  const auto delay = [](const std::string& text) {
    return EffectiveLabelDelay(
        *config::Read<DatasetSpec>("path: /x\nformat: csv\n" + text, "spec"));
  };
  EXPECT_EQ(delay(""), Duration{});
  EXPECT_EQ(delay("series: {target: y, horizon: 6, step: 1h}\n"), Duration{6 * 3'600'000'000});
  EXPECT_EQ(delay("series: {target: y, horizon: 6, step: 1h}\nlabel_delay: 1d\n"),
            Duration{86'400'000'000});
}

// A row of a random file as its generator knows it.
struct Row {
  std::string bytes;
  std::string end;
  std::optional<int64_t> seconds;  // Absent: a bad row.
  std::string group;
  std::optional<double> target;
};

constexpr const char* kGroups[] = {"", "a", "\"b,\n\"", "aa"};

std::vector<Row> RandomRows(std::mt19937& random) {
  std::vector<Row> rows;
  int64_t seconds = 100;
  size_t group = 0;
  for (uint32_t count = random() % 80; count > 0; --count) {
    if (random() % 12 == 0) group = random() % 4;
    seconds += random() % 10 == 0 ? static_cast<int64_t>(random() % 4) - 1 : 1;
    Row row{.bytes = {},
            .end = random() % 5 == 0 ? "\r\n" : "\n",
            .seconds = seconds,
            .group = kGroups[group],
            .target = {}};
    if (random() % 8 != 0) row.target = random() % 100;
    const bool is_bad = random() % 25 == 0;
    row.bytes = fmt::format("{},{},{},{}", is_bad ? "x" : std::to_string(seconds), row.group,
                            row.target ? fmt::format("{}", *row.target) : "NA",
                            random() % 4 == 0 ? "\"two\nlines, \"\"quoted\"\"\"" : "plain");
    if (is_bad) row.seconds.reset();
    if (random() % 20 == 0) row.end += '\n';  // An empty line, which is not a row.
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string Join(const std::vector<Row>& rows, size_t from, size_t to) {
  std::string bytes;
  for (size_t i = from; i < to; ++i) bytes += rows[i].bytes + (i + 1 < to ? rows[i].end : "");
  return bytes;
}

// By the definition: every window of rows is looked at as a whole.
std::vector<Window> SlowWindows(const std::vector<Row>& rows, size_t history, size_t horizon,
                                std::optional<int64_t> step) {
  std::vector<Window> windows;
  for (size_t anchor = 0; anchor < rows.size(); ++anchor) {
    if (anchor + 1 < history || anchor + horizon >= rows.size()) continue;
    const size_t first = anchor + 1 - history, last = anchor + horizon;
    bool whole = rows[last].target.has_value();
    for (size_t i = first; i <= last; ++i) {
      whole = whole && rows[i].seconds && rows[i].group == rows[first].group;
      if (!whole || i == first) continue;
      const int64_t apart = *rows[i].seconds - *rows[i - 1].seconds;
      whole = step ? apart == *step : apart >= 0;
    }
    if (!whole) continue;
    windows.push_back({static_cast<int64_t>(anchor), Join(rows, first, anchor + 1),
                       *rows[anchor].seconds, rows[last].target});
  }
  return windows;
}

std::string RandomSpec(size_t history, size_t horizon, std::optional<int64_t> step) {
  return fmt::format(
      "format: csv\nevent_time: {{column: t, format: unix}}\nmax_bad_fraction: 1\nlabel_delay: 0s\n"
      "series: {{group: g, target: y, history: {}, horizon: {}{}}}\n",
      history, horizon, step ? fmt::format(", step: {}s", *step) : "");
}

TEST_F(SeriesViewTest, FindsTheWindowsOfTheDefinitionInRandomFiles) {
  std::mt19937 random(7);
  size_t num_windows = 0;
  for (int round = 0; round < 300; ++round) {
    const std::vector<Row> rows = RandomRows(random);
    const size_t history = 1 + random() % 5, horizon = random() % 4;
    const auto step = random() % 2 == 0 ? std::optional<int64_t>(1) : std::nullopt;
    const std::vector<Window> expected = SlowWindows(rows, history, horizon, step);
    ASSERT_EQ(
        WindowsOf(RandomSpec(history, horizon, step), "t,g,y,note\n" + Join(rows, 0, rows.size())),
        expected)
        << "round " << round;
    num_windows += expected.size();
  }
  EXPECT_GT(num_windows, 3000U);
}

TEST_F(SeriesViewTest, AGrowingFileGivesEachWindowOnceAndEveryBadRowOnce) {
  std::mt19937 random(8);
  for (int round = 0; round < 100; ++round) {
    const std::vector<Row> rows = RandomRows(random);
    const size_t history = 1 + random() % 5, horizon = random() % 4;
    const auto step = random() % 2 == 0 ? std::optional<int64_t>(1) : std::nullopt;
    const DatasetSpec spec = Spec(RandomSpec(history, horizon, step) + "append: true\n");
    const std::string whole =
        "t,g,y,note\n" + Join(rows, 0, rows.size()) + (rows.empty() ? "" : "\n");
    std::vector<Window> taken;
    int64_t num_bad = 0, num_told = 0, from_byte = 0, from_record = 0;
    for (size_t size = 11; size < whole.size();) {
      size = std::min(whole.size(), size + 1 + random() % 200);
      data_.Write("x.csv", whole.substr(0, size));
      const auto found = Index(spec, "x.csv", from_byte, from_record);
      ASSERT_THAT(found, IsOk());
      for (Window& window : Windows("x.csv", *found)) taken.push_back(std::move(window));
      num_bad += found->num_bad;
      for (const auto& [reason, count] : Told(*found)) num_told += count;
      from_byte = found->bytes_done;
      from_record = found->records_done;
    }
    ASSERT_EQ(taken, SlowWindows(rows, history, horizon, step)) << "round " << round;
    data_.Write("x.csv", whole);
    int64_t num_told_at_once = 0;
    const auto at_once = Index(spec, "x.csv");
    ASSERT_THAT(at_once, IsOk());
    for (const auto& [reason, count] : Told(*at_once)) num_told_at_once += count;
    ASSERT_EQ(num_told, num_told_at_once) << "round " << round;
    ASSERT_EQ(num_bad,
              std::count_if(rows.begin(), rows.end(), [](const Row& row) { return !row.seconds; }));
  }
}

}  // namespace
}  // namespace tidemill::storage
