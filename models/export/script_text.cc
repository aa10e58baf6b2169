#include "models/export/script_text.h"

#include <cstring>
#include <optional>

#include "transform/ops/texts/text_words.h"
// The hash's secret is not part of the library's interface.
#define XXH_INLINE_ALL
#include "xxhash.h"

namespace tidemill::models {
namespace {

constexpr int32_t kFirstBeyondAscii = 0x80;
constexpr int32_t kEndOfUnicode = 0x110000;

// UTF-8 of a code point from 0x80 on.
std::string Encode(int32_t code) {
  const auto next = [&](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), next(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | code >> 12), next(6), next(0)};
  return {static_cast<char>(0xF0 | code >> 18), next(12), next(6), next(0)};
}

int32_t Decode(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0);
  const size_t size = byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  int32_t code = byte(0) & (0xFF >> (size + 1));
  for (size_t i = 1; i < size; ++i) code = code << 6 | (byte(i) & 0x3F);
  return code;
}

}  // namespace

const std::string_view kPlacesMethods = R"(
def places(self, texts: List[str], places: Dict[str, int]) -> Tensor:
  found: List[int] = []
  for text in texts:
    found.append(places.get(text, -1))
  return torch.tensor(found, dtype=4)
)";

// The same as transform/ops/texts/text_words.cc. A str of TorchScript is a string of bytes.
const std::string_view kWordMethods = R"(
def count_not_greater(self, sorted_numbers: List[int], number: int) -> int:
  begin = 0
  end = len(sorted_numbers)
  while begin < end:
    middle = (begin + end) // 2
    if sorted_numbers[middle] <= number:
      begin = middle + 1
    else:
      end = middle
  return begin
def following(self, text: str, at: int) -> int:
  if at >= len(text):
    return -1
  byte = ord(text[at])
  return byte & 63 if byte & 192 == 128 else -1
def letter(self, text: str, at: int) -> Tuple[int, int]:
  first = ord(text[at])
  if first < 194 or first > 244:
    return 1, -1
  second = self.following(text, at + 1)
  if second < 0:
    return 1, -1
  if first < 224:
    return 2, (first & 31) * 64 + second
  third = self.following(text, at + 2)
  if third < 0:
    return 1, -1
  if first < 240:
    code = ((first & 15) * 64 + second) * 64 + third
    if code < 2048 or (code >= 55296 and code < 57344):
      return 1, -1
    return 3, code
  fourth = self.following(text, at + 3)
  if fourth < 0:
    return 1, -1
  code = (((first & 7) * 64 + second) * 64 + third) * 64 + fourth
  if code < 65536 or code >= 1114112:
    return 1, -1
  return 4, code
def bytes_of_letter(self, code: int) -> str:
  if code < 128:
    return chr(code)
  if code < 2048:
    return chr(192 + (code >> 6)) + chr(128 + (code & 63))
  if code < 65536:
    return chr(224 + (code >> 12)) + chr(128 + ((code >> 6) & 63)) + chr(128 + (code & 63))
  return chr(240 + (code >> 18)) + chr(128 + ((code >> 12) & 63)) + chr(128 + ((code >> 6) & 63)) + chr(128 + (code & 63))
def word_letter(self, text: str, at: int, lowercase: bool) -> Tuple[int, int]:
  first = ord(text[at])
  if first < 128:
    if (first >= 48 and first <= 57) or (first >= 97 and first <= 122):
      return 1, first
    if first >= 65 and first <= 90:
      return 1, first + 32 if lowercase else first
    return 1, -1
  size, code = self.letter(text, at)
  if code >= 0 and self.count_not_greater(self.unseen_ranges, code) % 2 == 1:
    return size, -2
  if code < 0 or self.count_not_greater(self.word_ranges, code) % 2 == 0:
    return size, -1
  if lowercase:
    place = self.count_not_greater(self.large_letters, code) - 1
    if place >= 0 and self.large_letters[place] == code:
      code = self.small_letters[place]
  return size, code
