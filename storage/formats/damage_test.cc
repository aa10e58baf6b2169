// Files of every format, damaged at random: what is sound is found, what is lost is reported.
//
// TIDEMILL_TEST_DAMAGES sets how many damages each format gets. With it, the shares are printed.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "storage/testing/format_fixture.h"
#include "storage/testing/packing.h"
#include "storage/testing/random_bytes.h"
#include "storage/testing/tar_writer.h"
#include "storage/testing/tfrecord_writer.h"

namespace tidemill::storage::testing {
namespace {

constexpr int kNumFiles = 10;
constexpr int kFewDamages = 60;

// Bytes of a file, [from, to).
struct Extent {
  size_t from = 0;
  size_t to = 0;

  bool Overlaps(const Extent& other) const { return from < other.to && other.from < to; }
};

// A file before the damage.
struct SoundFile {
  std::string bytes;
  // For each record, the bytes that it needs to be read: also those that end the one before it.
  std::vector<Extent> extents = {};
  std::vector<std::string> payloads = {};
};

// What a format is tried with.
struct Subject {
  std::string name;
  std::string spec;
  std::string file;
  std::function<SoundFile(std::mt19937&)> make;
  // Whether records have sums, so that what is taken is what was written.
  bool has_sums = false;
  // Whether records after inserted bytes cannot be found, because only their place tells them.
  bool is_counted = false;
};

enum class Kind { kFlip, kCut, kZeros, kTwice };

struct Damage {
  Kind kind = Kind::kFlip;
  Extent extent;  // The part of the sound file that was changed, cut off or repeated.
  std::string bytes;
};

Damage DamageOf(const std::string& sound, std::mt19937& random) {
  const auto below = [&](size_t size) { return random() % std::max<size_t>(1, size); };
  Damage damage{.kind = static_cast<Kind>(random() % 4), .extent = {}, .bytes = sound};
  const size_t from = below(sound.size());
  const size_t size = 1 + below(std::min<size_t>(700, sound.size() - from));
  switch (damage.kind) {
    case Kind::kFlip:
      damage.extent = {from, from + 1};
      damage.bytes[from] = static_cast<char>(damage.bytes[from] ^ (1 << random() % 8));
      break;
    case Kind::kCut:
      damage.extent = {from, sound.size()};
      damage.bytes.resize(from);
      break;
    case Kind::kZeros:
      damage.extent = {from, from + size};
      damage.bytes.replace(from, size, std::string(size, '\0'));
      break;
    case Kind::kTwice:
      // The bytes after the block are sound, and those at the seam are not.
      damage.extent = {from + size, from + size};
      damage.bytes.insert(from + size, sound.substr(from, size));
      break;
  }
  return damage;
}

bool IsHit(const Subject& subject, const Damage& damage, const Extent& extent) {
  if (damage.kind != Kind::kTwice) return damage.extent.Overlaps(extent);
  const size_t seam = damage.extent.from;
  if (subject.is_counted) return extent.to > seam;
  return extent.from < seam && seam < extent.to;
}

// What came of all damages of a kind.
struct Tally {
  int64_t num_damages = 0;
  int64_t num_sound = 0;  // Records that no damage hit.
  int64_t num_found = 0;
  int64_t num_whole = 0;  // Files that were left out as a whole.
  int64_t num_bad = 0;
  int64_t lost_bytes = 0;
  int64_t num_silent = 0;  // Damages that cost records and were not told.
};

class DamageTest : public FormatTest, public ::testing::WithParamInterface<Subject> {
 protected:
  static int NumDamages() {
    const char* const number = std::getenv("TIDEMILL_TEST_DAMAGES");
    return number == nullptr ? kFewDamages : std::max(1, std::atoi(number));
  }

  void Try(const SoundFile& sound, const Damage& damage) {
    const Subject& subject = GetParam();
    Tally& tally = tallies_[damage.kind];
    ++tally.num_damages;
    data_.Write(subject.file, damage.bytes);
    const auto found = Index(Spec(subject.spec), subject.file);
    if (!found.ok()) {
      // A whole file is left out, and its bytes are counted where it is.
      ASSERT_TRUE(absl::IsDataLoss(found.status()) || absl::IsInvalidArgument(found.status()))
          << found.status();
      ++tally.num_whole;
      return;
    }
    tally.num_bad += found->num_bad;
    tally.lost_bytes += found->lost_bytes;
    Compare(sound, damage, *found, tally);
  }

