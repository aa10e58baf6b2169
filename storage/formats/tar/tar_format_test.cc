#include "storage/spec/formats/tar_format.h"

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

TEST_F(FormatTest, ConcatenatedArchivesAreOne) {
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
constexpr char kPlainTarSpec[] = R"(
format: {type: tar, payload: [bin]}
event_time: {row: {start: 1970-01-01, step: 1s}}
label: {member: cls}
max_bad_fraction: 1
)";

// The members of `count` samples, the first of which has the number `from`.
std::vector<TarEntry> Pairs(int from, int count) {
  std::vector<TarEntry> entries;
  for (int i = from; i < from + count; ++i) {
    entries.push_back({fmt::format("{}.bin", i), fmt::format("payload {}", i)});
    entries.push_back({fmt::format("{}.cls", i), "3"});
  }
  return entries;
}

std::string Members(const std::vector<TarEntry>& entries) {
  std::string members;
  for (const TarEntry& entry : entries) members += TarMemberBytes(entry);
  return members;
}

TEST_F(FormatTest, ADamagedHeaderOfATarCostsTheSampleThatItHides) {
  std::string archive = Archive(Pairs(10, 5));
  archive[2 * 2048 + 1] = '?';  // In the name of 12.bin.
  data_.Write("x", archive);
  const auto found = Index(Spec(kPlainTarSpec), "x");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(Bytes("x", *found),
              ElementsAre("payload 10", "payload 11", "payload 13", "payload 14"));
  ASSERT_EQ(found->bad.size(), 1U);
  EXPECT_EQ(found->bad[0].reason, "'12': the sample has no member with its payload");
  EXPECT_EQ(found->lost_bytes, 1024);
  EXPECT_EQ(found->num_bytes, std::ssize(archive));
}

TEST_F(FormatTest, ASampleWhoseLabelADamagedHeaderHidesIsNotOneWithoutALabel) {
  std::string archive = Archive(Pairs(10, 5));
  archive[2 * 2048 + 1024] = '?';  // In the name of 12.cls.
  data_.Write("x", archive);
  const auto found = Index(Spec(kPlainTarSpec), "x");
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->positions.size(), 4U);
  ASSERT_EQ(found->bad.size(), 1U);
  EXPECT_THAT(found->bad[0].reason, HasSubstr("'12': the archive is damaged beside it"));
  EXPECT_EQ(found->lost_bytes, 1024);
}

TEST_F(FormatTest, LostSamplesBetweenSoundOnesOfATarAreOneRecordAndTheirBytes) {
  std::string archive = Archive(Pairs(10, 5));
  archive.replace(2 * 2048, 2 * 2048, std::string(2 * 2048, '?'));
  data_.Write("x", archive);
  const auto found = Index(Spec(kPlainTarSpec), "x");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(Bytes("x", *found), ElementsAre("payload 10", "payload 11", "payload 14"));
  ASSERT_EQ(found->bad.size(), 1U);
  EXPECT_EQ(found->bad[0].reason,
            "a header is damaged: 4096 bytes from byte 4096 on hold no member");
  EXPECT_EQ(found->lost_bytes, 4096);
}

TEST_F(FormatTest, MembersAfterBytesThatWereInsertedIntoATarAreFound) {
  const std::string before = Members(Pairs(10, 3)), behind = Archive(Pairs(13, 3));
  for (const size_t size : {1, 511, 512, 700, 5000}) {
    data_.Write("x", before + std::string(size, '?') + behind);
    const auto found = Index(Spec(kPlainTarSpec), "x");
    ASSERT_THAT(found, IsOk());
    EXPECT_EQ(found->positions.size(), 6U) << size;
    EXPECT_EQ(found->lost_bytes, static_cast<int64_t>(size));
    EXPECT_EQ(found->num_bad, 1);
  }
}

