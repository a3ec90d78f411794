// precise: FAILED --threads 2
// A log with times, whose count is not protected.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static int lines;

static void *logs(void *argument)
{
    time_t now = time(0);
    struct tm date;
    char text[32];
    localtime_r(&now, &date);
    strftime(text, sizeof text, "%c", &date);
    printf("%d %s %s", date.tm_hour, asctime_r(&date, text), text);
    lines++;
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, logs, 0);
    pthread_create(&two, 0, logs, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(lines == 2);
    return 0;
}