  void Compare(const SoundFile& sound, const Damage& damage, const IndexedFile& found,
               Tally& tally) {
    const Subject& subject = GetParam();
    std::multiset<std::string> taken;
    size_t taken_bytes = 0;
    for (std::string& bytes : Bytes(subject.file, found)) {
      taken_bytes += bytes.size();
      taken.insert(std::move(bytes));
    }
    size_t longest = 0, frame = 0;
    int64_t num_missing = 0, num_unchanged = 0;
    for (size_t i = 0; i < sound.payloads.size(); ++i) {
      const bool is_found = taken.contains(sound.payloads[i]);
      num_unchanged += is_found ? 1 : 0;
      if (sound.extents.empty()) {
        num_missing += is_found ? 0 : 1;
        continue;
      }
      const size_t size = sound.extents[i].to - sound.extents[i].from;
      longest = std::max(longest, size);
      frame = std::max(frame, size - sound.payloads[i].size());
      // An extent begins with the end of the line before it.
      if (!is_found && sound.extents[i].from + 1 < damage.bytes.size()) ++num_missing;
      if (IsHit(subject, damage, sound.extents[i])) continue;
      ++tally.num_sound;
      tally.num_found += is_found ? 1 : 0;
    }
    if (subject.has_sums) {
      for (const std::string& bytes : taken) {
        ASSERT_TRUE(std::ranges::find(sound.payloads, bytes) != sound.payloads.end());
      }
    }
    ASSERT_GE(found.lost_bytes, 0);
    ASSERT_LE(found.lost_bytes, std::ssize(damage.bytes));
    // Changed records are there under other bytes.
    const int64_t changed = std::ssize(taken) - num_unchanged;
    const bool is_told = found.num_bad > 0 || found.lost_bytes > 0 || !found.remarks.empty();
    const bool is_silent = num_missing > std::max<int64_t>(0, changed) && !is_told;
    if (is_silent) ++tally.num_silent;
    // Good records, bad ones and lost bytes make up the file. A bad one may be two run together.
    const size_t covered = taken_bytes + taken.size() * frame +
                           static_cast<size_t>(found.num_bad + 1) * 2 * longest +
                           static_cast<size_t>(found.lost_bytes);
    const bool ends_in_zeros = !found.remarks.empty();
    if (!ends_in_zeros && !sound.extents.empty()) {
      EXPECT_GE(covered, damage.bytes.size())
          << "kind " << static_cast<int>(damage.kind) << " from " << damage.extent.from;
    }
  }

  void Judge() const {
    static constexpr const char* kNames[] = {"flip", "cut", "zeros", "twice"};
    for (const auto& [kind, tally] : tallies_) {
      const auto sound = static_cast<double>(std::max<int64_t>(1, tally.num_sound));
      const double share = static_cast<double>(tally.num_found) / sound;
      if (std::getenv("TIDEMILL_TEST_DAMAGES") != nullptr) {
        fmt::print(
            "{:<10} {:<6} damages {:>5}  sound {:>8}  found {:>8} ({:.2f} %)  bad {:>6}  "
            "lost bytes {:>8}  whole files {:>5}  silent {}\n",
            GetParam().name, kNames[static_cast<int>(kind)], tally.num_damages, tally.num_sound,
            tally.num_found, 100 * share, tally.num_bad, tally.lost_bytes, tally.num_whole,
            tally.num_silent);
      }
      EXPECT_EQ(tally.num_silent, 0) << kNames[static_cast<int>(kind)];
      if (tally.num_sound > 0) {
        EXPECT_GE(share, 0.99) << kNames[static_cast<int>(kind)];
      }
    }
  }

