/*
 * glibc's pthread_rwlock under the workload of rwsem-lab bench: threads that loop over acquire,
 * critical section, release, think. Same phases, same pattern of reads and writes, same check that
 * the lock excluded, same latency buckets as the files in src/bench; one JSON object on standard output,
 * "progress OPERATIONS SECONDS" lines on standard error.
 *
 *   rwlock-bench SECONDS WARM_UP_MS SAMPLE_EVERY VERIFY LOCKS SEED PREFER
 *                READ_SECTION READ_THINK WRITE_SECTION WRITE_THINK READ_PERCENT...
 *
 *   VERIFY         0 or 1
 *   LOCKS          every acquisition takes one of so many, at random
 *   PREFER         readers (glibc's default) or writers
 *   ..._SECTION, ..._THINK   KIND:AMOUNT, KIND one of empty, spins, busy (µs), sleep (µs)
 *   READ_PERCENT   one for each thread
 *
 * Compiled with -DBROKEN it takes no lock at all, and must be reported for it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef BROKEN
#define pthread_rwlock_rdlock(lock) ((void)(lock))
#define pthread_rwlock_wrlock(lock) ((void)(lock))
#define pthread_rwlock_unlock(lock) ((void)(lock))
#endif

enum { PATTERN = 1024, SUB_BITS = 5, SUB = 1 << SUB_BITS, BUCKETS = (31 - SUB_BITS + 1) * SUB };
enum phase { WARMING, WARM, MEASURING, STOPPED };
enum kind { EMPTY, SPINS, BUSY, SLEEP };

struct section {
  enum kind kind;
  double amount;
};

struct histogram {
  int64_t max_ns;
  uint64_t counts[BUCKETS];
};

struct agent {
  _Alignas(128) atomic_uint progress; /* read by main now and then */
  _Alignas(128) pthread_t thread;
  uint8_t pattern[PATTERN];
  unsigned position;
  uint32_t spin_result, random;
  uint64_t reads, writes, warm_writes, violations;
  struct histogram read_latency, write_latency;
};

/* A lock, and what src/bench/witness.ts calls ENTERED and LEFT; volatile, so that the check is really made. */
struct site {
  _Alignas(128) pthread_rwlock_t lock;
  _Alignas(128) volatile int32_t entered, left;
};
static struct site *sites;
static unsigned locks;
static _Alignas(128) atomic_int phase = WARMING;
static pthread_barrier_t barrier; /* passed twice: all are warm; all may start */
static struct section read_section, read_think, write_section, write_think;
static unsigned sample_every;
static int verify;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void pause_for(double us) {
  int64_t ns = (int64_t)(us * 1000);
  struct timespec t = { ns / 1000000000, ns % 1000000000 };
  nanosleep(&t, NULL);
}

static void work(const struct section *s, struct agent *a) {
  switch (s->kind) {
  case EMPTY:
    return;
  case SPINS: {
    uint32_t x = a->spin_result;
    for (unsigned i = 0, n = (unsigned)s->amount; i < n; i++) {
      x = x * 1664525u + 1013904223u;
      __asm__ volatile("" : "+r"(x)); /* one step at a time, as in JavaScript */
    }
    a->spin_result = x;
    return;
  }
  case BUSY: {
    int64_t until = now_ns() + (int64_t)(s->amount * 1000);
    while (now_ns() < until)
      ;
    return;
  }
  case SLEEP:
    pause_for(s->amount);
  }
}

static void record(struct histogram *h, int64_t ns) {
  if (ns > h->max_ns) h->max_ns = ns;
  uint32_t value = ns < 0 ? 0 : ns > INT32_MAX ? INT32_MAX : (uint32_t)ns;
  if (value < SUB) {
    h->counts[value]++;
    return;
  }
  int shift = 31 - __builtin_clz(value) - SUB_BITS;
  h->counts[(shift + 1) * SUB + ((value >> shift) - SUB)]++;
}

