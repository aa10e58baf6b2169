// Formats of users, in Python and in C++: what built-in formats promise, and what becomes of a
// plug-in that does wrong. Ingested on a real PostgreSQL.
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "storage/spec/formats/plugin_format.h"
#include "storage/testing/format_fixture.h"
#include "storage/testing/ingest_fixture.h"
#include "tests/plugin/test_plugins.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using testing::FormatTest;
using ::testing::HasSubstr;
using testing::IngestTest;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::WantedSample;
using tests::SubmittedPart;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

constexpr char kFacts[] = "\nlabel: {from_format: true}\nevent_time: {from_format: true}\n";

// A dataset after the submission of its pipeline.
DatasetSpec SubmittedSpec(const std::string& folder, const std::string& format,
                          const std::string& rest = kFacts) {
  auto spec = SubmittedPart<DatasetSpec>("path: " + folder + "\nformat: {type: plugin, " + format +
                                         "}" + rest);
  EXPECT_THAT(spec, IsOk());
  return *spec;
}

const std::string kLanguages[] = {"lines.py", "liblines.so"};

std::string Use(const std::string& file, const std::string& more = "") {
  return "use: '" + file + ":Lines'" + more;
}

class FormatPluginTest : public FormatTest {
 protected:
  DatasetSpec Submitted(const std::string& format, const std::string& rest = kFacts) const {
    return SubmittedSpec(data_.path(), format, rest);
  }
};

