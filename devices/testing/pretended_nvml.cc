// Stands for NVIDIA's libnvidia-ml.so.1 in tests: three GPUs, of which the second is divided in two
// parts and the third has failed.
#include <cstdio>
#include <cstring>

namespace {

constexpr int kSuccess = 0;
constexpr int kNotFound = 6;
constexpr int kGpuIsLost = 15;

struct Card {
  const char* name;
  const char* uuid;
  unsigned long long total;
  unsigned long long used;
};

constexpr Card kCards[] = {{"NVIDIA H200", "GPU-aaaa-1", 150ULL << 30, 3ULL << 30},
                           {"NVIDIA H100", "GPU-bbbb-2", 80ULL << 30, 0},
                           {"NVIDIA H100", "GPU-cccc-3", 80ULL << 30, 0}};
constexpr Card kParts[] = {{"NVIDIA H100 MIG 3g.40gb", "MIG-bbbb-2-1", 40ULL << 30, 1ULL << 30},
                           {"NVIDIA H100 MIG 3g.40gb", "MIG-bbbb-2-2", 40ULL << 30, 0}};

const Card& CardOf(void* handle) { return *static_cast<const Card*>(handle); }
int Copy(const char* text, char* to, unsigned size) {
  std::snprintf(to, size, "%s", text);
  return kSuccess;
}

}  // namespace

// The names are those of the driver.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

struct MemoryOfDevice {
  unsigned long long total, free, used;
};
struct UtilizationOfDevice {
  unsigned gpu, memory;
};

int nvmlInit_v2() { return kSuccess; }
const char* nvmlErrorString(int result) {
  return result == kGpuIsLost ? "GPU is lost" : "not found";
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 3;
  return kSuccess;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** handle) {
  if (index >= 3) return kNotFound;
  *handle = const_cast<Card*>(&kCards[index]);
  return kSuccess;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** handle) {
  for (const auto& card : kCards) {
    if (std::strcmp(card.uuid, uuid) == 0) *handle = const_cast<Card*>(&card);
  }
  for (const auto& card : kParts) {
    if (std::strcmp(card.uuid, uuid) == 0) *handle = const_cast<Card*>(&card);
  }
  return *handle == nullptr ? kNotFound : kSuccess;
}
int nvmlDeviceGetName(void* handle, char* name, unsigned size) {
  return Copy(CardOf(handle).name, name, size);
}
int nvmlDeviceGetUUID(void* handle, char* uuid, unsigned size) {
  return Copy(CardOf(handle).uuid, uuid, size);
}
int nvmlDeviceGetMemoryInfo(void* handle, MemoryOfDevice* memory) {
  const Card& card = CardOf(handle);
  if (&card == &kCards[2]) return kGpuIsLost;
  *memory = {card.total, card.total - card.used, card.used};
  return kSuccess;
}
int nvmlDeviceGetUtilizationRates(void* handle, UtilizationOfDevice* utilization) {
  if (&CardOf(handle) != &kCards[0]) return kNotFound;  // Parts have none.
  *utilization = {41, 7};
  return kSuccess;
}
int nvmlDeviceGetMaxMigDeviceCount(void* handle, unsigned* count) {
  *count = &CardOf(handle) == &kCards[1] ? 7 : 0;
  return kSuccess;
}
int nvmlDeviceGetMigDeviceHandleByIndex(void*, unsigned index, void** handle) {
  if (index >= 2) return kNotFound;
  *handle = const_cast<Card*>(&kParts[index]);
  return kSuccess;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
