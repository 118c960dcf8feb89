/* An executor in C: it takes jobs as the host can bear them, and says why one has to wait. */
#include <pthread.h>
#include <sluice.h>
#include <stdio.h>

enum { JOBS = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int left = JOBS;
static int failed;

static int complain(const char* what, const sluice_error* error) {
  fprintf(stderr, "%s: %s\n", what, error->text);
  return 1;
}

static unsigned long work(void) {
  unsigned long sum = 0, i;
  for (i = 0; i < 20000000; ++i) sum += i * i;
  return sum;
}

static void count(int is_failure) {
  pthread_mutex_lock(&lock);
  --left;
  failed += is_failure;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

static void* run(void* permit) {
  volatile unsigned long result = work();
  (void)result;
  sluice_permit_release((sluice_permit*)permit, SLUICE_OUTCOME_OK, NULL);
  count(0);
  return NULL;
}

/* It is called on a thread of the governor and must not block: the job gets a thread of its own. */
static void admitted(void* context, uint64_t id, sluice_permit* permit,
                     const sluice_error* refusal) {
  pthread_t thread;
  (void)context;
  if (permit == NULL) {
    fprintf(stderr, "job %lu does not run: %s\n", (unsigned long)id, refusal->text);
    count(1);
  } else if (pthread_create(&thread, NULL, run, permit) == 0) {
    pthread_detach(thread);
  } else {
    sluice_permit_release(permit, SLUICE_OUTCOME_CANCELLED, NULL);
    count(1);
  }
}

int main(void) {
  sluice_error error = SLUICE_ERROR_INIT;
  sluice_job_options options = SLUICE_JOB_OPTIONS_INIT;
  sluice_governor* governor;
  sluice_job* job;
  uint64_t id = 0;
  char* why;
  int i;

  if (sluice_govern(NULL, &governor, &error) != SLUICE_OK) return complain("governor", &error);
  options.key = "square";
  if (sluice_job_create(&options, &job, &error) != SLUICE_OK) return complain("job", &error);

  for (i = 0; i < JOBS; ++i) {
    if (sluice_submit(governor, job, admitted, NULL, &id, &error) == SLUICE_OK) continue;
    complain("refused", &error);
    count(1);
  }
  if (sluice_explain(governor, id, &why, NULL) == SLUICE_OK) {
    printf("job %lu %s\n", (unsigned long)id, why);
    sluice_free(why);
  }

  pthread_mutex_lock(&lock);
  while (left > 0) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  printf("%d jobs ran\n", JOBS - failed);
  sluice_job_destroy(job, NULL);
  sluice_governor_destroy(governor, NULL);
  return failed != 0;
}
