/* What docs/c.md promises, used from C99 and checked. */
#include <pthread.h>
#include <sluice.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition)                                                    \
  do {                                                                      \
    if (condition) break;                                                   \
    fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
    exit(1);                                                                \
  } while (0)

/* Four jobs of 10 points, whatever else this host does. */
static const char kConfig[] =
    "window: {law: rfc, initial: 40, minimum: 40, maximum: 40}\n"
    "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off,\n"
    "          cgroup: off, disk: off, pids: off, starting: off}\n"
    "cost: {model: formula}\n"
    "contention: {levels: [node]}\n";

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* The end of one wait. */
typedef struct ending {
  int calls;
  uint64_t id;
  sluice_permit* permit;
  char reason[36];
  char text[200];
} ending;

static void on_admission(void* context, uint64_t id, sluice_permit* permit,
                         const sluice_error* refusal) {
  ending* end = (ending*)context;
  pthread_mutex_lock(&mutex);
  ++end->calls;
  end->id = id;
  end->permit = permit;
  if (refusal != NULL) {
    strcpy(end->reason, refusal->reason);
    strncat(end->text, refusal->text, sizeof end->text - 1);
  }
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

static void wait_for(const ending* end) {
  pthread_mutex_lock(&mutex);
  while (end->calls == 0) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
}

static sluice_job* make_job(const char* key, int64_t cost) {
  sluice_job_options options = SLUICE_JOB_OPTIONS_INIT;
  sluice_error error = SLUICE_ERROR_INIT;
  sluice_job* job = NULL;
  options.key = key;
  options.cost = cost;
  CHECK(sluice_job_create(&options, &job, &error) == SLUICE_OK);
  return job;
}

static sluice_governor* govern(const char* file) {
  sluice_governor_options options = SLUICE_GOVERNOR_OPTIONS_INIT;
  sluice_error error = SLUICE_ERROR_INIT;
  sluice_governor* governor = NULL;
  options.config_file = file;
  if (sluice_govern(&options, &governor, &error) != SLUICE_OK) fprintf(stderr, "%s\n", error.text);
  CHECK(governor != NULL);
  return governor;
}

static void admits_and_refuses(sluice_governor* governor) {
  sluice_job* large = make_job("large", 30);
  sluice_permit *first = NULL, *second = NULL;
  sluice_error error = SLUICE_ERROR_INIT;
  CHECK(sluice_try_admit(governor, large, &first, &error) == SLUICE_OK);
  CHECK(error.code == SLUICE_OK && error.text[0] == '\0');
  CHECK(sluice_permit_cost(first) == 30 && sluice_permit_id(first) != 0);

  CHECK(sluice_try_admit(governor, large, &second, &error) == SLUICE_REFUSED);
  CHECK(second == NULL && error.code == SLUICE_REFUSED);
  CHECK(strcmp(error.reason, "window") == 0);
  CHECK(strcmp(error.text, "needs 30 points, 10 of 40 points are free") == 0);

  CHECK(sluice_permit_release(first, SLUICE_OUTCOME_OK, &error) == SLUICE_OK);
  CHECK(sluice_try_admit(governor, large, &second, NULL) == SLUICE_OK);
  sluice_permit_release(second, SLUICE_OUTCOME_FAILED, NULL);
  sluice_job_destroy(large, NULL);
}

static void calls_back(sluice_governor* governor) {
  sluice_job* all = make_job("all", 40);
  ending first, second, third;
  uint64_t id = 0;
  memset(&first, 0, sizeof first);
  memset(&second, 0, sizeof second);
  memset(&third, 0, sizeof third);
  CHECK(sluice_submit(governor, all, on_admission, &first, NULL, NULL) == SLUICE_OK);
  wait_for(&first);
  CHECK(first.permit != NULL && sluice_permit_id(first.permit) == first.id);

  CHECK(sluice_submit(governor, all, on_admission, &second, &id, NULL) == SLUICE_OK);
  CHECK(sluice_cancel(governor, id, NULL) == SLUICE_OK);
  wait_for(&second);
  CHECK(second.id == id && second.permit == NULL && strcmp(second.reason, "cancelled") == 0);
  CHECK(second.text[0] != '\0');

  /* A job that was described and forgotten still waits. */
  CHECK(sluice_submit(governor, all, on_admission, &third, &id, NULL) == SLUICE_OK);
  sluice_job_destroy(all, NULL);
  sluice_permit_release(first.permit, SLUICE_OUTCOME_OK, NULL);
  wait_for(&third);
  CHECK(third.id == id && third.calls == 1);
  CHECK(sluice_permit_release(third.permit, SLUICE_OUTCOME_OK, NULL) == SLUICE_OK);
}

static void tells(sluice_governor* governor) {
  sluice_job* job = make_job("told", 10);
  sluice_usage usage = SLUICE_USAGE_INIT;
  sluice_permit* permit = NULL;
  char* text = NULL;
  CHECK(sluice_try_admit(governor, job, &permit, NULL) == SLUICE_OK);
  usage.wall = 1.5;
  usage.memory = 1 << 20;
  CHECK(sluice_permit_started(permit, NULL) == SLUICE_OK);
  CHECK(sluice_permit_measured(permit, &usage, NULL) == SLUICE_OK);

  CHECK(sluice_explain(governor, sluice_permit_id(permit), &text, NULL) == SLUICE_OK);
  CHECK(strstr(text, "holds 10 points") != NULL);
  sluice_free(text);
  CHECK(sluice_status_json(governor, &text, NULL) == SLUICE_OK);
  CHECK(text[0] == '{' && strstr(text, "\"size\":40,\"usage\":10") != NULL);
  sluice_free(text);
  sluice_permit_release(permit, SLUICE_OUTCOME_OK, NULL);
  CHECK(sluice_explain(governor, 1u << 30, &text, NULL) == SLUICE_INVALID && text == NULL);
  sluice_job_destroy(job, NULL);
}

static void pauses(sluice_governor* governor) {
  sluice_job* job = make_job("paused", 10);
  sluice_permit* permit = NULL;
  sluice_error error = SLUICE_ERROR_INIT;
  CHECK(sluice_pause(governor, NULL) == SLUICE_OK);
  CHECK(sluice_try_admit(governor, job, &permit, &error) == SLUICE_REFUSED);
  CHECK(strcmp(error.reason, "paused") == 0);
  CHECK(sluice_drain(governor, NULL) == SLUICE_OK);
  CHECK(sluice_try_admit(governor, job, &permit, &error) == SLUICE_REFUSED);
  CHECK(strcmp(error.reason, "draining") == 0);
  CHECK(sluice_resume(governor, NULL) == SLUICE_OK);
  CHECK(sluice_try_admit(governor, job, &permit, &error) == SLUICE_OK);
  sluice_permit_release(permit, SLUICE_OUTCOME_OK, NULL);
  CHECK(sluice_wait_until_idle(governor, NULL) == SLUICE_OK);
  sluice_job_destroy(job, NULL);
}

/* A permit outlives its governor; a wait does not. */
static void ends(sluice_governor* governor) {
  sluice_job* all = make_job("all", 40);
  sluice_permit* permit = NULL;
  ending waits;
  memset(&waits, 0, sizeof waits);
  CHECK(sluice_try_admit(governor, all, &permit, NULL) == SLUICE_OK);
  CHECK(sluice_submit(governor, all, on_admission, &waits, NULL, NULL) == SLUICE_OK);
  CHECK(sluice_governor_destroy(governor, NULL) == SLUICE_OK);
  CHECK(waits.calls == 1 && waits.permit == NULL && strcmp(waits.reason, "draining") == 0);
  CHECK(sluice_permit_release(permit, SLUICE_OUTCOME_OK, NULL) == SLUICE_OK);
  sluice_job_destroy(all, NULL);
}

int main(void) {
  char file[] = "/tmp/sluice_c99_XXXXXX";
  const int fd = mkstemp(file);
  sluice_governor* governor;
  CHECK(fd >= 0 && write(fd, kConfig, sizeof kConfig - 1) == (ssize_t)sizeof kConfig - 1);
  close(fd);
  governor = govern(file);
  unlink(file);
  CHECK(strchr(sluice_version(), '.') != NULL);
  admits_and_refuses(governor);
  calls_back(governor);
  tells(governor);
  pauses(governor);
  ends(governor);
  puts("passed");
  return 0;
}
