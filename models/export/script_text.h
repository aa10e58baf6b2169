// TorchScript methods for texts: places among words, words of a text, and the hash of bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::models {

// places(texts, places): for each text its place, or -1.
extern const std::string_view kPlacesMethods;
// word_places(texts, places, ...) and word_hashes(texts, ...) need the next two constants.
extern const std::string_view kWordMethods;
// hash_numbers(numbers, secret, buckets), hash_texts(texts, seed, long_secret, buckets).
extern const std::string_view kHashMethods;

// The lists that the methods read: ranges of the code points that words consist of, and small
// letters.
std::map<std::string, std::vector<int64_t>> WordTables();
// Every eight bytes of xxHash's secret, from each place on; `seed` is mixed in as for long inputs.
std::vector<int64_t> HashSecret(uint64_t seed);
// Returns the number that is mixed into the hash of a whole number.
int64_t NumberSecret(uint64_t seed);

}  // namespace tidemill::models
