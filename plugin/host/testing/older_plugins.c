/* Plug-ins in C as an earlier header would have compiled them: their structs end sooner. */
#include <stddef.h>
#include <string.h>

#include "tidemill/plugin.h"

/* A setting before there were choices, and so shorter than today's. */
struct ShortSetting {
  size_t size;
  const char* name;
  const char* doc;
  enum TidemillSettingType type;
  const char* default_json;
  double min, max;
};

static const struct ShortSetting kSettings[] = {
    {sizeof(struct ShortSetting), "first", "", TIDEMILL_INTEGER, "3", 0, 10},
    {sizeof(struct ShortSetting), "second", "", TIDEMILL_TEXT, "\"x\"", 0, 0},
};

struct Instance {
  double first;
  struct TidemillNumber observed;
};
static struct Instance instance;

static void* Create(const TidemillHost* host, const TidemillValue* values, size_t count, uint64_t seed) {
  (void)seed;
  const TidemillValue* second = (const TidemillValue*)((const char*)values + values->size);
  if (count != 2 || strcmp(second->text, "x") != 0) {
    host->fail(host, "the second setting is another one", NULL);
    return NULL;
  }
  instance.first = (double)values->integer;
  return &instance;
}
static void Destroy(void* self) { (void)self; }

static int Points(void* self, TidemillPoints* points) {
  (void)self;
  points->seconds = 60;
  return 0;
}
static int Observe(void* self, const TidemillMoment* moment, const TidemillNumber** observed, size_t* count) {
  struct Instance* it = self;
  it->observed.name = "first";
  it->observed.value = it->first + (double)moment->num_new;
  *observed = &it->observed;
  *count = 1;
  return 0;
}
static int Judge(void* self, const TidemillNumber* observed, size_t count, TidemillVerdict* verdict) {
  (void)self;
  verdict->fired = count == 1 && observed->value > 3;
  verdict->because = "it is so";
  return 0;
}
static int FailSilently(void* self, const TidemillNumber* observed, size_t count, TidemillVerdict* verdict) {
  (void)self, (void)observed, (void)count, (void)verdict;
  return 1;
}

static const TidemillTrigger kTrigger = {
    .size = sizeof(TidemillTrigger), .points = Points, .observe = Observe, .judge = Judge};
static const TidemillTrigger kSilent = {
    .size = sizeof(TidemillTrigger), .points = Points, .observe = Observe, .judge = FailSilently};
/* Ends before `observe`. */
static const TidemillTrigger kTooShort = {.size = offsetof(TidemillTrigger, observe), .points = Points};

#define PLUGIN(its_name, its_version, its_functions)                                                     \
  {                                                                                                      \
    .size = sizeof(TidemillPlugin), .version = its_version, .kind = "trigger", .name = its_name,         \
    .settings = (const TidemillSetting*)kSettings, .num_settings = 2, .create = Create,                  \
    .destroy = Destroy, .functions = its_functions                                                       \
  }
static const TidemillPlugin kPlugins[] = {
    PLUGIN("Older", 1, &kTrigger), PLUGIN("TooShort", 1, &kTooShort), PLUGIN("Later", 99, &kTrigger),
    PLUGIN("Silent", 1, &kSilent), PLUGIN("Lacking", 1, NULL)};

const TidemillPlugin* tidemill_plugin(uint32_t index) {
  return index < sizeof kPlugins / sizeof kPlugins[0] ? &kPlugins[index] : NULL;
}
