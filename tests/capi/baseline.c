/* The binary interface as programs have been compiled for it. If this does not compile, a change
 * breaks them: add fields at the end of a struct and functions of new names, or raise SOVERSION and
 * write this file again. Fields that are added at the end are added here. */
#include <sluice.h>

/* C99 has no _Static_assert. */
#define HOLDS(name, condition) typedef char name[(condition) ? 1 : -1]
#define AT(type, field, offset) HOLDS(type##_##field, offsetof(type, field) == (offset))
#define SIZE(type, size) HOLDS(whole_##type, sizeof(type) == (size))

#if UINTPTR_MAX == UINT64_MAX
AT(sluice_error, size, 0);
AT(sluice_error, code, 8);
AT(sluice_error, reason, 12);
AT(sluice_error, text, 48);
SIZE(sluice_error, 1024);

AT(sluice_reading, size, 0);
AT(sluice_reading, value, 8);
AT(sluice_reading, limit, 16);
AT(sluice_reading, pressure, 24);
AT(sluice_reading, sentence, 32);
SIZE(sluice_reading, 288);

AT(sluice_sensor, size, 0);
AT(sluice_sensor, name, 8);
AT(sluice_sensor, measure, 16);
AT(sluice_sensor, context, 24);
AT(sluice_sensor, acts, 32);
AT(sluice_sensor, resume, 40);
AT(sluice_sensor, max_age, 48);
SIZE(sluice_sensor, 56);

AT(sluice_governor_options, size, 0);
AT(sluice_governor_options, config_file, 8);
AT(sluice_governor_options, sensors, 16);
AT(sluice_governor_options, sensor_count, 24);
AT(sluice_governor_options, on_accepting, 32);
AT(sluice_governor_options, on_accepting_context, 40);
SIZE(sluice_governor_options, 48);

AT(sluice_job_options, size, 0);
AT(sluice_job_options, key, 8);
AT(sluice_job_options, id, 16);
AT(sluice_job_options, program, 24);
AT(sluice_job_options, variant, 32);
AT(sluice_job_options, queue, 40);
AT(sluice_job_options, cost, 48);
AT(sluice_job_options, memory, 56);
AT(sluice_job_options, priority, 64);
AT(sluice_job_options, has_priority, 68);
AT(sluice_job_options, inventory, 72);
AT(sluice_job_options, has_inventory, 76);
AT(sluice_job_options, measured, 80);
AT(sluice_job_options, suspendable, 84);
AT(sluice_job_options, reports_started, 88);
AT(sluice_job_options, global_lock, 92);
AT(sluice_job_options, on_failure, 96);
AT(sluice_job_options, parent, 104);
AT(sluice_job_options, after, 112);
AT(sluice_job_options, after_count, 120);
AT(sluice_job_options, resources, 128);
AT(sluice_job_options, resource_count, 136);
AT(sluice_job_options, locks, 144);
AT(sluice_job_options, lock_count, 152);
AT(sluice_job_options, params, 160);
AT(sluice_job_options, param_count, 168);
AT(sluice_job_options, reasons, 176);
AT(sluice_job_options, reason_count, 184);
SIZE(sluice_job_options, 192);

AT(sluice_usage, size, 0);
AT(sluice_usage, wall, 8);
AT(sluice_usage, cpu, 16);
AT(sluice_usage, memory, 24);
AT(sluice_usage, peak_memory, 32);
SIZE(sluice_usage, 40);
#endif

HOLDS(codes, SLUICE_OK == 0 && SLUICE_REFUSED == 1 && SLUICE_INVALID == 2 && SLUICE_SYSTEM == 3 &&
                 SLUICE_INTERNAL == 4);
HOLDS(acts, SLUICE_GATE == 0 && SLUICE_CONGESTION == 1);
HOLDS(failures,
      SLUICE_ON_FAILURE_CANCEL == 0 && SLUICE_ON_FAILURE_RUN == 1 && SLUICE_ON_FAILURE_HOLD == 2);
HOLDS(outcomes, SLUICE_OUTCOME_OK == 0 && SLUICE_OUTCOME_FAILED == 1 && SLUICE_OUTCOME_OOM == 2 &&
                    SLUICE_OUTCOME_CANCELLED == 3 && SLUICE_OUTCOME_UNKNOWN == 4);

/* Each call with its types, spelled out. */
typedef sluice_code code;
typedef sluice_error error;

const struct baseline {
  const char* (*version)(void);
  void (*free)(char*);
  code (*govern)(const sluice_governor_options*, sluice_governor**, error*);
  code (*governor_destroy)(sluice_governor*, error*);
  code (*pause)(sluice_governor*, error*);
  code (*resume)(sluice_governor*, error*);
  code (*drain)(sluice_governor*, error*);
  code (*wait_until_idle)(sluice_governor*, error*);
  code (*job_create)(const sluice_job_options*, sluice_job**, error*);
  code (*job_destroy)(sluice_job*, error*);
  code (*try_admit)(sluice_governor*, const sluice_job*, sluice_permit**, error*);
  code (*submit)(sluice_governor*, const sluice_job*,
                 void (*)(void*, uint64_t, sluice_permit*, const error*), void*, uint64_t*, error*);
  code (*cancel)(sluice_governor*, uint64_t, error*);
  uint64_t (*permit_id)(const sluice_permit*);
  int64_t (*permit_cost)(const sluice_permit*);
  code (*permit_items)(const sluice_permit*, char**, error*);
  code (*permit_started)(sluice_permit*, error*);
  code (*permit_measured)(sluice_permit*, const sluice_usage*, error*);
  code (*permit_release)(sluice_permit*, int, error*);
  code (*status_json)(sluice_governor*, char**, error*);
  code (*explain)(sluice_governor*, uint64_t, char**, error*);
} sluice_baseline = {sluice_version,        sluice_free,
                     sluice_govern,         sluice_governor_destroy,
                     sluice_pause,          sluice_resume,
                     sluice_drain,          sluice_wait_until_idle,
                     sluice_job_create,     sluice_job_destroy,
                     sluice_try_admit,      sluice_submit,
                     sluice_cancel,         sluice_permit_id,
                     sluice_permit_cost,    sluice_permit_items,
                     sluice_permit_started, sluice_permit_measured,
                     sluice_permit_release, sluice_status_json,
                     sluice_explain};

/* The callbacks of structs. */
int (*sluice_baseline_measure(const sluice_sensor* sensor))(void*, sluice_reading*);
int (*sluice_baseline_measure(const sluice_sensor* sensor))(void*, sluice_reading*) {
  return sensor->measure;
}
void (*sluice_baseline_accepting(const sluice_governor_options* options))(void*, int, const char*);
void (*sluice_baseline_accepting(const sluice_governor_options* options))(void*, int, const char*) {
  return options->on_accepting;
}
