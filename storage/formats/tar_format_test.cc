#include "storage/client/formats/tar_format.h"

#include <cstdlib>
#include <random>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "storage/testing/format_fixture.h"
#include "storage/testing/random_bytes.h"
#include "storage/testing/tar_writer.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using testing::FormatTest;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LongNames;
using testing::RandomBytes;
using testing::TarEnd;
using testing::TarEntry;
using testing::TarHeader;
using testing::TarMemberBytes;
using testing::WantedSample;
using tidemill::testing::IsOk;

constexpr char kTarSpec[] = R"(
format: {type: tar, payload: [jpg, png]}
event_time: {member: time, format: unix}
label: {member: cls}
max_bad_fraction: 1
)";

std::string Archive(const std::vector<TarEntry>& entries) {
  std::string archive;
  for (const TarEntry& entry : entries) archive += TarMemberBytes(entry);
  return archive + TarEnd();
}

TEST_F(FormatTest, SamplesOfATarComeBackAsTheyWereWritten) {
  std::mt19937 random(13);
  for (int round = 0; round < 12; ++round) {
    std::string archive;
    std::vector<WantedSample> wanted;
    for (int count = static_cast<int>(random() % 30); count > 0; --count) {
      const std::string key =
          fmt::format("./s\xc3\xa4ts/{}{:04}", std::string(random() % 3 * 90, 'n'), wanted.size());
      const auto label = static_cast<int64_t>(random() % 1000);
      const std::string bytes =
          RandomBytes(random, random() % 10 == 0 ? random() % 3'000'000 : random() % 1030);
      std::vector<TarEntry> members = {{key + (random() % 2 == 0 ? ".jpg" : ".PNG"), bytes},
                                       {key + ".cls", fmt::format(" {}\n", label)},
                                       {key + ".time", std::to_string(label + 5)},
                                       {key + ".seg.png", RandomBytes(random, 700)}};
      std::shuffle(members.begin(), members.end(), random);
      if (random() % 3 == 0) members.push_back({"README", "about"});
      if (random() % 3 == 0) members.insert(members.begin(), {"./s\xc3\xa4ts/", "", '5'});
      for (const TarEntry& member : members) {
        archive += TarMemberBytes(member, random() % 2 == 0 ? LongNames::kPax : LongNames::kGnu);
      }
      wanted.push_back({bytes, label, (label + 5) * 1'000'000});
    }
    data_.Write("x.tar", archive + TarEnd() + std::string(random() % 3 * 512, '\0'));
    const auto found = Index(Spec(kTarSpec), "x.tar");
    ASSERT_THAT(found, IsOk());
    ASSERT_THAT(found->bad.empty() ? "" : found->bad[0].reason, "");
    ASSERT_EQ(Samples("x.tar", *found), wanted);
  }
}

TEST_F(FormatTest, ATarOfEveryKindThatDebiansTarWritesIsRead) {
  const std::string long_name =
      "deep/" + std::string(180, 'd') + "/" + std::string(120, 'n') + "\xc3\xbc";
  data_.Write("in/a.jpg", std::string(1000, 'a'));
  data_.Write("in/a.cls", "3\n");
  data_.Write("in/a.time", "10");
  data_.Write("in/" + long_name + ".png", std::string(513, 'b'));
  data_.Write("in/" + long_name + ".cls", "4");
  data_.Write("in/" + long_name + ".time", "11");
  for (const std::string kind : {"gnu", "posix", "oldgnu"}) {
    const std::string command = fmt::format(
        "cd {0}/in && tar --format={1} --sort=name -cf ../{1}.tar . 2>&1", data_.path(), kind);
    ASSERT_EQ(std::system(command.c_str()), 0) << "tar is a part of every Debian";
    const auto found = Index(Spec(kTarSpec), kind + ".tar");
    ASSERT_THAT(found, IsOk());
    EXPECT_THAT(Samples(kind + ".tar", *found),
                ElementsAre(WantedSample{std::string(1000, 'a'), 3, 10'000'000},
                            WantedSample{std::string(513, 'b'), 4, 11'000'000}))
        << kind;
    EXPECT_EQ(found->num_bad, 0) << kind;
  }
}

TEST_F(FormatTest, LabelsAndTimesMayBeFieldsOfAJsonMember) {
  data_.Write("x.tar", Archive({{"1.txt", "one"},
                                {"1.json", R"({"meta": {"y": "b", "t": "2020-01-01"}})"},
                                {"2.txt", "two"},
                                {"2.json", "{\"meta\": {\"y\": \"b\"}}"}}));
  const auto found = Index(Spec(R"(
format: {type: tar, payload: [txt]}
event_time: {member: json, column: meta.t}
label: {member: json, column: meta.y, classes: [a, b]}
)"),
                           "x.tar");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(Samples("x.tar", *found),
              ElementsAre(WantedSample{"one", 1, ParseTimestamp("2020-01-01")->micros}));
  ASSERT_EQ(found->bad.size(), 1U);
  EXPECT_THAT(found->bad[0].reason, HasSubstr("'2': there is no field meta.t"));
}