static uint32_t next_random(uint32_t random) {
  random ^= random << 13;
  random ^= random >> 17;
  random ^= random << 5;
  return random;
}

static inline struct site *choose(struct agent *a) {
  if (locks == 1) return sites;
  a->random = next_random(a->random);
  return &sites[a->random % locks];
}

static inline void read_once(struct agent *a, int timed) {
  struct site *site = choose(a);
  int64_t from = timed ? now_ns() : 0;
  pthread_rwlock_rdlock(&site->lock);
  int64_t to = timed ? now_ns() : 0;
  if (verify) {
    int32_t entered = site->entered, left = site->left;
    a->violations += entered != left;
    work(&read_section, a);
    a->violations += site->entered != entered || site->left != left;
  } else {
    work(&read_section, a);
  }
  pthread_rwlock_unlock(&site->lock);
  if (timed) record(&a->read_latency, to - from);
  a->reads++;
  work(&read_think, a);
}

static inline void write_once(struct agent *a, int timed) {
  struct site *site = choose(a);
  int64_t from = timed ? now_ns() : 0;
  pthread_rwlock_wrlock(&site->lock);
  int64_t to = timed ? now_ns() : 0;
  if (verify) {
    int32_t entered = site->entered, left = site->left;
    a->violations += entered != left;
    entered = (int32_t)((uint32_t)entered + 1);
    site->entered = entered;
    work(&write_section, a);
    a->violations += site->entered != entered || site->left != left;
    site->left = (int32_t)((uint32_t)left + 1);
  } else {
    work(&write_section, a);
  }
  pthread_rwlock_unlock(&site->lock);
  if (timed) record(&a->write_latency, to - from);
  a->writes++;
  work(&write_think, a);
}

static void run(struct agent *a, int during) {
  a->reads = a->writes = 0;
  memset(&a->read_latency, 0, sizeof a->read_latency);
  memset(&a->write_latency, 0, sizeof a->write_latency);
  while (atomic_load(&phase) == during) {
    for (unsigned i = 0; i < sample_every && (i == 0 || atomic_load(&phase) == during); i++) {
      a->position = (a->position + 1) % PATTERN;
      if (a->pattern[a->position]) read_once(a, i == 0);
      else write_once(a, i == 0);
    }
    atomic_store_explicit(&a->progress, (unsigned)(a->reads + a->writes), memory_order_relaxed);
  }
}

static void *main_of_thread(void *argument) {
  struct agent *a = argument;
  run(a, WARMING);
  a->warm_writes = a->writes;
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  run(a, MEASURING);
  return NULL;
}

/* Exactly the given share of reads, shuffled by a seed per thread. */
static void make_pattern(struct agent *a, double read_percent, uint32_t seed) {
  for (int i = 0; i < PATTERN; i++) a->pattern[i] = i < (int)(PATTERN * read_percent / 100 + 0.5);
  uint32_t random = seed * 0x9e3779b1u | 1;
  for (int i = PATTERN - 1; i > 0; i--) {
    random = next_random(random);
    int j = (int)(random % (uint32_t)(i + 1));
    uint8_t swapped = a->pattern[i];
    a->pattern[i] = a->pattern[j];
    a->pattern[j] = swapped;
  }
}

static struct section parse_section(const char *text) {
  static const char *names[] = { "empty", "spins", "busy", "sleep" };
  const char *colon = strchr(text, ':');
  for (int kind = EMPTY; colon && kind <= SLEEP; kind++) {
    size_t length = strlen(names[kind]);
    if (length == (size_t)(colon - text) && strncmp(text, names[kind], length) == 0)
      return (struct section){ (enum kind)kind, atof(colon + 1) };
  }
  fprintf(stderr, "not a section: %s\n", text);
  exit(2);
}

