// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DTOKENS
// precise: FAILED --property races -DDATES
// precise: FAILED --property races -DTEXTS
// precise: SUCCESSFUL --property races -DTOKENS -DLOCKED
// precise: SUCCESSFUL --property races -DDATES -DLOCKED
// `strtok`, `localtime` and `asctime` keep what they return, or how far they are, for all threads.
#include <pthread.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument) {
    (void)argument;
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
#ifdef TOKENS
    char text[] = "a b";
    strtok(text, " ");
#elif defined DATES
    time_t now = 1;
    struct tm *date = localtime(&now);
    if (date)
        date->tm_hour = 0;
#elif defined TEXTS
    struct tm date = { 0 };
    asctime(&date);
#else
    char text[] = "a b", *rest;
    strtok_r(text, " ", &rest);
    time_t now = 1;
    struct tm own;
    localtime_r(&now, &own);
#endif
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
    return 0;
}

int main(void) {
    pthread_t one;
    pthread_create(&one, 0, work, 0);
    work(0);
    pthread_join(one, 0);
    return 0;
}