TEST_F(FormatPluginTest, SaysWhereRecordsAreAndWhatTheySay) {
  data_.Write("a",
              "3 1700000000000000 one\n\n?  \n? 1700000000000007\nnothing\n0 1700000000000009");
  for (const std::string& file : kLanguages) {
    SCOPED_TRACE(file);
    const auto found = Index(Submitted(Use(file)), "a");
    ASSERT_THAT(found, IsOk());
    EXPECT_THAT(Samples("a", *found),
                ElementsAre(WantedSample{"3 1700000000000000 one", 3, 1'700'000'000'000'000},
                            WantedSample{"? 1700000000000007", std::nullopt, 1'700'000'000'000'007},
                            WantedSample{"0 1700000000000009", 0, 1'700'000'000'000'009}));
    EXPECT_THAT(found->positions, ElementsAre(0, 2, 4));
    ASSERT_THAT(found->bad, SizeIs(2));
    EXPECT_EQ(found->bad[1].position, 3);
    EXPECT_EQ(found->bad[1].reason, "'nothing' is not a line with a label and a time");
    EXPECT_EQ(found->records_done, 5);
    EXPECT_FALSE(found->more);
  }
}

TEST_F(FormatPluginTest, ReadsAFileInPiecesAsInOne) {
  std::string text;
  for (int i = 0; i < 60'000; ++i) {
    text += fmt::format("{} {} {}\n", i % 7, 1'700'000'000'000'000 + i, std::string(i % 13, 'x'));
  }
  data_.Write("a", text);
  std::vector<WantedSample> first;
  for (const std::string& file : kLanguages) {
    SCOPED_TRACE(file);
    const DatasetSpec spec = Submitted(Use(file));
    const auto whole = Index(spec, "a");
    ASSERT_THAT(whole, IsOk());
    EXPECT_EQ(whole->records_done, 60'000);
    EXPECT_EQ(whole->bytes_done, std::ssize(text));
    const std::vector<WantedSample> samples = Samples("a", *whole);
    if (first.empty()) first = samples;
    EXPECT_EQ(samples == first, true) << "both languages read the same";
    const auto format = MakeFormat(spec, *cache_);
    FileInput input{.root = data_.path(), .path = "a", .max_records = 20'001};
    std::vector<WantedSample> in_pieces;
    for (bool more = true; more;) {
      const auto piece = (*format)->Index(input);
      ASSERT_THAT(piece, IsOk());
      for (WantedSample& sample : Samples("a", *piece)) in_pieces.push_back(std::move(sample));
      EXPECT_LE(std::ssize(piece->positions), 20'001);
      input.from_byte = piece->bytes_done;
      input.from_record = piece->records_done;
      more = piece->more;
    }
    EXPECT_EQ(in_pieces == samples, true);
  }
}

TEST_F(FormatPluginTest, SeesTheBeginningOfItsFileBesideEachPiece) {
  std::string bytes("\x03\x00", 2);
  for (int i = 0; i < 500'000; ++i) bytes += std::string(1, static_cast<char>(i % 5)) + "ab";
  data_.Write("a", bytes + "z");
  for (const std::string& file : kLanguages) {
    SCOPED_TRACE(file);
    const auto found =
        Index(Submitted("use: '" + file + ":Sized'", "\nlabel: {from_format: true}"), "a");
    ASSERT_THAT(found, IsOk());
    EXPECT_EQ(found->rows.num_rows(), 500'000);
    EXPECT_EQ(found->rows.byte_from.back(), 2 + 3 * 499'999);
    EXPECT_EQ(found->rows.class_label[499'998], 3);
    ASSERT_THAT(found->bad, SizeIs(1));
    EXPECT_EQ(found->bad[0].reason, "the file ends within a record");
    EXPECT_EQ(found->lost_bytes, 1);
  }
}

TEST_F(FormatPluginTest, ThatFailsFailsWithItsOwnWords) {
  data_.Write("a", "1 1700000000000000\n!!!\n");
  for (const std::string& file : kLanguages) {
    SCOPED_TRACE(file);
    EXPECT_THAT(Index(Submitted(Use(file, ", with: {how: throw}")), "a"),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("thrown on purpose")));
    EXPECT_THAT(Index(Submitted(Use(file, ", with: {how: crash}")), "a"),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         ::testing::AllOf(HasSubstr("its process died of signal 6"),
                                          HasSubstr("about to fail"))));
    EXPECT_THAT(
        Index(Submitted(Use(file, ", with: {how: hang}, timeout: 1s")), "a"),
        StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("read took longer than 1s")));
  }
}

TEST_F(FormatPluginTest, EndsWhenItsFileIsNoLongerWanted) {
  data_.Write("a", "1 1700000000000000\n!!!\n");
  for (const std::string& file : kLanguages) {
    SCOPED_TRACE(file);
    const auto format =
        MakeFormat(Submitted(Use(file, ", with: {how: hang}, timeout: 1h")), *cache_);
    ASSERT_THAT(format, IsOk());
    EXPECT_THAT(
        (*format)->Index({.root = data_.path(), .path = "a", .is_unwanted = [] { return true; }}),
        StatusIs(absl::StatusCode::kCancelled, HasSubstr("is no longer wanted")));
  }
}

TEST_F(FormatPluginTest, WhoseProcessEndsAtEachFileIsNotAskedAboutAllOfThem) {
  data_.Write("a", "!!!\n");
  const DatasetSpec spec = Submitted(Use("liblines.so", ", with: {how: crash}"));
  const auto format = MakeFormat(spec, *cache_);
  ASSERT_THAT(format, IsOk());
  const FileInput input{.root = data_.path(), .path = "a"};
  for (int file = 0; file < 3; ++file) {
    EXPECT_THAT((*format)->Index(input),
                StatusIs(absl::StatusCode::kFailedPrecondition, ::testing::_));
  }
  EXPECT_THAT((*format)->Index(input),
              StatusIs(absl::StatusCode::kUnavailable,
                       HasSubstr("the next sync reads the files after them")));
}

TEST_F(FormatPluginTest, WithWrongAnswersGetsAMessage) {
  data_.Write("a", "abcdef");
  const auto told = [&](const std::string& how) {
    return Index(Submitted("use: 'lines.py:Wrong', with: {how: " + how + "}"), "a")
        .status()
        .ToString();
  };
  EXPECT_THAT(told("overlap"), HasSubstr("records one after another"));
  EXPECT_THAT(told("empty"), HasSubstr("records that have bytes"));
  EXPECT_THAT(told("beyond"), HasSubstr("all from 0 to 6"));
  EXPECT_THAT(told("consumed"), HasSubstr("records, then consumed"));
  EXPECT_THAT(told("nothing"), HasSubstr("a plugin.Records, and returned None"));
  EXPECT_THAT(told("no_labels"), HasSubstr("it gives no labels; name another source of the label"));
}

TEST_F(FormatPluginTest, IsRefusedWhereItCannotWork) {
  const auto problem = [&](const std::string& text) {
    return SubmittedPart<DatasetSpec>("path: /x\n" + text).status().ToString();
  };
  EXPECT_THAT(problem("format: {type: plugin, use: 'lines.py:Lines', with: {hwo: throw}}"),
              HasSubstr("the plug-in has no setting 'hwo'"));
  EXPECT_THAT(problem("format: {type: plugin, use: 'scores.py:Margin'}"), HasSubstr("score"));
  EXPECT_THAT(problem("format: csv\nlabel: {from_format: true}"),
              HasSubstr("only plugin says labels and times"));
  EXPECT_THAT(problem("format: {type: plugin, use: 'lines.py:Lines'}\nlabel: {column: y}"),
              HasSubstr("label.column"));
  EXPECT_THAT(MakeFormat(*config::Read<DatasetSpec>(
                             "path: /x\nformat: {type: plugin, use: 'lines.py:Lines'}", "spec"),
                         *cache_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("was not read")));
}

class FormatPluginIngestTest : public IngestTest {
 protected:
  std::string SpecOf(const std::string& format, const std::string& rest = "") const {
    return config::Print(SubmittedSpec(data_.path(), format, kFacts + rest));
  }
  static std::string Lines(int from, int to) {
    std::string text;
    for (int i = from; i < to; ++i)
      text += fmt::format("{} {}\n", i % 3, 1'700'000'000'000'000 + i);
    return text;
  }
  DatasetLeftOut LeftOut(DatasetId id) { return stack_->catalog().Count(id)->left_out; }
};

TEST_F(FormatPluginIngestTest, BadRecordsAndFilesCostThemselvesAndAreNamed) {
  data_.Write("a", "bad\n" + Lines(0, 4));
  data_.Write("b", Lines(0, 2) + "!!!\n" + Lines(2, 4));
  data_.Write("c", Lines(10, 12));
  for (const std::string& file : kLanguages) {
    SCOPED_TRACE(file);
    const auto registered = stack_->catalog().Register(
        "", file == "lines.py" ? "py" : "so", SpecOf(Use(file, ", with: {how: crash}")), {});
    ASSERT_THAT(registered, IsOk());
    Sync(registered->id);
    EXPECT_EQ(stack_->catalog().Count(registered->id)->num_samples, 6);
    const DatasetLeftOut left_out = LeftOut(registered->id);
    ASSERT_THAT(left_out.reasons, SizeIs(2));
    EXPECT_EQ(left_out.reasons[1].first_record, 0);
    EXPECT_EQ(left_out.reasons[1].first_reason, "'bad' is not a line with a label and a time");
  }
  const auto quarantine = Query(
      "SELECT substring(path from '[a-c]$'), coalesce(position, -1), reason "
      "FROM storage.quarantine ORDER BY path, reason");
  ASSERT_THAT(quarantine, SizeIs(4));
  EXPECT_EQ(quarantine[0][0] + quarantine[0][1], "a0");
  EXPECT_EQ(quarantine[2][0] + quarantine[2][1], "b-1");
  for (const size_t row : {2, 3}) {
    EXPECT_THAT(quarantine[row][2], HasSubstr("its process died of signal 6"));
    EXPECT_THAT(quarantine[row][2], HasSubstr("about to fail")) << "what it printed";
  }
}

TEST_F(FormatPluginIngestTest, AFaultInALaterPieceCostsTheWholeFile) {
  std::string text = Lines(0, 90'000) + "!!!\n";
  data_.Write("a", text);
  Restart(2, {.intake = {.samples_per_batch = 20'000}});
  const DatasetId id = Register(SpecOf(Use("liblines.so", ", with: {how: throw}")));
  Sync(id);
  EXPECT_THAT(Samples(), IsEmpty());
  ASSERT_THAT(LeftOut(id).reasons, SizeIs(1));
  EXPECT_THAT(LeftOut(id).reasons[0].first_reason, HasSubstr("thrown on purpose"));
}

TEST_F(FormatPluginIngestTest, ContinuesAfterAKillAsIfThereHadBeenNone) {
  data_.Write("a", Lines(0, 20'000));
  data_.Write("b", Lines(0, 10));
  IngestorOptions options{.intake = {.samples_per_batch = 4'000}};
  Restart(2, options);
  const DatasetId id = Register(SpecOf(Use("lines.py")));
  SyncAndDieAt(id, "storage.ingest_after_commit", 3, options);
  Sync(id);
  const auto samples = Samples();
  ASSERT_THAT(samples, SizeIs(20'010));
  for (size_t i = 0; i < 20'000; ++i) {
    ASSERT_EQ(samples[i].place, fmt::format("a:{}", i));
    ASSERT_EQ(samples[i].bytes, fmt::format("{} {}", i % 3, 1'700'000'000'000'000 + i));
    ASSERT_EQ(samples[i].label, static_cast<int64_t>(i % 3));
  }
  LoseColumnFiles(id);
  EXPECT_THAT(NumIndexedRows(id), tidemill::testing::IsOkAndHolds(20'010));
  EXPECT_EQ(Samples() == samples, true) << "column files are made again by the plug-in";
}

TEST_F(FormatPluginIngestTest, TakesWhatAGrownFileHasGained) {
  data_.Write("a", Lines(0, 3) + "1 17000");
  const DatasetId id = Register(SpecOf(Use("lines.py", ", with: {how: throw}"), "append: true\n"));
  Sync(id);
  EXPECT_THAT(Samples(), SizeIs(3)) << "the last line is not complete yet";
  data_.Write("a", Lines(0, 6));
  Sync(id);
  EXPECT_THAT(Samples(), SizeIs(6));
  EXPECT_THAT(LeftOut(id).reasons, IsEmpty());
  data_.Write("a", Lines(0, 6) + "!!!\n");
  Sync(id);
  EXPECT_THAT(Samples(), SizeIs(6)) << "a fault costs what has come since";
  ASSERT_THAT(LeftOut(id).reasons, SizeIs(1));
  EXPECT_EQ(LeftOut(id).lost_bytes, 4);
  data_.Write("a", Lines(0, 6) + "!!!\n" + Lines(6, 8));
  Sync(id);
  EXPECT_THAT(Samples(), SizeIs(8));
}

TEST_F(FormatPluginIngestTest, DoesNotKeepADeletionOfItsDatasetWaiting) {
  data_.Write("a", "1 1700000000000000\n!!!\n");
  const DatasetId id = Register(SpecOf(Use("lines.py", ", with: {how: hang}, timeout: 1h")));
  std::promise<void> began;
  bool has_begun = false;
  absl::Status synced;
  std::thread ingest([&] {
    synced = stack_->ingestor()
                 .Sync(id, /*wait=*/false,
                       [&](const SyncProgress&) {
                         if (!std::exchange(has_begun, true)) began.set_value();
                       })
                 .status();
  });
  began.get_future().wait();
  EXPECT_THAT(stack_->catalog().Delete("", "d", {}), IsOkAndHolds(true));
  ingest.join();
  EXPECT_FALSE(synced.ok());
}

}  // namespace
}  // namespace tidemill::storage