def words_of(self, text: str, lowercase: bool) -> List[str]:
  words: List[str] = []
  letters: List[str] = []
  at = 0
  while at < len(text):
    size, code = self.word_letter(text, at, lowercase)
    at += size
    if code >= 0:
      letters.append(self.bytes_of_letter(code))
    elif code == -1 and len(letters) > 0:
      words.append("".join(letters))
      letters.clear()
  if len(letters) > 0:
    words.append("".join(letters))
  return words
def runs_of(self, text: str, ngrams: int, length: int, lowercase: bool) -> List[str]:
  words = self.words_of(text, lowercase)
  runs: List[str] = []
  for count in range(1, ngrams + 1):
    for first in range(0, len(words) - count + 1):
      if len(runs) < length:
        runs.append(" ".join(words[first:first + count]))
  return runs
def word_places(self, texts: List[str], places: Dict[str, int], ngrams: int, length: int, lowercase: int) -> Tensor:
  found: List[int] = []
  for text in texts:
    runs = self.runs_of(text, ngrams, length, lowercase != 0)
    for run in runs:
      found.append(places.get(run, -1) + 2)
    for i in range(len(runs), length):
      found.append(0)
  return torch.tensor(found, dtype=4).reshape([-1, length])
def word_hashes(self, texts: List[str], long_secret: List[int], ngrams: int, length: int, lowercase: int, buckets: int, seed: int) -> Tensor:
  found: List[int] = []
  for text in texts:
    runs = self.runs_of(text, ngrams, length, lowercase != 0)
    for run in runs:
      found.append(self.bucket_of(self.hash_text(run, long_secret, seed), buckets) + 1)
    for i in range(len(runs), length):
      found.append(0)
  return torch.tensor(found, dtype=4).reshape([-1, length])
)";

// XXH3-64 as doc/xxhash_spec.md of xxHash has it. Whole numbers wrap around at 64 bits.
// `hash_secret[i]` is the eight bytes of the secret from byte i on.
const std::string_view kHashMethods = R"(
def shifted(self, number: int, bits: int) -> int:
  return (number >> bits) & ((1 << (64 - bits)) - 1)
def rotated(self, number: int, bits: int) -> int:
  return (number << bits) | self.shifted(number, 64 - bits)
def bytes_swapped(self, number: int) -> int:
  swapped = 0
  for i in range(8):
    swapped = (swapped << 8) | ((number >> (8 * i)) & 255)
  return swapped
def folded_product(self, a: int, b: int) -> int:
  low = 4294967295
  a_low = a & low
  a_high = self.shifted(a, 32)
  b_low = b & low
  b_high = self.shifted(b, 32)
  low_low = a_low * b_low
  high_low = a_high * b_low
  cross = self.shifted(low_low, 32) + (high_low & low) + a_low * b_high
  upper = self.shifted(high_low, 32) + self.shifted(cross, 32) + a_high * b_high
  return ((cross << 32) | (low_low & low)) ^ upper
def avalanche(self, number: int) -> int:
  h = number ^ self.shifted(number, 37)
  h = h * 1609587791953885689
  return h ^ self.shifted(h, 32)
def old_avalanche(self, number: int) -> int:
  h = (number ^ self.shifted(number, 33)) * -4417276706812531889
  h = (h ^ self.shifted(h, 29)) * 1609587929392839161
  return h ^ self.shifted(h, 32)
def word_at(self, text: List[int], at: int, size: int) -> int:
  number = 0
  for i in range(size):
    number = number | (text[at + i] << (8 * i))
  return number
def mixed(self, text: List[int], at: int, secret: int, seed: int) -> int:
  first = self.word_at(text, at, 8) ^ (self.hash_secret[secret] + seed)
  second = self.word_at(text, at + 8, 8) ^ (self.hash_secret[secret + 8] - seed)
  return self.folded_product(first, second)
