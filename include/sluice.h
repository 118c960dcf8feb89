#pragma once

/* Sluice for C, and for every language that can call C: link with -lsluice. docs/c.md explains it.
 *
 * Threads. Every call is thread-safe and may be made from any thread, with two exceptions: two
 * threads must not use one permit, or one error, at once. No call is safe in a signal handler, and
 * a governor does not survive a fork: only the process that made it may use it.
 *
 * Errors. Calls return a `sluice_code` and describe a failure in `error`, which may be NULL. No C++
 * exception leaves the library, and none may leave a callback. On a failure, results are NULL or 0.
 * A handle of the wrong kind, or NULL, is SLUICE_INVALID; a handle must not be used once freed.
 *
 * Structs begin with their size, which the program sets to `sizeof`; the *_INIT macros do. By it
 * the library knows which fields the program knows. A field that is 0 or NULL means its default. A
 * program that was compiled for a later version may run with this one unless it sets a field that
 * this one lacks, which is SLUICE_INVALID.
 *
 * Text is UTF-8. Text and structs that are passed in are copied. */

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SLUICE_EXPORT __attribute__((visibility("default")))
#else
#define SLUICE_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* How a call ended. */
typedef enum sluice_code {
  SLUICE_OK = 0,
  SLUICE_REFUSED = 1, /* The job is not admitted; `sluice_error.reason` says why. */
  SLUICE_INVALID = 2, /* An argument is wrong; the text names it. */
  SLUICE_SYSTEM = 3,  /* The system has no memory, thread or file for this. */
  SLUICE_INTERNAL = 4 /* A defect of Sluice. */
} sluice_code;

/* Describes a failed call; a call that succeeds leaves it as it is. */
typedef struct sluice_error {
  size_t size;
  int code;        /* sluice_code */
  char reason[36]; /* Of SLUICE_REFUSED: "window", "memory", "sensor", ... (docs/api.md); or "". */
  char text[976];  /* One sentence, cut if it is longer. */
} sluice_error;
#define SLUICE_ERROR_INIT \
  { sizeof(sluice_error), SLUICE_OK, "", "" }

/* The version of the library: "0.1.0". Never NULL. */
SLUICE_EXPORT const char* sluice_version(void);

/* Frees text that a call has returned. NULL: does nothing. */
SLUICE_EXPORT void sluice_free(char* text);

/* What a red sensor does. */
typedef enum sluice_acts {
  SLUICE_GATE = 0,      /* No job is admitted. */
  SLUICE_CONGESTION = 1 /* No job is admitted, and the window shrinks. */
} sluice_acts;

/* What a sensor has read. */
typedef struct sluice_reading {
  size_t size;
  double value;       /* In a unit of the program's choice. */
  double limit;       /* The value at which `pressure` is 1; for people. */
  double pressure;    /* 0: idle, 1 or more: red; 0 to 100. */
  char sentence[256]; /* For people: "3 of 4 licences in use"; of a failed reading: why. */
} sluice_reading;

/* Reads: fills `reading` and returns 0; any other result is a failed reading. It is called on a
 * thread of its own and may block; what it read last counts until it is `max_age` old. */
typedef int (*sluice_measure)(void* context, sluice_reading* reading);

typedef struct sluice_sensor {
  size_t size;
  const char* name; /* Unique, also among Sluice's own sensors; [a-z0-9_]+. */
  sluice_measure measure;
  void* context;
  int acts;       /* sluice_acts */
  double resume;  /* A red sensor is green again below this pressure; above 0, at most 1; 0: 0.9. */
  double max_age; /* Seconds until a reading is stale, at least 0.1; 0: 10. It is read every second,
                   * or twice in this time. */
} sluice_sensor;
#define SLUICE_SENSOR_INIT \
  { sizeof(sluice_sensor), NULL, NULL, NULL, SLUICE_GATE, 0, 0 }

/* Reads the sensors of this host, and decides which jobs run. */
typedef struct sluice_governor sluice_governor;

/* Tells whether this host takes more work (1) or not (0), and why. Called on a thread of the
 * governor; it must not block or destroy the governor. */
typedef void (*sluice_on_accepting)(void* context, int accepting, const char* reason);