TEST_F(FormatTest, ABadSampleOfATarCostsThatSample) {
  std::vector<TarEntry> entries;
  for (const std::string key : {"a", "b", "c", "d", "e"}) {
    entries.push_back({key + ".jpg", "image " + key});
    entries.push_back({key + ".cls", key == "b" ? "x" : "1"});
    if (key != "c") entries.push_back({key + ".time", "5"});
    if (key == "d") entries.push_back({"d.jpg", "again"});
  }
  entries.push_back({"f.cls", "1"});
  data_.Write("x.tar", Archive(entries));
  const auto found = Index(Spec(kTarSpec), "x.tar");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(Bytes("x.tar", *found), ElementsAre("image a", "image e"));
  EXPECT_THAT(found->positions, ElementsAre(0, 4));
  std::vector<std::string> reasons;
  for (const BadRecord& bad : found->bad) reasons.push_back(bad.reason);
  EXPECT_THAT(reasons, ElementsAre("'b': label 'x' is not a whole number",
                                   "'c': the sample has no member with its time",
                                   "'d': d.jpg is in the sample twice",
                                   "'f': the sample has no member with its payload"));
}

TEST_F(FormatTest, ArchivesOneBehindTheOtherAreOne) {
  const std::string one = Archive({{"a.jpg", "a"}, {"a.cls", "1"}, {"a.time", "1"}});
  const std::string two = Archive({{"b.jpg", "b"}, {"b.cls", "2"}, {"b.time", "2"}});
  data_.Write("x.tar", one + two);
  const auto found = Index(Spec(kTarSpec), "x.tar");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(Bytes("x.tar", *found), ElementsAre("a", "b"));
  EXPECT_EQ(found->num_bad, 0);
}

TEST_F(FormatTest, SparseMembersAndAbsurdSizesAreRefused) {
  std::string huge = TarHeader("b.jpg", "", 0, '0');
  huge.replace(124, 12, std::string("\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", 12));
  huge.replace(148, 8, "        ");
  uint32_t sum = 0;
  for (const char byte : huge) sum += static_cast<unsigned char>(byte);
  huge.replace(148, 7, fmt::format("{:06o}", sum) + std::string(1, '\0'));
  data_.Write("x.tar", TarMemberBytes({"a.jpg", std::string(600, 's'), 'S'}) +
                           TarMemberBytes({"a.cls", "1"}) + TarMemberBytes({"a.time", "1"}) + huge);
  const auto found = Index(Spec(kTarSpec), "x.tar");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->positions, IsEmpty());
  ASSERT_EQ(found->bad.size(), 3U);
  EXPECT_THAT(found->bad[0].reason, HasSubstr("sparse"));
  EXPECT_THAT(found->bad[1].reason, HasSubstr("the archive ends within it"));
  EXPECT_THAT(found->bad[2].reason, HasSubstr("no end mark"));
}

// What is left of a damaged archive: whole samples with the bytes that the file has for them.
TEST_F(FormatTest, DamagedTarsAreRightOrRefused) {
  std::vector<TarEntry> entries;
  std::vector<std::pair<size_t, size_t>> ranges;
  std::string archive;
  const std::string long_key = std::string(120, 'k');
  for (const std::string key : {"a", long_key.c_str(), "c"}) {
    ranges.emplace_back(archive.size(), 0);
    for (const TarEntry& entry : {TarEntry{key + ".jpg", "image of " + key.substr(0, 3)},
                                  TarEntry{key + ".cls", "7"}, TarEntry{key + ".time", "9"}}) {
      archive += TarMemberBytes(entry);
    }
    ranges.back().second = archive.size();
  }
  archive += TarEnd();
  const DatasetSpec spec = Spec(kTarSpec);
  data_.Write("x", archive);
  const auto sound = Index(spec, "x");
  ASSERT_THAT(sound, IsOk());
  const std::vector<WantedSample> wanted = Samples("x", *sound);
  ASSERT_EQ(wanted.size(), 3U);
  for (size_t size = 0; size < archive.size(); size += 61) {
    data_.Write("x", archive.substr(0, size));
    const auto found = Index(spec, "x");
    ASSERT_THAT(found, IsOk());
    const std::vector<WantedSample> left = Samples("x", *found);
    ASSERT_LE(left.size(), wanted.size());
    ASSERT_TRUE(std::equal(left.begin(), left.end(), wanted.begin())) << size;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (ranges[i].second <= size) {
        ASSERT_GT(left.size(), i) << size;
      }
    }
    if (size <= ranges.back().second) {
      ASSERT_GE(found->num_bad, 1) << size;
    }
  }
  for (size_t at = 0; at < ranges.back().second; at += 3) {
    std::string damaged = archive;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x11);
    data_.Write("x", damaged);
    const auto found = Index(spec, "x");
    ASSERT_THAT(found, IsOk());
    size_t next = 0;
    const std::vector<WantedSample> left = Samples("x", *found);
    for (const WantedSample& sample : left) {
      while (next < wanted.size() && !(at >= ranges[next].first && at < ranges[next].second) &&
             !(wanted[next] == sample)) {
        ++next;
      }
      ASSERT_LT(next++, wanted.size()) << at;
    }
    ASSERT_GE(std::ssize(left) + found->num_bad, 1) << at;
    // What lies before the damage is untouched.
    for (size_t i = 0; i < wanted.size() && ranges[i].second <= at; ++i) {
      ASSERT_EQ(left.at(i), wanted[i]) << at;
    }
  }
}

}  // namespace
}  // namespace tidemill::storage
