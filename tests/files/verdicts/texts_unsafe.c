// precise: FAILED --threads 2
// Two threads split texts by strtok, which keeps the rest of one for both.
#include <assert.h>
#include <pthread.h>
#include <string.h>

char left[] = "a b", right[] = "c d";

void *splitter(void *unused) {
    strtok(left, " ");
    char *second = strtok(0, " ");
    assert(second && *second == 'b');
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, splitter, 0);
    strtok(right, " ");
    pthread_join(thread, 0);
}