typedef struct sluice_governor_options {
  size_t size;
  const char* config_file; /* A sluice.yaml (docs/config.md); NULL: the defaults. */
  const sluice_sensor* const* sensors;
  size_t sensor_count;
  sluice_on_accepting on_accepting;
  void* on_accepting_context;
} sluice_governor_options;
#define SLUICE_GOVERNOR_OPTIONS_INIT \
  { sizeof(sluice_governor_options), NULL, NULL, 0, NULL, NULL }

/* Governs this host. `options` may be NULL. SLUICE_INVALID lists the errors of the configuration,
 * one in a line. */
SLUICE_EXPORT sluice_code sluice_govern(const sluice_governor_options* options,
                                        sluice_governor** governor, sluice_error* error);

/* Ends all waits with "draining", through their callbacks, and frees the governor. Permits may be
 * released later. A sensor that still blocks is abandoned: its context must remain. Must not be
 * called from a callback. NULL: does nothing. */
SLUICE_EXPORT sluice_code sluice_governor_destroy(sluice_governor* governor, sluice_error* error);

/* Stop and restart admission. Jobs that run go on. */
SLUICE_EXPORT sluice_code sluice_pause(sluice_governor* governor, sluice_error* error);
SLUICE_EXPORT sluice_code sluice_resume(sluice_governor* governor, sluice_error* error);

/* Takes no more work: submitted jobs are refused and pending ones wait, until `sluice_resume`. */
SLUICE_EXPORT sluice_code sluice_drain(sluice_governor* governor, sluice_error* error);

/* Blocks until no job runs and, unless draining, none waits. */
SLUICE_EXPORT sluice_code sluice_wait_until_idle(sluice_governor* governor, sluice_error* error);

/* A description of jobs, made once and used for any number of them, by all threads at once and
 * with any governor. */
typedef struct sluice_job sluice_job;

/* What becomes of a job if one that it waits for in `after` fails. */
typedef enum sluice_on_failure {
  SLUICE_ON_FAILURE_CANCEL = 0,
  SLUICE_ON_FAILURE_RUN = 1,
  SLUICE_ON_FAILURE_HOLD = 2
} sluice_on_failure;

typedef struct sluice_job_options {
  size_t size;
  const char* key;     /* Kind of job: Sluice learns what jobs of one key need. */
  const char* id;      /* The program's own name for it, for people and rules. */
  const char* program; /* File name of its program, to learn by where the key is unknown. */
  const char* variant; /* Tells jobs of one key apart whose memory differs. */
  const char* queue;
  int64_t cost;          /* Points; 10 are one busy core. 0: predicted. */
  int64_t memory;        /* Bytes that it needs. 0: predicted. */
  int priority;          /* Larger goes first. */
  int has_priority;      /* 1: `priority` is set; 0: that of the key. */
  int inventory;         /* Number of nodes that it drives; >= 0. */
  int has_inventory;     /* 1: `inventory` is set; 0: that of the key. */
  int measured;          /* 1: `sluice_permit_measured` will tell its memory. */
  int suspendable;       /* 1: the program suspends it if memory runs short. */
  int reports_started;   /* 1: `sluice_permit_started` will be called. */
  int global_lock;       /* 1: it locks everything. */
  int on_failure;        /* sluice_on_failure */
  uint64_t parent;       /* The running job that waits for it and on whose permit it works. */
  const uint64_t* after; /* Jobs of this governor that must have ended before it starts. */
  size_t after_count;
  const char* const* resources; /* "manager=3", of the managers of the configuration. */
  size_t resource_count;
  const char* const*
      locks; /* "level=exclusive:a,b shared:c", of the levels of the configuration. */
  size_t lock_count;
  const char* const* params; /* "name=value", for the lock templates of the key. */
  size_t param_count;
  const char* const* reasons; /* "rate-limit:2:deploy", and what rules match. */
  size_t reason_count;
} sluice_job_options;
#define SLUICE_JOB_OPTIONS_INIT                                                             \
  {                                                                                         \
    sizeof(sluice_job_options), NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
        SLUICE_ON_FAILURE_CANCEL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0            \
  }

SLUICE_EXPORT sluice_code sluice_job_create(const sluice_job_options* options, sluice_job** job,
                                            sluice_error* error);

/* Jobs that were submitted or run are not affected. NULL: does nothing. */
SLUICE_EXPORT sluice_code sluice_job_destroy(sluice_job* job, sluice_error* error);

/* The right to run one job, which `sluice_permit_release` returns. */
typedef struct sluice_permit sluice_permit;