TEST_F(FormatTest, ConcatenatedArchivesAreReadThoughTheFirstIsCut) {
  const std::string second = Archive(Pairs(20, 4));
  data_.Write("whole", Archive(Pairs(10, 4)) + std::string(8192, '\0') + second);
  const auto whole = Index(Spec(kPlainTarSpec), "whole");
  ASSERT_THAT(whole, IsOk());
  EXPECT_EQ(whole->positions.size(), 8U);
  EXPECT_EQ(whole->num_bad, 0);
  // A part of the first archive's last member is there. It has fewer bytes than it should, or more
  // than the second archive has.
  for (const size_t size : {size_t{2000}, size_t{100'000}}) {
    const std::string cut =
        TarMemberBytes({"14.cls", "3"}) + TarMemberBytes({"14.bin", std::string(size, 'p')});
    data_.Write("cut", Members(Pairs(10, 4)) + cut.substr(0, 1024 + 512 + 512) + second);
    const auto found = Index(Spec(kPlainTarSpec), "cut");
    ASSERT_THAT(found, IsOk());
    EXPECT_EQ(found->positions.size(), 8U) << size;
    ASSERT_EQ(found->bad.size(), 1U) << size;
    EXPECT_THAT(found->bad[0].reason, HasSubstr("'14': the archive is damaged within it"));
  }
}

TEST_F(FormatTest, BytesAfterTheEndOfATarAreReportedAndCostNothing) {
  data_.Write("x", Archive(Pairs(10, 2)) + std::string(700, '?'));
  const auto found = Index(Spec(kPlainTarSpec), "x");
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->positions.size(), 2U);
  EXPECT_EQ(found->num_bad, 0);
  EXPECT_THAT(
      found->remarks,
      ElementsAre("700 bytes from byte 5120 on, after the end of the archive, hold no member"));
}

TEST_F(FormatTest, MembersOfATarThatBelongToNoSampleAreCountedAndNamed) {
  std::vector<TarEntry> entries = Pairs(10, 2);
  for (const char* const name : {"shot-1.10.bin", "shot-1.10.cls", "README"}) {
    entries.push_back({name, "x"});
  }
  data_.Write("x", Archive(entries));
  const auto found = Index(Spec(kPlainTarSpec), "x");
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->positions.size(), 2U);
  EXPECT_EQ(found->num_bad, 0) << "they are not bad samples";
  const auto& reasons = found->left_out.items();
  ASSERT_EQ(reasons.size(), 2U);
  EXPECT_EQ(reasons[0].num_members, 2);
  EXPECT_FALSE(reasons[0].wanted) << "their names end like those of samples";
  EXPECT_THAT(found->remarks, ElementsAre("'2' members belong to no sample; the first is "
                                          "'shot-1.10.bin': key 'shot-1', extension '10.bin'"));
  EXPECT_TRUE(reasons[1].wanted);
  EXPECT_EQ(reasons[1].first_reason,
            "'1' members are not named by the dataset; the first is 'README': its name is not a "
            "key, a dot and an extension");
  // Samples with another extension are missed, be they all or many. Some notes are not.
  for (const int num_samples : {0, 3, 40}) {
    std::vector<TarEntry> some = Pairs(10, num_samples);
    some.push_back({"1.dat", "x"});
    some.push_back({"2.dat", "x"});
    data_.Write("y", Archive(some));
    const auto others = Index(Spec(kPlainTarSpec), "y");
    ASSERT_THAT(others, IsOk());
    EXPECT_EQ(others->positions.size(), static_cast<size_t>(num_samples));
    ASSERT_EQ(others->left_out.items().size(), 1U);
    EXPECT_EQ(others->left_out.items()[0].num_members, 2);
    EXPECT_EQ(others->left_out.items()[0].wanted, num_samples == 40);
  }
}

TEST_F(FormatTest, MembersOfItsSamplesThatADatasetDoesNotNameAreCountedAsWanted) {
  std::vector<TarEntry> entries;
  for (const TarEntry& entry : Pairs(10, 3)) {
    entries.push_back(entry);
    if (entry.name.ends_with("cls")) entries.push_back({entry.name.substr(0, 2) + ".json", "{}"});
  }
  data_.Write("x", Archive(entries));
  const auto found = Index(Spec(kPlainTarSpec), "x");
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->positions.size(), 3U);
  EXPECT_THAT(found->remarks, IsEmpty());
  ASSERT_EQ(found->left_out.items().size(), 1U);
  EXPECT_EQ(found->left_out.items()[0].num_members, 3);
  EXPECT_TRUE(found->left_out.items()[0].wanted);
}