def hash_short(self, text: List[int], seed: int) -> int:
  size = len(text)
  if size == 0:
    return self.old_avalanche(seed ^ self.hash_secret[56] ^ self.hash_secret[64])
  if size < 4:
    joined = (text[0] << 16) | (text[size // 2] << 24) | text[size - 1] | (size << 8)
    secret = (self.hash_secret[0] ^ self.hash_secret[4]) & 4294967295
    return self.old_avalanche(joined ^ (secret + seed))
  if size < 9:
    spread = seed ^ self.bytes_swapped(seed & 4294967295)
    both = self.word_at(text, size - 4, 4) + (self.word_at(text, 0, 4) << 32)
    h = both ^ ((self.hash_secret[8] ^ self.hash_secret[16]) - spread)
    h = h ^ self.rotated(h, 49) ^ self.rotated(h, 24)
    h = h * -6939452855193903323
    h = (h ^ (self.shifted(h, 35) + size)) * -6939452855193903323
    return h ^ self.shifted(h, 28)
  low = self.word_at(text, 0, 8) ^ ((self.hash_secret[24] ^ self.hash_secret[32]) + seed)
  high = self.word_at(text, size - 8, 8) ^ ((self.hash_secret[40] ^ self.hash_secret[48]) - seed)
  return self.avalanche(size + self.bytes_swapped(low) + high + self.folded_product(low, high))
def hash_medium(self, text: List[int], seed: int) -> int:
  size = len(text)
  total = size * -7046029288634856825
  if size <= 128:
    for i in range((size - 1) // 32 + 1):
      total += self.mixed(text, 16 * i, 32 * i, seed)
      total += self.mixed(text, size - 16 * (i + 1), 32 * i + 16, seed)
    return self.avalanche(total)
  for i in range(8):
    total += self.mixed(text, 16 * i, 16 * i, seed)
  total = self.avalanche(total)
  for i in range(8, size // 16):
    total += self.mixed(text, 16 * i, 16 * (i - 8) + 3, seed)
  total += self.mixed(text, size - 16, 119, seed)
  return self.avalanche(total)
def accumulate(self, sums: List[int], text: List[int], at: int, long_secret: List[int], secret: int):
  for i in range(8):
    word = self.word_at(text, at + 8 * i, 8)
    key = word ^ long_secret[secret + 8 * i]
    sums[i ^ 1] = sums[i ^ 1] + word
    sums[i] = sums[i] + (key & 4294967295) * self.shifted(key, 32)
def hash_long(self, text: List[int], long_secret: List[int]) -> int:
  size = len(text)
  sums = [3266489917, -7046029288634856825, -4417276706812531889, 1609587929392839161, -8796714831421723037, 2246822519, 2870177450012600261, 2654435761]
  blocks = (size - 1) // 1024
  for block in range(blocks):
    for stripe in range(16):
      self.accumulate(sums, text, 1024 * block + 64 * stripe, long_secret, 8 * stripe)
    for i in range(8):
      mixed = sums[i] ^ self.shifted(sums[i], 47) ^ long_secret[128 + 8 * i]
      sums[i] = mixed * 2654435761
  for stripe in range((size - 1 - 1024 * blocks) // 64):
    self.accumulate(sums, text, 1024 * blocks + 64 * stripe, long_secret, 8 * stripe)
  self.accumulate(sums, text, size - 64, long_secret, 121)
  total = size * -7046029288634856825
  for i in range(4):
    first = sums[2 * i] ^ long_secret[11 + 16 * i]
    second = sums[2 * i + 1] ^ long_secret[19 + 16 * i]
    total += self.folded_product(first, second)
  return self.avalanche(total)
def hash_text(self, text: str, long_secret: List[int], seed: int) -> int:
  numbers: List[int] = []
  for i in range(len(text)):
    numbers.append(ord(text[i]))
  if len(numbers) <= 16:
    return self.hash_short(numbers, seed)
  if len(numbers) <= 240:
    return self.hash_medium(numbers, seed)
  return self.hash_long(numbers, long_secret)
def bucket_of(self, number: int, buckets: int) -> int:
  if number >= 0:
    return number % buckets
  return (self.shifted(number, 1) % buckets * 2 + (number & 1)) % buckets
def hash_texts(self, texts: List[str], long_secret: List[int], buckets: int, seed: int) -> Tensor:
  found: List[int] = []
  for text in texts:
    found.append(self.bucket_of(self.hash_text(text, long_secret, seed), buckets))
  return torch.tensor(found, dtype=4)
def all_shifted(self, numbers: Tensor, bits: int) -> Tensor:
  return torch.bitwise_and(torch.bitwise_right_shift(numbers, bits), (1 << (64 - bits)) - 1)
def all_rotated(self, numbers: Tensor, bits: int) -> Tensor:
  return torch.bitwise_or(torch.bitwise_left_shift(numbers, bits), self.all_shifted(numbers, 64 - bits))
def hash_numbers(self, numbers: Tensor, secret: int, buckets: int) -> Tensor:
  h = torch.bitwise_xor(self.all_rotated(numbers, 32), secret)
  h = torch.bitwise_xor(h, torch.bitwise_xor(self.all_rotated(h, 49), self.all_rotated(h, 24)))
  h = h * -6939452855193903323
  h = torch.bitwise_xor(h, self.all_shifted(h, 35) + 8) * -6939452855193903323
  h = torch.bitwise_xor(h, self.all_shifted(h, 28))
  negative = torch.remainder(torch.remainder(self.all_shifted(h, 1), buckets) * 2 + torch.bitwise_and(h, 1), buckets)
  return torch.where(h < 0, negative, torch.remainder(h, buckets))
)";

std::map<std::string, std::vector<int64_t>> WordTables() {
  std::vector<int64_t> ranges;
  std::vector<int64_t> large;
  std::vector<int64_t> small;
  std::vector<int64_t> unseen;
  transform::TextWords words(/*lowercase=*/true);
  bool in_words = false, in_unseen = false;
  for (int32_t code = kFirstBeyondAscii; code < kEndOfUnicode; ++code) {
    words.Split("a" + Encode(code) + "a");
    const bool is_unseen = words.size() == 1 && words.Run(0, 1) == "aa";
    if (is_unseen != in_unseen) unseen.push_back(code);
    in_unseen = is_unseen;
    words.Split(Encode(code));
    const bool is_part = words.size() == 1;
    if (is_part != in_words) ranges.push_back(code);
    in_words = is_part;
    if (!is_part) continue;
    const int32_t made = Decode(words.Run(0, 1));
    if (made == code) continue;
    large.push_back(code);
    small.push_back(made);
  }
  return {{"word_ranges", ranges},
          {"unseen_ranges", unseen},
          {"large_letters", large},
          {"small_letters", small}};
}

std::vector<int64_t> HashSecret(uint64_t seed) {
  constexpr size_t kSize = XXH_SECRET_DEFAULT_SIZE;
  char secret[kSize];
  for (size_t at = 0; at < kSize; at += 16) {
    const uint64_t words[] = {XXH_readLE64(XXH3_kSecret + at) + seed,
                              XXH_readLE64(XXH3_kSecret + at + 8) - seed};
    std::memcpy(secret + at, words, sizeof(words));
  }
  std::vector<int64_t> all;
  for (size_t at = 0; at + 8 <= kSize; ++at) {
    int64_t word = 0;
    std::memcpy(&word, secret + at, sizeof(word));
    all.push_back(word);
  }
  return all;
}

int64_t NumberSecret(uint64_t seed) {
  const uint64_t secret = XXH_readLE64(XXH3_kSecret + 8) ^ XXH_readLE64(XXH3_kSecret + 16);
  const uint64_t spread = seed ^ static_cast<uint64_t>(XXH_swap32(static_cast<uint32_t>(seed)))
                                     << 32;
  return static_cast<int64_t>(secret - spread);
}

}  // namespace tidemill::models
