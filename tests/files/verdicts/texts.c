// precise: SUCCESSFUL --threads 2
// A thread splits what another has written, and reads its numbers.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

char line[] = "add 40 2";
int sum;

void *reader(void *unused) {
    char *rest, *word = strtok_r(line, " ", &rest);
    if (!strcmp(word, "add")) {
        sum = atoi(strtok_r(0, " ", &rest));
        sum += (int)strtol(strtok_r(0, " ", &rest), 0, 10);
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    pthread_join(thread, 0);
    assert(sum == 42);
    assert(strstr("a needle in hay", "needle") && !strstr("hay", "needle"));
}