/* Admits a job now, or returns SLUICE_REFUSED and the reason. Never blocks, and never overtakes a
 * job that waits. The sentence of a refusal takes time to make: a caller that polls and does not
 * read it passes no error. */
SLUICE_EXPORT sluice_code sluice_try_admit(sluice_governor* governor, const sluice_job* job,
                                           sluice_permit** permit, sluice_error* error);

/* The end of a wait: the permit, which the program must release; or NULL, and why the wait ended.
 * Called once, on a thread of the governor; it must not block or destroy the governor. */
typedef void (*sluice_on_admission)(void* context, uint64_t id, sluice_permit* permit,
                                    const sluice_error* refusal);

/* Queues a job; `on_admission` is called when it is admitted or can no longer be, perhaps before
 * this call returns. Sets `*id` to the job's number; `id` may be NULL. If the call fails, the
 * callback is not called. SLUICE_REFUSED with the reason "deduplicated": a job that stands for this
 * one, as managers of kind highlander have it, waits already, and `*id` is its number. If memory
 * runs out while a job is queued (SLUICE_SYSTEM), the governor must not be used any more. */
SLUICE_EXPORT sluice_code sluice_submit(sluice_governor* governor, const sluice_job* job,
                                        sluice_on_admission on_admission, void* context,
                                        uint64_t* id, sluice_error* error);

/* Ends a wait, with "cancelled", through its callback. SLUICE_INVALID: the job does not wait. */
SLUICE_EXPORT sluice_code sluice_cancel(sluice_governor* governor, uint64_t id,
                                        sluice_error* error);

/* The job's number; 0 for NULL. */
SLUICE_EXPORT uint64_t sluice_permit_id(const sluice_permit* permit);

/* What the job holds of the window, in points; 0 for NULL. */
SLUICE_EXPORT int64_t sluice_permit_cost(const sluice_permit* permit);

/* The items that the job holds of managers of kind discrete, as JSON: {"device": ["sda", "sdb"]}.
 * `sluice_free` frees `*json`. */
SLUICE_EXPORT sluice_code sluice_permit_items(const sluice_permit* permit, char** json,
                                              sluice_error* error);

/* Tells that the job's set-up has ended. */
SLUICE_EXPORT sluice_code sluice_permit_started(sluice_permit* permit, sluice_error* error);

/* What a job has used so far. */
typedef struct sluice_usage {
  size_t size;
  double wall;         /* Seconds since its start. */
  double cpu;          /* Seconds of CPU time. */
  int64_t memory;      /* Bytes that it holds now. */
  int64_t peak_memory; /* Bytes that it held at most; 0: those of `memory`. */
} sluice_usage;
#define SLUICE_USAGE_INIT \
  { sizeof(sluice_usage), 0, 0, 0, 0 }

/* Tells what the job has used; usually several times a second. */
SLUICE_EXPORT sluice_code sluice_permit_measured(sluice_permit* permit, const sluice_usage* usage,
                                                 sluice_error* error);

/* How a job ended. */
typedef enum sluice_outcome {
  SLUICE_OUTCOME_OK = 0,
  SLUICE_OUTCOME_FAILED = 1,
  SLUICE_OUTCOME_OOM = 2,       /* Killed for lack of memory. */
  SLUICE_OUTCOME_CANCELLED = 3, /* By the program itself. */
  SLUICE_OUTCOME_UNKNOWN = 4    /* Sluice learns nothing from it. */
} sluice_outcome;

/* Returns the permit and frees it; also after the governor is destroyed. `outcome` is a
 * sluice_outcome; for any other value nothing is done. NULL: does nothing. */
SLUICE_EXPORT sluice_code sluice_permit_release(sluice_permit* permit, int outcome,
                                                sluice_error* error);

/* Window, jobs, queues, sensors, CPUs, memory and counters as JSON, with the names of GET
 * /v1/status (docs/api.md). `sluice_free` frees `*json`. */
SLUICE_EXPORT sluice_code sluice_status_json(sluice_governor* governor, char** json,
                                             sluice_error* error);

/* Why a job waits, or what it holds: lines for people. `sluice_free` frees `*text`. SLUICE_INVALID:
 * the job is over, or never was. */
SLUICE_EXPORT sluice_code sluice_explain(sluice_governor* governor, uint64_t id, char** text,
                                         sluice_error* error);

#ifdef __cplusplus
}
#endif