static void print_histogram(const char *name, const struct histogram *h) {
  printf("\"%s\":{\"maxNs\":%lld,\"buckets\":[", name, (long long)h->max_ns);
  const char *comma = "";
  for (int i = 0; i < BUCKETS; i++) {
    if (h->counts[i] == 0) continue;
    printf("%s[%d,%llu]", comma, i, (unsigned long long)h->counts[i]);
    comma = ",";
  }
  printf("]}");
}

int main(int argc, char **argv) {
  enum { FIXED = 12 };
  if (argc <= FIXED) {
    fprintf(stderr, "usage: see the head of the source\n");
    return 2;
  }
  double seconds = atof(argv[1]), warm_up_ms = atof(argv[2]);
  sample_every = (unsigned)atoi(argv[3]);
  verify = atoi(argv[4]);
  locks = (unsigned)atoi(argv[5]);
  uint32_t seed = (uint32_t)atoi(argv[6]);
  read_section = parse_section(argv[8]);
  read_think = parse_section(argv[9]);
  write_section = parse_section(argv[10]);
  write_think = parse_section(argv[11]);
  int threads = argc - FIXED;

  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  if (strcmp(argv[7], "writers") == 0)
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  sites = aligned_alloc(128, sizeof(struct site) * locks);
  if (sites == NULL) return 1;
  memset(sites, 0, sizeof(struct site) * locks);
  for (unsigned i = 0; i < locks; i++) pthread_rwlock_init(&sites[i].lock, &attributes);
  pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);

  struct agent *agents = aligned_alloc(128, sizeof(struct agent) * (size_t)threads);
  if (agents == NULL) return 1;
  memset(agents, 0, sizeof(struct agent) * (size_t)threads);
  for (int i = 0; i < threads; i++) {
    agents[i].random = ((seed + (uint32_t)i) * 0x85ebca6bu) | 1;
    make_pattern(&agents[i], atof(argv[FIXED + i]), seed + (uint32_t)i);
    if (pthread_create(&agents[i].thread, NULL, main_of_thread, &agents[i]) != 0) {
      fprintf(stderr, "cannot start thread %d\n", i);
      return 1;
    }
  }

  pause_for(warm_up_ms * 1000);
  atomic_store(&phase, WARM);
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < threads; i++) atomic_store(&agents[i].progress, 0);
  atomic_store(&phase, MEASURING);
  pthread_barrier_wait(&barrier);
  int64_t from = now_ns(), left;
  while ((left = from + (int64_t)(seconds * 1e9) - now_ns()) > 0) {
    pause_for(left < 200000000 ? left / 1e3 : 2e5);
    uint64_t operations = 0;
    for (int i = 0; i < threads; i++) operations += atomic_load(&agents[i].progress);
    fprintf(stderr, "progress %llu %.3f\n", (unsigned long long)operations, (now_ns() - from) / 1e9);
  }
  atomic_store(&phase, STOPPED);
  double measured = (now_ns() - from) / 1e9;
  for (int i = 0; i < threads; i++) pthread_join(agents[i].thread, NULL);

  uint64_t overlaps = 0, writes = 0;
  printf("{\"seconds\":%.9f,\"agents\":[", measured);
  for (int i = 0; i < threads; i++) {
    struct agent *a = &agents[i];
    overlaps += a->violations;
    writes += a->warm_writes + a->writes;
    printf("%s{\"reads\":%llu,\"writes\":%llu,", i ? "," : "", (unsigned long long)a->reads, (unsigned long long)a->writes);
    print_histogram("readLatency", &a->read_latency);
    printf(",");
    print_histogram("writeLatency", &a->write_latency);
    printf("}");
  }
  uint32_t lost_in = (uint32_t)writes, lost_out = (uint32_t)writes;
  for (unsigned i = 0; i < locks; i++) {
    lost_in -= (uint32_t)sites[i].entered;
    lost_out -= (uint32_t)sites[i].left;
  }
  uint32_t lost = !verify ? 0 : lost_in > lost_out ? lost_in : lost_out;
  printf("],\"overlaps\":%llu,\"lostWrites\":%u}\n", (unsigned long long)overlaps, lost);
  return 0;
}
