/* Plug-ins in C, one for each kind that answers in few lines. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tidemill/plugin.h"

static int instance;

static void* Create(const TidemillHost* host, const TidemillValue* values, size_t count, uint64_t seed) {
  (void)host, (void)values, (void)count, (void)seed;
  return &instance;
}
static void Destroy(void* self) { (void)self; }

/* The numbers of a column, whatever is beside it. */
static const void* Numbers(const TidemillColumns* columns, const char* name) {
  for (int64_t i = 0; i < columns->schema->n_children; ++i) {
    if (strcmp(columns->schema->children[i]->name, name) == 0) return columns->array->children[i]->buffers[1];
  }
  return NULL;
}

static int Points(void* self, TidemillPoints* points) {
  (void)self;
  points->samples = 10;
  return 0;
}
static int Observe(void* self, const TidemillMoment* moment, const TidemillNumber** observed, size_t* count) {
  static TidemillNumber seen;
  (void)self;
  seen = (TidemillNumber){.name = "new", .value = (double)moment->num_new};
  *observed = &seen;
  *count = 1;
  return 0;
}
static int Judge(void* self, const TidemillNumber* observed, size_t count, TidemillVerdict* verdict) {
  (void)self;
  verdict->fired = count == 1 && observed->value >= 3;
  verdict->because = "enough has come";
  return 0;
}
static const TidemillTrigger kTrigger = {
    .size = sizeof(TidemillTrigger), .points = Points, .observe = Observe, .judge = Judge};

static int Contribute(void* self, const TidemillColumns* block, double* contributions) {
  const int64_t* labels = Numbers(block, "label");
  const int64_t* predictions = Numbers(block, "prediction");
  (void)self;
  for (int64_t i = 0; i < block->array->length; ++i) contributions[i] = labels[i] == predictions[i];
  return 0;
}
static const TidemillMeasure kMeasure = {
    .size = sizeof(TidemillMeasure), .higher_is_better = 1, .unit = "", .width = 1, .contribute = Contribute};

static const enum TidemillScoreColumn* ScoreLooksAt(void* self, size_t* count) {
  static const enum TidemillScoreColumn kLosses[] = {TIDEMILL_SCORE_LOSSES};
  (void)self;
  *count = 1;
  return kLosses;
}
static enum TidemillScoreKeep Keep(void* self) {
  (void)self;
  return TIDEMILL_KEEP_GREATEST;
}
static int Score(void* self, const TidemillColumns* block, double* scores, size_t count) {
  const float* losses = Numbers(block, "losses");
  (void)self;
  for (size_t i = 0; i < count; ++i) scores[i] = 2.0 * (double)losses[i];
  return 0;
}
static const TidemillScore kScore = {
    .size = sizeof(TidemillScore), .looks_at = ScoreLooksAt, .keep = Keep, .score = Score};

#define PLUGIN(its_kind, its_name, its_functions)                                         \
  {                                                                                       \
    .size = sizeof(TidemillPlugin), .version = TIDEMILL_PLUGIN_VERSION, .kind = its_kind, \
    .name = its_name, .doc = "", .author_version = "1", .create = Create,                 \
    .destroy = Destroy, .functions = its_functions                                        \
  }
static const TidemillPlugin kPlugins[] = {PLUGIN("trigger", "Enough", &kTrigger),
                                          PLUGIN("measure", "Right", &kMeasure),
                                          PLUGIN("score", "Doubled", &kScore)};

const TidemillPlugin* tidemill_plugin(uint32_t index) {
  return index < sizeof kPlugins / sizeof *kPlugins ? &kPlugins[index] : NULL;
}