  std::map<Kind, Tally> tallies_;
};

TEST_P(DamageTest, CostsWhatItHitsAndIsReported) {
  std::mt19937 random(20);
  const int each = std::max(1, NumDamages() / kNumFiles);
  for (int file = 0; file < kNumFiles; ++file) {
    SoundFile sound = GetParam().make(random);
    data_.Write(GetParam().file, sound.bytes);
    const auto all = Index(Spec(GetParam().spec), GetParam().file);
    ASSERT_THAT(all, tidemill::testing::IsOk());
    ASSERT_EQ(all->num_bad, 0);
    ASSERT_EQ(all->lost_bytes, 0);
    sound.payloads = Bytes(GetParam().file, *all);
    if (!sound.extents.empty()) {
      ASSERT_EQ(sound.payloads.size(), sound.extents.size());
    }
    for (int i = 0; i < each; ++i) Try(sound, DamageOf(sound.bytes, random));
  }
  Judge();
}

// Lines that `line(i)` makes. A line needs the end of the one before it.
SoundFile Lines(std::mt19937& random, const std::string& header,
                const std::function<std::string(int)>& line) {
  SoundFile file{.bytes = header};
  const int count = 20 + static_cast<int>(random() % 150);
  for (int i = 0; i < count; ++i) {
    const size_t from = file.bytes.size();
    file.bytes += line(i) + "\n";
    file.extents.push_back({from == 0 ? 0 : from - 1, file.bytes.size()});
  }
  return file;
}

SoundFile Csv(std::mt19937& random) {
  return Lines(random, "t,y,text\n", [&](int i) {
    return fmt::format("{},{},{}", 1000 + i, i % 3, std::string(random() % 40, 'x'));
  });
}

SoundFile QuotedCsv(std::mt19937& random) {
  return Lines(random, "t,y,text\n", [&](int i) {
    return fmt::format("{},{},\"{}, \"\"{}\"\"\"", 1000 + i, i % 3, std::string(random() % 40, 'x'),
                       i);
  });
}

SoundFile Jsonl(std::mt19937& random) {
  return Lines(random, "", [&](int i) {
    return fmt::format(R"({{"t":{},"y":{},"text":"{}"}})", 1000 + i, i % 3,
                       std::string(random() % 60, 'x'));
  });
}

SoundFile Binary(std::mt19937& random) {
  SoundFile file;
  for (size_t i = 0, count = 20 + random() % 200; i < count; ++i) {
    file.bytes += RandomBytes(random, 24);
    file.extents.push_back({24 * i, 24 * i + 24});
  }
  return file;
}

SoundFile Tfrecord(std::mt19937& random) {
  SoundFile file;
  for (size_t i = 0, count = 20 + random() % 150; i < count; ++i) {
    const size_t from = file.bytes.size();
    file.bytes += TfRecord(RandomBytes(random, random() % 80));
    file.extents.push_back({from, file.bytes.size()});
  }
  return file;
}

SoundFile Tar(std::mt19937& random) {
  SoundFile file;
  for (size_t i = 0, count = 10 + random() % 30; i < count; ++i) {
    const std::string key = fmt::format("set/{:04}", i);
    const size_t from = file.bytes.size();
    file.bytes += TarMemberBytes({key + ".bin", RandomBytes(random, random() % 2000)});
    file.bytes += TarMemberBytes({key + ".cls", std::to_string(i % 3)});
    file.extents.push_back({from, file.bytes.size()});
  }
  file.bytes += TarEnd();
  return file;
}

SoundFile SingleFile(std::mt19937& random) {
  SoundFile file{.bytes = RandomBytes(random, 1 + random() % 3000)};
  file.extents = {{0, file.bytes.size()}};
  return file;
}

// It is unknown which part of a packed file is sound: damage is reported, or all is read.
std::function<SoundFile(std::mt19937&)> PackedLines(Packing packing) {
  return [packing](std::mt19937& random) {
    return SoundFile{.bytes = Pack(Jsonl(random).bytes, packing)};
  };
}

constexpr char kLabels[] = "event_time: {column: t, format: unix}\nlabel: {column: y}\n";
constexpr char kRows[] = "event_time: {row: {start: 2020-01-01, step: 1s}}\n";

std::vector<Subject> Subjects() {
  const std::string labels = kLabels, rows = kRows;
  const std::string csv = "format: csv\n" + labels, jsonl = "format: jsonl\n" + labels;
  return {
      {.name = "csv", .spec = csv, .file = "x.csv", .make = Csv},
      {.name = "csv_quotes", .spec = csv, .file = "x.csv", .make = QuotedCsv},
      {.name = "jsonl", .spec = jsonl, .file = "x.jsonl", .make = Jsonl},
      {.name = "binary",
       .spec = "format: {type: binary, record_bytes: 24}\n" + rows,
       .file = "x.bin",
       .make = Binary,
       .is_counted = true},
      {.name = "tfrecord",
       .spec = "format: tfrecord\n" + rows,
       .file = "x.tfrecord",
       .make = Tfrecord,
       .has_sums = true},
      {.name = "tar",
       .spec = "format: {type: tar, payload: [bin]}\nlabel: {member: cls}\n" + rows,
       .file = "x.tar",
       .make = Tar},
      {.name = "single_file",
       .spec = "format: single_file\n" + rows,
       .file = "x",
       .make = SingleFile},
      {.name = "gzip", .spec = jsonl, .file = "x.jsonl.gz", .make = PackedLines(Packing::kGzip)},
      {.name = "xz", .spec = jsonl, .file = "x.jsonl.xz", .make = PackedLines(Packing::kXz)},
      {.name = "zstd", .spec = jsonl, .file = "x.jsonl.zst", .make = PackedLines(Packing::kZstd)},
  };
}

INSTANTIATE_TEST_SUITE_P(Each, DamageTest, ::testing::ValuesIn(Subjects()),
                         [](const auto& subject) { return subject.param.name; });

}  // namespace
}  // namespace tidemill::storage::testing