TEST_F(FormatTest, SamplesOfATarWhoseMembersAreNotAdjacentAreReported) {
  std::vector<TarEntry> payloads, labels, elsewhere;
  for (int i = 10; i < 14; ++i) {
    payloads.push_back({fmt::format("{}.bin", i), "x"});
    labels.push_back({fmt::format("{}.cls", i), "3"});
    elsewhere.push_back({fmt::format("labels/{}.cls", i), "3"});
  }
  data_.Write("x", Members(payloads) + Archive(labels));
  const auto found = Index(Spec(kPlainTarSpec), "x");
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->num_bad, 4);
  EXPECT_THAT(found->remarks,
              ElementsAre("the members of 4 samples are not next to each other, such as those of "
                          "'10': write the archive with tar --sort=name"));
  data_.Write("y", Members(payloads) + Archive(elsewhere));
  const auto apart = Index(Spec(kPlainTarSpec), "y");
  ASSERT_THAT(apart, IsOk());
  EXPECT_THAT(apart->remarks,
              ElementsAre("the payloads of 4 samples are in another folder than their labels or "
                          "times, such as '10' and 'labels/10': put the members of a sample into "
                          "one folder, side by side"));
}

// A link is a header that names its target.
std::string Link(const std::string& name, const std::string& target, char type) {
  return TarHeader(name, "", 0, type, target);
}

TEST_F(FormatTest, LinksOfATarLeadToMembers) {
  std::string archive =
      TarMemberBytes({"./set/10.bin", "first"}) + TarMemberBytes({"./set/10.cls", "4"}) +
      TarMemberBytes({"set/11.bin", "second"}) + Link("set/11.cls", "set/10.cls", '1') +
      Link("set/12.bin", "../set/13.bin", '2') + Link("set/12.cls", "./11.cls", '2') +
      TarMemberBytes({"set/13.bin", "third"}) + Link("set/13.cls", "10.cls", '2');
  data_.Write("x", archive + TarEnd());
  const auto found = Index(Spec(kPlainTarSpec), "x");
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->num_bad, 0) << (found->bad.empty() ? "" : found->bad[0].reason);
  EXPECT_THAT(Bytes("x", *found), ElementsAre("first", "second", "third", "third"));
  EXPECT_THAT(found->rows.class_label, ElementsAre(4, 4, 4, 4));
}

TEST_F(FormatTest, AHardLinkOfATarLeadsToTheLastMemberBeforeIt) {
  const auto half = [](const std::string& label) {
    return TarMemberBytes({"10.bin", "x"}) + TarMemberBytes({"10.cls", label}) +
           TarMemberBytes({"11.bin", "y"}) + Link("11.cls", "10.cls", '1');
  };
  data_.Write("x", half("1") + half("2") + TarEnd());
  const auto found = Index(Spec(kPlainTarSpec), "x");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->rows.class_label, ElementsAre(1, 1, 2, 2));
}

TEST_F(FormatTest, ALinkOfATarThatLeadsNowhereSaysWhere) {
  data_.Write("x", TarMemberBytes({"10.bin", "x"}) + Link("10.cls", "gone.cls", '1') +
                       Link("11.bin", "/data/11.bin", '2') + TarMemberBytes({"11.cls", "3"}) +
                       Link("12.bin", "12.bin", '2') + TarMemberBytes({"12.cls", "3"}) +
                       Link("13.bin", "../../x", '2') + TarEnd());
  const auto found = Index(Spec(kPlainTarSpec), "x");
  ASSERT_THAT(found, IsOk());
  ASSERT_EQ(found->bad.size(), 4U);
  EXPECT_EQ(found->bad[0].reason,
            "'10': its label: it is a hard link to 'gone.cls', which the archive does not hold");
  EXPECT_EQ(
      found->bad[1].reason,
      "'11': its payload: it is a symbolic link to '/data/11.bin', which the archive does not "
      "hold");
  EXPECT_THAT(found->bad[2].reason, HasSubstr("symbolic link to '12.bin'"));
  EXPECT_THAT(found->bad[3].reason, HasSubstr("symbolic link to '../../x'"));
}

// Damage at every place, and headers that ask for more than the archive has: the reader passes each
// byte a few times.
TEST_F(FormatTest, ATarFullOfDamageIsReadAtALinearCost) {
  std::string archive;
  for (int i = 0; i < 12'000; ++i) {
    archive += TarHeader(fmt::format("{}.bin", i), "", 7812 * 512, '0') + std::string(512, 'u');
  }
  data_.Write("x", archive);
  const auto found = Index(Spec(kPlainTarSpec), "x");
  ASSERT_THAT(found, IsOk());
  EXPECT_GE(found->num_bad, 10'000);
}

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
    // The bytes before the damage are untouched.
    for (size_t i = 0; i < wanted.size() && ranges[i].second <= at; ++i) {
      ASSERT_EQ(left.at(i), wanted[i]) << at;
    }
  }
}

}  // namespace
}  // namespace tidemill::storage
